// A rule, of the table (rules.hpp) or of a file (rules_file.hpp), with its algorithm looked up.
#pragma once

#include "collectives/rules.hpp"
#include "collectives/situation.hpp"

namespace tutti::collectives {

struct ResolvedRule {
    bool crowded_only = false;
    bool mixed_only = false;
    Operands operands = Operands::any;
    Through through = Through::messages;
    int min_nodes = 1;
    int max_nodes = kAnyRanks;
    int min_ranks = 1;
    int max_ranks = kAnyRanks;
    std::size_t min_bytes = 0;
    std::size_t max_bytes = kAnyBytes;
    std::size_t segment_bytes = 0;
    std::size_t algorithm = 0;  // index in the collective's list

    friend bool operator==(const ResolvedRule&, const ResolvedRule&) = default;
};

constexpr void place_rule(ResolvedRule& rule, Where where) noexcept
{
    rule.crowded_only = where == Where::crowded;
    rule.mixed_only = where == Where::mixed_nodes;
    rule.min_nodes = where == Where::many_nodes ? 2 : 1;
}

/// For a rule that is a constant, only the conditions that it has are code.
inline bool fits(const ResolvedRule& rule, const Situation& situation) noexcept
{
    return (!rule.crowded_only || situation.crowded()) && (!rule.mixed_only || situation.mixed()) &&
           (rule.min_nodes == 1 || situation.nodes() >= rule.min_nodes) &&
           (rule.max_nodes == kAnyRanks || situation.nodes() <= rule.max_nodes) &&
           has_what_it_needs(rule.operands, rule.through, situation) &&
           (rule.min_ranks == 1 || situation.ranks >= rule.min_ranks) && situation.ranks <= rule.max_ranks &&
           (rule.min_bytes == 0 || situation.size_bytes >= rule.min_bytes) &&
           situation.size_bytes <= rule.max_bytes;
}

}  // namespace tutti::collectives
