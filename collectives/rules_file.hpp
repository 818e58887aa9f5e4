// Rules in a JSON file, as `tutti-bench tune` writes them: looked up before the table of rules.hpp, and of
// the same shape.
//
//     {"comment": "anything",
//      "allreduce": [
//        {"max_ranks": 4, "max_bytes": "2K", "algorithm": "recursive_doubling"},
//        {"where": "crowded", "max_bytes": 8192, "algorithm": "flat"},
//        {"min_nodes": 2, "algorithm": "hierarchical", "comment": "a rule may have one, too"}],
//      "broadcast": [
//        {"min_bytes": "512K", "algorithm": "chain", "segment_bytes": "128K"}]}
//
// Conditions that a rule does not have are met: min_ranks, max_ranks, min_bytes, max_bytes, min_nodes,
// max_nodes, and `where`, one of rules.hpp's "anywhere", "crowded", "many_nodes", "mixed_nodes". The first
// rule that fits decides; where none does, or the algorithm cannot do the call, the table decides.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/resolved_rule.hpp"

namespace tutti::collectives {

struct FileRules {
    std::string file;  // empty where there is none
    std::array<std::vector<ResolvedRule>, std::tuple_size_v<AllCollectives>> of;
};

/// Throws tutti::Error (invalid_argument) naming the file, the rule and what is allowed there.
FileRules parse_rules(std::string_view text, std::string_view file);

/// The same from a file. Throws tutti::Error where it cannot be read, too.
FileRules read_rules(const std::string& file);

}  // namespace tutti::collectives
