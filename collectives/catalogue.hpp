// The collectives and their algorithms as data, for what looks them up by name.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "collectives/resolved_rule.hpp"

namespace tutti::collectives {

struct AlgorithmEntry {
    std::string_view name;
    Operands operands;
    Segments segments;
    Through through;
};

struct CollectiveEntry {
    std::string_view name;      // "allreduce"
    std::string_view variable;  // "TUTTI_ALLREDUCE"
    std::vector<AlgorithmEntry> algorithms;
    std::span<const Rule> rules;
    std::vector<ResolvedRule> resolved;  // the same rules
};

/// In the order of AllCollectives.
std::span<const CollectiveEntry> catalogue();

std::vector<std::string_view> names_of_collectives();
std::vector<std::string_view> names_of_algorithms(const CollectiveEntry& collective);

}  // namespace tutti::collectives
