// Rules in a JSON file, as `tutti-bench tune` writes them. They precede the table of rules.hpp and have the
// same form.
//
//     {"comment": "anything",
//      "allreduce": [
//        {"max_ranks": 4, "max_bytes": "2K", "algorithm": "recursive_doubling"},
//        {"where": "crowded", "max_bytes": 8192, "algorithm": "flat"},
//        {"min_nodes": 2, "algorithm": "hierarchical", "comment": "a rule may have one, too"}],
//      "broadcast": [
//        {"min_bytes": "512K", "algorithm": "chain", "segment_bytes": "128K"}]}
//
// Conditions of a rule: min_ranks, max_ranks, min_bytes, max_bytes, min_nodes, max_nodes, and `where`, one of
// "anywhere", "crowded", "many_nodes", "mixed_nodes" and "read_in_place" (rule.hpp). A missing condition always
// holds. The first rule that fits decides; without one, or if its algorithm cannot do the call, the table
// decides.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/choice/algorithms.hpp"

namespace tutti::collectives {

struct RulesFile {
    std::string file;                                // its name; empty: none
    std::array<std::vector<Rule>, kCollectives> of;  // in the order of AllCollectives
};

/// Throws tutti::Error (invalid_argument) with the file, the rule and the allowed values.
RulesFile parse_rules(std::string_view text, std::string_view file);

/// The rules in a file. Also throws tutti::Error if the file cannot be read.
RulesFile read_rules(const std::string& file);

}  // namespace tutti::collectives
