// The collectives and their algorithms as data, for lookups by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/choice/rule.hpp"

namespace tutti::collectives {

struct CollectiveEntry {
    std::string name;      // "allreduce"
    const char* variable;  // "TUTTI_ALLREDUCE"
    std::vector<AlgorithmTraits> algorithms;
    std::span<const Rule> rules;  // of the table
};

/// All entries, in the order of AllCollectives.
std::span<const CollectiveEntry> catalogue();

std::vector<std::string_view> names_of_collectives();
std::vector<std::string_view> names_of_algorithms(const CollectiveEntry& collective);

}  // namespace tutti::collectives
