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
#include <vector>

#include "collectives/algorithms.hpp"

namespace tutti::collectives {

struct RulesFile {
    std::string file;                                // its name; empty where there is none
    std::array<std::vector<Rule>, kCollectives> of;  // in the order of AllCollectives
};

/// Throws tutti::Error (invalid_argument) naming the file, the rule and what is allowed there.
RulesFile parse_rules(std::string_view text, std::string_view file);

/// The same from a file. Throws tutti::Error where it cannot be read, too.
RulesFile read_rules(const std::string& file);

}  // namespace tutti::collectives
