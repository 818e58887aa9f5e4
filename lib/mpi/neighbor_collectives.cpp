// The collectives among the neighbours of grids and graphs, each in three forms.
#include <fmt/format.h>

#include "collectives/call.hpp"
#include "lib/mpi/datatype.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/persistent.hpp"
#include "lib/mpi/request.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "lib/mpi/topology.hpp"

namespace tutti::mpi {

namespace {

using collectives::CallKind;
using detail::Form;
using detail::TypedBlock;
using BlockList = std::vector<TypedBlock>;
using RankList = std::vector<int>;

/// Throws Failure for arguments that are no elements in memory. `displacement` in bytes.
TypedBlock block_at(const void* buffer, MPI_Count displacement, MPI_Count count, const Datatype& type)
{
    if (buffer == MPI_IN_PLACE)
        fail(MPI_ERR_BUFFER, "collectives among neighbours do not work in place; pass two buffers");
    static_cast<void>(const_view_of(buffer, count, handle_of(type)));
    // Unsigned, as in bytes_of().
    const auto address = reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(displacement);
    return {reinterpret_cast<std::byte*>(address), static_cast<std::size_t>(count), type.map.get()};
}

// Unsigned: a wrong displacement must not overflow.
MPI_Count bytes_of(MPI_Count elements, const Datatype& type, std::size_t times = 1) noexcept
{
    return static_cast<MPI_Count>(static_cast<std::uint64_t>(elements) * times *
                                  static_cast<std::uint64_t>(type.map->extent_bytes()));
}

// There may be no neighbours, and no block to check.
void check_equal_count(MPI_Count count)
{
    if (count < 0)
        fail(MPI_ERR_COUNT, fmt::format("the count is {}; it must not be negative", count));
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
    check_equal_count(count);
    return neighbors.empty() ? BlockList() : BlockList{block_at(buffer, 0, count, type)};
}

BlockList equal_blocks(const RankList& neighbors, const void* buffer, MPI_Count count, MPI_Datatype datatype)
{
    const Datatype& type = datatype_of(datatype);
    check_equal_count(count);
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
        // Of no elements, any type will do.
        return block_at(buffer, displacements[i], counts[i],
                        datatype_of(counts[i] == 0 ? MPI_BYTE : types[i]));
    });
}

/// sent(destinations) and received(sources) make the blocks. `request` is set unless the call blocks.
template <class Sent, class Received>
int exchange_among(const char* call, CallKind kind, Form form, MPI_Comm comm, MPI_Request* request,
                   const Sent& sent, const Received& received)
{
    return guard(call, comm, [&] {
        if (form != Form::blocking)
            check_not_null(request, "request");
        const Communicator& communicator = communicator_of(comm);
        const Topology& topology = topology_of(communicator);
        if (topology.one_way)
            fail(MPI_ERR_TOPOLOGY,
                 fmt::format("the graph has more edges from rank {} to rank {} than back; collectives among "
                             "neighbours need as many both ways",
                             topology.one_way->first, topology.one_way->second));
        const BlockList out = sent(topology.neighbors->destinations);
        const BlockList in = received(topology.neighbors->sources);
        const detail::CallHandle begun =
            detail::call_neighbor_blocks(communicator.state, topology.neighbors, form, kind, out, in);
        if (form == Form::nonblocking)
            *request = begun_request(begun);
        else if (form == Form::persistent)
            *request = persistent_request(begun.starter());
    });
}

int neighbor_allgather_in(const char* call, Form form, const void* sendbuf, MPI_Count sendcount,
                          MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                          MPI_Comm comm, MPI_Request* request = nullptr)
{
    return exchange_among(
        call, CallKind::neighbor_allgather, form, comm, request,
        [&](const RankList& to) { return one_block(to, sendbuf, sendcount, sendtype); },
        [&](const RankList& from) { return equal_blocks(from, recvbuf, recvcount, recvtype); });
}

int neighbor_allgatherv_in(const char* call, Form form, const void* sendbuf, MPI_Count sendcount,
                           MPI_Datatype sendtype, void* recvbuf, Counts recvcounts, Counts displs,
                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request = nullptr)
{
    return exchange_among(
        call, CallKind::neighbor_allgatherv, form, comm, request,
        [&](const RankList& to) { return one_block(to, sendbuf, sendcount, sendtype); },
        [&](const RankList& from) { return unequal_blocks(from, recvbuf, recvcounts, displs, recvtype); });
}

int neighbor_alltoall_in(const char* call, Form form, const void* sendbuf, MPI_Count sendcount,
                         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                         MPI_Comm comm, MPI_Request* request = nullptr)
{
    return exchange_among(
        call, CallKind::neighbor_alltoall, form, comm, request,
        [&](const RankList& to) { return equal_blocks(to, sendbuf, sendcount, sendtype); },
        [&](const RankList& from) { return equal_blocks(from, recvbuf, recvcount, recvtype); });
}

int neighbor_alltoallv_in(const char* call, Form form, const void* sendbuf, Counts sendcounts, Counts sdispls,
                          MPI_Datatype sendtype, void* recvbuf, Counts recvcounts, Counts rdispls,
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request = nullptr)
{
    return exchange_among(
        call, CallKind::neighbor_alltoallv, form, comm, request,
        [&](const RankList& to) { return unequal_blocks(to, sendbuf, sendcounts, sdispls, sendtype); },
        [&](const RankList& from) { return unequal_blocks(from, recvbuf, recvcounts, rdispls, recvtype); });
}

int neighbor_alltoallw_in(const char* call, Form form, const void* sendbuf, Counts sendcounts,
                          const MPI_Aint* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
                          Counts recvcounts, const MPI_Aint* rdispls, const MPI_Datatype* recvtypes,
                          MPI_Comm comm, MPI_Request* request = nullptr)
{
    return exchange_among(
        call, CallKind::neighbor_alltoallw, form, comm, request,
        [&](const RankList& to) { return typed_blocks(to, sendbuf, sendcounts, sdispls, sendtypes); },
        [&](const RankList& from) { return typed_blocks(from, recvbuf, recvcounts, rdispls, recvtypes); });
}

}  // namespace

int neighbor_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_allgather_in("MPI_Neighbor_allgather", Form::blocking, sendbuf, sendcount, sendtype,
                                 recvbuf, recvcount, recvtype, comm);
}

int ineighbor_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    return neighbor_allgather_in("MPI_Ineighbor_allgather", Form::nonblocking, sendbuf, sendcount, sendtype,
                                 recvbuf, recvcount, recvtype, comm, request);
}

int neighbor_allgather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                            MPI_Request* request)
{
    return neighbor_allgather_in("MPI_Neighbor_allgather_init", Form::persistent, sendbuf, sendcount,
                                 sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int neighbor_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        Counts recvcounts, Counts displs, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_allgatherv_in("MPI_Neighbor_allgatherv", Form::blocking, sendbuf, sendcount, sendtype,
                                  recvbuf, recvcounts, displs, recvtype, comm);
}

int ineighbor_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         Counts recvcounts, Counts displs, MPI_Datatype recvtype, MPI_Comm comm,
                         MPI_Request* request)
{
    return neighbor_allgatherv_in("MPI_Ineighbor_allgatherv", Form::nonblocking, sendbuf, sendcount, sendtype,
                                  recvbuf, recvcounts, displs, recvtype, comm, request);
}

int neighbor_allgatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             Counts recvcounts, Counts displs, MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Info /*info*/, MPI_Request* request)
{
    return neighbor_allgatherv_in("MPI_Neighbor_allgatherv_init", Form::persistent, sendbuf, sendcount,
                                  sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
}

int neighbor_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_alltoall_in("MPI_Neighbor_alltoall", Form::blocking, sendbuf, sendcount, sendtype,
                                recvbuf, recvcount, recvtype, comm);
}

int ineighbor_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    return neighbor_alltoall_in("MPI_Ineighbor_alltoall", Form::nonblocking, sendbuf, sendcount, sendtype,
                                recvbuf, recvcount, recvtype, comm, request);
}

int neighbor_alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                           MPI_Request* request)
{
    return neighbor_alltoall_in("MPI_Neighbor_alltoall_init", Form::persistent, sendbuf, sendcount, sendtype,
                                recvbuf, recvcount, recvtype, comm, request);
}

int neighbor_alltoallv(const void* sendbuf, Counts sendcounts, Counts sdispls, MPI_Datatype sendtype,
                       void* recvbuf, Counts recvcounts, Counts rdispls, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_alltoallv_in("MPI_Neighbor_alltoallv", Form::blocking, sendbuf, sendcounts, sdispls,
                                 sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

int ineighbor_alltoallv(const void* sendbuf, Counts sendcounts, Counts sdispls, MPI_Datatype sendtype,
                        void* recvbuf, Counts recvcounts, Counts rdispls, MPI_Datatype recvtype,
                        MPI_Comm comm, MPI_Request* request)
{
    return neighbor_alltoallv_in("MPI_Ineighbor_alltoallv", Form::nonblocking, sendbuf, sendcounts, sdispls,
                                 sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
}

int neighbor_alltoallv_init(const void* sendbuf, Counts sendcounts, Counts sdispls, MPI_Datatype sendtype,
                            void* recvbuf, Counts recvcounts, Counts rdispls, MPI_Datatype recvtype,
                            MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request)
{
    return neighbor_alltoallv_in("MPI_Neighbor_alltoallv_init", Form::persistent, sendbuf, sendcounts,
                                 sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
}

int neighbor_alltoallw(const void* sendbuf, Counts sendcounts, const MPI_Aint* sdispls,
                       const MPI_Datatype* sendtypes, void* recvbuf, Counts recvcounts,
                       const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm)
{
    return neighbor_alltoallw_in("MPI_Neighbor_alltoallw", Form::blocking, sendbuf, sendcounts, sdispls,
                                 sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

int ineighbor_alltoallw(const void* sendbuf, Counts sendcounts, const MPI_Aint* sdispls,
                        const MPI_Datatype* sendtypes, void* recvbuf, Counts recvcounts,
                        const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
                        MPI_Request* request)
{
    return neighbor_alltoallw_in("MPI_Ineighbor_alltoallw", Form::nonblocking, sendbuf, sendcounts, sdispls,
                                 sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
}

int neighbor_alltoallw_init(const void* sendbuf, Counts sendcounts, const MPI_Aint* sdispls,
                            const MPI_Datatype* sendtypes, void* recvbuf, Counts recvcounts,
                            const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
                            MPI_Info /*info*/, MPI_Request* request)
{
    return neighbor_alltoallw_in("MPI_Neighbor_alltoallw_init", Form::persistent, sendbuf, sendcounts,
                                 sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
}

}  // namespace tutti::mpi
