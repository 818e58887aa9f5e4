// Call: what one rank says of the collective that it calls, to be compared with what the others call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tutti::collectives {

/// `unnamed` says nothing; the names are kCallNames.
enum class CallKind : std::uint8_t {
    unnamed,
    barrier,
    broadcast,
    reduce,
    allreduce,
    reduce_scatter,
    reduce_scatterv,
    scan,
    exscan,
    gather,
    gatherv,
    scatter,
    scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoall_in_place,
    alltoallv,
    alltoallv_in_place,
    neighbor_allgather,
    neighbor_allgatherv,
    neighbor_alltoall,
    neighbor_alltoallv,
    dup,
    split,
    create_cartesian,
    create_graph,
    share_memory,
};

inline constexpr std::string_view kCallNames[] = {
    "a collective without a name",
    "barrier",
    "broadcast",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "reduce_scatterv",
    "scan",
    "exscan",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoall in place",
    "alltoallv",
    "alltoallv in place",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "dup",
    "split",
    "create_cartesian",
    "create_graph",
    "a blocking collective, for the first time",  // ranks of a node first agree on memory to share
};
inline constexpr std::size_t kCallKinds = std::size(kCallNames);
static_assert(kCallKinds == static_cast<std::size_t>(CallKind::share_memory) + 1 && kCallKinds <= 32);

/// One of a collective's algorithms: chosen, or named by a call (ask_for()).
struct Selection {
    std::uint8_t number = 0;        // in the collective's list, from 1; 0: none
    std::size_t segment_bytes = 0;  // 0 where the algorithm has none

    explicit operator bool() const noexcept { return number != 0; }
};

/// What must be the same at all ranks of a call.
struct Call {
    CallKind kind;
    int root = -1;                // -1: none
    std::size_t size_bytes = 0;   // of what all must have equally long; 0 where there is no such thing
    std::uint16_t operation = 0;  // identity() of the operator; 0: none
    Selection algorithm = {};     // the chosen one
    std::uint32_t steps = 0;      // of one that is made of others: what chooses these, Choice::fingerprint()
};

}  // namespace tutti::collectives
