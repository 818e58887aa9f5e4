// What Tutti's choice of algorithms goes by, for tools that measure and explain. Programs need none of it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tutti {

/// A collective whose algorithm can be chosen.
struct CollectiveInfo {
    std::string_view name;  // "allreduce"
    const char* variable;   // of the environment: "TUTTI_ALLREDUCE"
};

/// All of them, always in the same order.
std::vector<CollectiveInfo> known_collectives();

/// A call, with all that the algorithm is chosen by.
struct CallSituation {
    int ranks = 1;
    /// Of the buffer; of all blocks for gather, scatter, allgather and reduce_scatter; of one for alltoall.
    std::size_t size_bytes = 0;
    /// Any number for each rank, equal for ranks of one node. Empty: all ranks are on one.
    std::span<const int> node_of_rank = {};
    bool more_ranks_than_cores = false;
    bool commutative = true;  // the operator, if there is one
};

struct AlgorithmInfo {
    std::string_view name;          // "chain", as CollectiveOptions::algorithm has it
    std::size_t segment_bytes = 0;  // those that would be used; 0: it does not cut its data into segments
    bool needs_board = false;       // memory that the ranks of a node share, which blocking calls alone use
};

/// The algorithms that can do the call, each once: first the one of the built-in rules, whatever environment
/// and files say, then the others. Throws ErrorCode::invalid_argument where there is no such collective.
std::vector<AlgorithmInfo> usable_algorithms(std::string_view collective, const CallSituation& call);

}  // namespace tutti
