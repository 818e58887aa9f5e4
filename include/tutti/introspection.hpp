// Inputs of Tutti's choice of algorithms, and who makes progress, for tools that measure and explain and for
// libraries over Tutti. Programs do not need them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/communicator.hpp"

namespace tutti {

/// A collective whose algorithm can be chosen.
struct CollectiveInfo {
    std::string_view name;  // "allreduce"
    const char* variable;   // the environment variable: "TUTTI_ALLREDUCE"
};

/// All collectives, always in the same order.
std::vector<CollectiveInfo> known_collectives();

/// A call and everything that the choice of its algorithm depends on.
struct CallSituation {
    int ranks = 1;  // of the communicator
    /// Size of the buffer; of all blocks for gather, scatter, allgather and reduce_scatter; of one for
    /// alltoall.
    std::size_t size_bytes = 0;
    /// Any number for each rank, equal for ranks of one node. Empty: all ranks are on one node.
    std::span<const int> node_of_rank = {};
    bool more_ranks_than_cores = false;  // on a node
    bool commutative = true;             // the operator, if there is one
};

/// An algorithm as a call would use it.
struct AlgorithmInfo {
    std::string_view name;          // "chain", as in CollectiveOptions::algorithm
    std::size_t segment_bytes = 0;  // this call's size; 0: it has no segments
    bool needs_board = false;       // shared memory of a node's ranks; for blocking calls only
};

/// The algorithms that can do the call, each once. The first is the choice of the built-in rules, without
/// environment and files. Throws ErrorCode::invalid_argument for an unknown collective.
std::vector<AlgorithmInfo> usable_algorithms(std::string_view collective, const CallSituation& call);

/// How operations of this rank go on while the program computes.
struct ProgressInfo {
    bool by_thread = false;  // a thread of Tutti's moves them on (Progress::thread, TUTTI_PROGRESS)
    int cores = 1;           // that the rank owns: its share of the host's, or TUTTI_CORES
};

/// The progress of the rank that calls, in the job of `communicator`. Any thread.
ProgressInfo progress_of(const Communicator& communicator);

/// Addresses of this host where ranks of others may reach what it listens to, as TUTTI_INTERFACE allows, the
/// preferred first; empty if there is none. Any thread.
std::vector<std::string> addresses_of_host();

/// For libraries whose communicators end with the process, as those of Python's objects do, and are no
/// program's leak: `tuttirun --check` does not tell that this one is alive after the Environment. Any thread.
void outlives_environment(const Communicator& communicator);

/// For libraries whose users know a communicator as a group with a name: reports of hangs, `--stats`,
/// `--trace` and `--top` call it so, as those that MPI_Comm_set_name has named. Of this rank; shortened to 31
/// bytes. Any thread.
void name_in_reports(const Communicator& communicator, std::string_view name);

}  // namespace tutti
