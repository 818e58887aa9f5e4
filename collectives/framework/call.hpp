// Call: one rank's description of its collective call, compared with those of the other ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tutti::collectives {

/// The names are kCallNames; `unnamed` is compared with nothing.
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
    create,
    alltoallw,
    neighbor_alltoallw,
    create_intercommunicator,
    merge,
    read_all,
    write_all,
    read_file,
    write_file,
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
    "a blocking collective, for the first time",  // the ranks of a node first agree on shared memory
    "create",
    "alltoallw",
    "neighbor_alltoallw",
    "create_intercommunicator",
    "merge",
    "read_all",
    "write_all",
    "read of a file",
    "write of a file",
};
inline constexpr std::size_t kCallKinds = std::size(kCallNames);
static_assert(kCallKinds == static_cast<std::size_t>(CallKind::write_file) + 1 && kCallKinds <= 64);

/// An algorithm of a collective: chosen, or named by a call (ask_for()).
struct Selection {
    std::uint8_t number = 0;        // in the collective's list, from 1; 0: none
    std::size_t segment_bytes = 0;  // 0 where the algorithm has none

    explicit operator bool() const noexcept { return number != 0; }
};

/// The part of a call that must be equal at all ranks.
struct Call {
    CallKind kind;
    int root = -1;                // -1: none
    std::size_t size_bytes = 0;   // of the part that is equal at all ranks; 0: none
    std::uint16_t operation = 0;  // identity() of the operator; 0: none
    Selection algorithm = {};     // the chosen one
    std::uint32_t steps = 0;      // Choice::fingerprint() if other collectives are its steps
};

}  // namespace tutti::collectives
