// Rule: the calls for which it holds, their algorithm, and the rule's origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "collectives/choice/situation.hpp"

namespace tutti::collectives {

/// Where the ranks run. `crowded`: one node with more ranks than cores, where each wait of a rank costs a
/// turn of the scheduler. `many_nodes`: two or more nodes, and the node of each rank is known. `mixed_nodes`:
/// many nodes whose ranks are not consecutive, for example dealt in turn; an algorithm that passes data from
/// rank to rank then crosses the network again and again. `read_in_place`: two ranks of one node, with a core
/// each, that may read each other's data where it lies: a message is then one copy, and a chunk two.
enum class Where : std::uint8_t { anywhere, crowded, many_nodes, mixed_nodes, read_in_place };

inline constexpr int kAnyRanks = std::numeric_limits<int>::max();
inline constexpr std::size_t kAnyBytes = std::numeric_limits<std::size_t>::max();
/// The segment size of an algorithm that is named without one.
inline constexpr std::size_t kDefaultSegmentBytes = 32 * 1024;

/// The traits of a rule's algorithm.
struct AlgorithmTraits {
    std::string_view name;
    Needs needs = Needs::nothing;
    bool has_segments =
        false;  // cuts its data into segments, whose size is the last argument of its function
};

/// A rule of the table (rules.hpp), of a file (rules_file.hpp), or of a variable. It holds only for calls
/// that its algorithm can do.
struct Rule {
    enum class Source : std::uint8_t { table, file, environment };

    Where where = Where::anywhere;
    int max_ranks = kAnyRanks;
    std::size_t max_bytes = kAnyBytes;  // of the buffer as in collectives.hpp
    std::string_view algorithm = {};    // lives as long as the program
    std::size_t segment_bytes = 0;      // 0: the algorithm has none
    int min_ranks = 1;
    std::size_t min_bytes = 0;
    int min_nodes = 1;
    int max_nodes = kAnyRanks;
    Source source = Source::table;
    Needs needs = Needs::nothing;
    std::uint8_t number = 0;  // of the algorithm, see Selection

    /// Completes a rule with algorithm `chosen`, number `with_number` of the collective.
    constexpr void use(const AlgorithmTraits& chosen, std::size_t with_number) noexcept
    {
        algorithm = chosen.name;
        needs = chosen.needs;
        number = static_cast<std::uint8_t>(with_number);
    }
    constexpr void hold(Where place) noexcept
    {
        where = place;
        min_nodes = place == Where::many_nodes ? 2 : 1;
    }
    Selection selection() const noexcept { return {number, segment_bytes}; }

    friend bool operator==(const Rule&, const Rule&) = default;
};

/// For a constant rule only its conditions become code.
[[gnu::always_inline]] inline bool fits(const Rule& rule, const Situation& situation) noexcept
{
    return (rule.where != Where::crowded || situation.crowded()) &&
           (rule.where != Where::mixed_nodes || situation.mixed()) &&
           (rule.where != Where::read_in_place || situation.read_in_place) &&
           (rule.min_nodes == 1 || situation.nodes() >= rule.min_nodes) &&
           (rule.max_nodes == kAnyRanks || situation.nodes() <= rule.max_nodes) &&
           is_met(rule.needs, situation) && (rule.min_ranks == 1 || situation.ranks >= rule.min_ranks) &&
           situation.ranks <= rule.max_ranks &&
           (rule.min_bytes == 0 || situation.size_bytes >= rule.min_bytes) &&
           situation.size_bytes <= rule.max_bytes;
}

}  // namespace tutti::collectives
