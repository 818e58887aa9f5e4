// A collective as data: one description for every library, and for every way to call it.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "benchmarks/suite/library/neighborhood.hpp"
#include "tutti/reduction.hpp"

namespace tutti::bench {

enum class Collective {
    barrier,
    broadcast,
    reduce,
    allreduce,
    reduce_scatter,   // blocks of equal size
    reduce_scatterv,  // MPI_Reduce_scatter
    scan,
    exscan,
    gather,
    gatherv,
    scatter,
    scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    neighbor_allgather,
    neighbor_allgatherv,
    neighbor_alltoall,
    neighbor_alltoallv,
};

/// The library has no such operation. Thrown at all ranks alike, before anything is sent.
struct NotOffered : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One rank's part of a call. All ranks describe the same collective, and every call of a job that has
/// neighbours has the same ones. Reductions are sums.
///
/// Buffers are borrowed as long as what is prepared from this, and hold whole blocks, one after the other in
/// the order of ranks or neighbours. In place, `out` is the only one: at the root of a gather or scatter the
/// whole, at other ranks their block.
struct DescribedCall {
    Collective collective;
    DataType type = DataType::uint8;
    std::byte* in = nullptr;
    std::byte* out = nullptr;
    /// Elements of a block (in the unequal forms the own one); without blocks, of the whole.
    std::size_t count = 0;
    /// The unequal forms: elements of each rank's block. Two ranks give each other equally many, as do
    /// neighbours, where these are the blocks of the sources.
    std::vector<std::size_t> counts = {};
    bool in_place = false;
    int root = 0;
    NeighborRanks neighbors = {};
};

constexpr bool is_reduction(Collective collective) noexcept
{
    return collective >= Collective::reduce && collective <= Collective::exscan;
}

constexpr bool is_neighbourly(Collective collective) noexcept
{
    return collective >= Collective::neighbor_allgather;
}

constexpr bool has_root(Collective collective) noexcept
{
    return collective == Collective::broadcast || collective == Collective::reduce ||
           (collective >= Collective::gather && collective <= Collective::scatterv);
}

/// Whether MPI defines it with input and output in one buffer, as another call.
constexpr bool may_be_in_place(Collective collective) noexcept
{
    return collective != Collective::barrier && collective != Collective::broadcast &&
           !is_neighbourly(collective);
}

}  // namespace tutti::bench
