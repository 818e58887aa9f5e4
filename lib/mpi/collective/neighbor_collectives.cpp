// The collectives among the neighbours of grids and graphs, each in three forms.
#include <fmt/format.h>

#include "collectives/framework/call.hpp"
#include "lib/mpi/collective/collective_call.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "lib/mpi/topology/topology_object.hpp"

namespace tutti::mpi {

namespace {

using collectives::CallKind;
using detail::TypedBlock;
using BlockList = std::vector<TypedBlock>;
using RankList = std::vector<int>;

/// Throws Failure for arguments that are no elements in memory. `displacement` in bytes: an address, where
/// the buffer is MPI_BOTTOM and `takes_address`.
TypedBlock block_at(const void* buffer, MPI_Count displacement, MPI_Count count, const Datatype& type,
                    bool takes_address = false)
{
    if (buffer == MPI_IN_PLACE)
        fail(MPI_ERR_BUFFER, "collectives among neighbours do not work in place; pass two buffers");
    // Unsigned, as in bytes_of().
    auto* const address = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                                       static_cast<std::uintptr_t>(displacement));
    static_cast<void>(const_view_of(takes_address ? address : buffer, count, handle_of(type)));
    return {address, static_cast<std::size_t>(count), type.map.get()};
}

// Unsigned: a wrong displacement must not overflow.
MPI_Count bytes_of(MPI_Count elements, const Datatype& type, std::size_t times = 1) noexcept
{
    return static_cast<MPI_Count>(static_cast<std::uint64_t>(elements) * times *
                                  static_cast<std::uint64_t>(type.map->extent_bytes()));
}

/// One side of an exchange: block_of(i) is the block of the i-th neighbour. A neighbour that is no rank has
/// an empty one, whatever the arguments for it are.
template <class BlockOf>
BlockList blocks_of(const RankList& neighbors, const BlockOf& block_of)
{
    BlockList blocks(neighbors.size(), {nullptr, 0, datatype_of(MPI_BYTE).map.get()});
    for (std::size_t i = 0; i < neighbors.size(); ++i)
        if (neighbors[i] >= 0)
            blocks[i] = block_of(i);
    return blocks;
}

BlockList one_block(const RankList& neighbors, const void* buffer, MPI_Count count, MPI_Datatype datatype)
{
    const Datatype& type = datatype_of(datatype);
    check_not_negative("the count", count, MPI_ERR_COUNT);  // also without neighbours
    return neighbors.empty() ? BlockList() : BlockList{block_at(buffer, 0, count, type)};
}

BlockList equal_blocks(const RankList& neighbors, const void* buffer, MPI_Count count, MPI_Datatype datatype)
{
    const Datatype& type = datatype_of(datatype);
    check_not_negative("the count", count, MPI_ERR_COUNT);  // also without neighbours
    return blocks_of(neighbors,
                     [&](std::size_t i) { return block_at(buffer, bytes_of(count, type, i), count, type); });
}

BlockList unequal_blocks(const RankList& neighbors, const void* buffer, Counts counts, Counts displacements,
                         MPI_Datatype datatype)
{
    const Datatype& type = datatype_of(datatype);
    if (!neighbors.empty() && (counts.is_null() || displacements.is_null()))
        fail(MPI_ERR_ARG, "counts or displacements are a null pointer; give one of each for each neighbour");
    return blocks_of(neighbors, [&](std::size_t i) {
        return block_at(buffer, bytes_of(displacements[i], type), counts[i], type);
    });
}

BlockList typed_blocks(const RankList& neighbors, const void* buffer, Counts counts,
                       const MPI_Aint* displacements, const MPI_Datatype* types)
{
    if (!neighbors.empty() && (counts.is_null() || displacements == nullptr || types == nullptr))
        fail(MPI_ERR_ARG,
             "counts, displacements or datatypes are a null pointer; give one of each for each neighbour");
    return blocks_of(neighbors, [&](std::size_t i) {
        // A block without elements may have any type.
        return block_at(buffer, displacements[i], counts[i],
                        datatype_of(counts[i] == 0 ? MPI_BYTE : types[i]), true);
    });
}

/// sent(destinations) and received(sources) make the blocks.
template <class Sent, class Received>
int exchange_among(const CollectiveCall& call, CallKind kind, MPI_Comm comm, const Sent& sent,
                   const Received& received)
{
    return call.on(comm, [&](const detail::StatePointer& state) {
        const Topology& topology = topology_of(communicator_of(comm));
        if (!topology.mismatch.empty())
            fail(MPI_ERR_TOPOLOGY, topology.mismatch);
        const BlockList out = sent(topology.neighbors->destinations);
        const BlockList in = received(topology.neighbors->sources);
        return detail::call_neighbor_blocks(state, topology.neighbors, call.form(), kind, out, in);
    });
}

}  // namespace

int neighbor_allgather(const CollectiveCall& call, const void* sendbuf, MPI_Count sendcount,
                       MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                       MPI_Comm comm)
{
    return exchange_among(
        call, CallKind::neighbor_allgather, comm,
        [&](const RankList& to) { return one_block(to, sendbuf, sendcount, sendtype); },
        [&](const RankList& from) { return equal_blocks(from, recvbuf, recvcount, recvtype); });
}

int neighbor_allgatherv(const CollectiveCall& call, const void* sendbuf, MPI_Count sendcount,
                        MPI_Datatype sendtype, void* recvbuf, Counts recvcounts, Counts displs,
                        MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange_among(
        call, CallKind::neighbor_allgatherv, comm,
        [&](const RankList& to) { return one_block(to, sendbuf, sendcount, sendtype); },
        [&](const RankList& from) { return unequal_blocks(from, recvbuf, recvcounts, displs, recvtype); });
}

int neighbor_alltoall(const CollectiveCall& call, const void* sendbuf, MPI_Count sendcount,
                      MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                      MPI_Comm comm)
{
    return exchange_among(
        call, CallKind::neighbor_alltoall, comm,
        [&](const RankList& to) { return equal_blocks(to, sendbuf, sendcount, sendtype); },
        [&](const RankList& from) { return equal_blocks(from, recvbuf, recvcount, recvtype); });
}

int neighbor_alltoallv(const CollectiveCall& call, const void* sendbuf, Counts sendcounts, Counts sdispls,
                       MPI_Datatype sendtype, void* recvbuf, Counts recvcounts, Counts rdispls,
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange_among(
        call, CallKind::neighbor_alltoallv, comm,
        [&](const RankList& to) { return unequal_blocks(to, sendbuf, sendcounts, sdispls, sendtype); },
        [&](const RankList& from) { return unequal_blocks(from, recvbuf, recvcounts, rdispls, recvtype); });
}

int neighbor_alltoallw(const CollectiveCall& call, const void* sendbuf, Counts sendcounts,
                       const MPI_Aint* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
                       Counts recvcounts, const MPI_Aint* rdispls, const MPI_Datatype* recvtypes,
                       MPI_Comm comm)
{
    return exchange_among(
        call, CallKind::neighbor_alltoallw, comm,
        [&](const RankList& to) { return typed_blocks(to, sendbuf, sendcounts, sdispls, sendtypes); },
        [&](const RankList& from) { return typed_blocks(from, recvbuf, recvcounts, rdispls, recvtypes); });
}

}  // namespace tutti::mpi
