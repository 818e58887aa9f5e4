// Which algorithm a collective call uses: the first rule that fits (rules.hpp), or what the environment says.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/group.hpp"
#include "collectives/rules.hpp"

namespace tutti::collectives {

/// What the choice depends on. It must be equal at all ranks of a call.
struct Situation {
    int ranks = 1;
    std::size_t size_bytes = 0;
    Placement placement;
    bool commutative = true;
};

namespace detail {

/// A rule with its algorithm looked up.
struct ResolvedRule {
    Where where;
    bool commuting_only;
    bool on_board;
    int max_ranks;
    std::size_t max_bytes;
    std::size_t segment_bytes;
    std::size_t algorithm;  // index in the collective's list
};

/// Compiles only where every name is an algorithm's, segments are given to those that have them, and the last
/// rule fits every call.
template <class Collective>
consteval auto resolve()
{
    std::array<ResolvedRule, Collective::kRules.size()> resolved{};
    for (std::size_t i = 0; i < resolved.size(); ++i) {
        const Rule& rule = Collective::kRules[i];
        std::size_t index = 0;
        while (Collective::kAlgorithms[index].name != rule.algorithm) {
            ++index;
        }
        const auto& algorithm = Collective::kAlgorithms[index];
        if ((algorithm.segments == Segments::yes) != (rule.segment_bytes != 0)) {
            throw "a rule must give the segments of an algorithm that has them, and of no other";
        }
        resolved[i] = {.where = rule.where,
                       .commuting_only = algorithm.operands == Operands::commuting,
                       .on_board = algorithm.through == Through::board,
                       .max_ranks = rule.max_ranks,
                       .max_bytes = rule.max_bytes,
                       .segment_bytes = rule.segment_bytes,
                       .algorithm = index};
    }
    const ResolvedRule& last = resolved.back();
    if (last.where != Where::anywhere || last.commuting_only || last.on_board ||
        last.max_ranks != kAnyRanks || last.max_bytes != kAnyBytes) {
        throw "the last rule must fit every call";
    }
    return resolved;
}

inline bool has_board_for(const Situation& situation) noexcept
{
    const std::size_t slot_bytes = situation.placement.board_bytes;
    return slot_bytes != 0 && situation.size_bytes <= slot_bytes;
}

inline bool fits(const ResolvedRule& rule, const Situation& situation) noexcept
{
    const bool crowded = situation.placement.one_node && situation.placement.more_ranks_than_cores;
    return (rule.where == Where::anywhere || crowded) && (!rule.commuting_only || situation.commutative) &&
           (!rule.on_board || has_board_for(situation)) && situation.ranks <= rule.max_ranks &&
           situation.size_bytes <= rule.max_bytes;
}

/// The first rule that fits. A comparison of constants for each rule: no loop over a table in memory.
template <class Collective, std::size_t... kIndex>
const ResolvedRule& first_fitting(const Situation& situation, std::index_sequence<kIndex...>) noexcept
{
    static constexpr auto kResolved = resolve<Collective>();
    const ResolvedRule* found = nullptr;
    static_cast<void>(
        ((fits(kResolved[kIndex], situation) && (found = &kResolved[kIndex]) != nullptr) || ...));
    return *found;
}

}  // namespace detail

/// An algorithm of `Collective`, and the segments it is to use (0 where it has none).
template <class Collective>
struct Chosen {
    const Algorithm<typename Collective::Function>* algorithm = nullptr;
    std::size_t segment_bytes = 0;
};

/// The choice for every collective. Built once a process, then asked at every call.
class Choice {
public:
    /// `environment` answers for a variable's name as std::getenv does. A collective's variable
    /// (TUTTI_ALLREDUCE) names the algorithm that is used wherever it can do the call: `ring`, or with the
    /// size of its segments `chain:65536`. Unset or empty leaves the choice to the rules. Throws tutti::Error
    /// (invalid_argument), with the names that there are, for any other.
    explicit Choice(const char* (*environment)(const char* variable));

    template <class Collective>
    Chosen<Collective> choose(const Situation& situation) const noexcept
    {
        const auto& forced = std::get<Chosen<Collective>>(forced_);
        if (forced.algorithm != nullptr &&
            (situation.commutative || forced.algorithm->operands == Operands::any) &&
            (forced.algorithm->through == Through::messages || detail::has_board_for(situation))) {
            return forced;
        }
        constexpr auto kRules = std::make_index_sequence<Collective::kRules.size()>();
        const detail::ResolvedRule& rule = detail::first_fitting<Collective>(situation, kRules);
        return {&Collective::kAlgorithms[rule.algorithm], rule.segment_bytes};
    }

private:
    template <class List>
    struct ForEach;
    template <class... Collectives>
    struct ForEach<std::tuple<Collectives...>> {
        using Forced = std::tuple<Chosen<Collectives>...>;
    };

    ForEach<AllCollectives>::Forced forced_;  // a null algorithm where the rules decide
};

/// This process's choice, from its environment. Made at the first call, which therefore throws as Choice
/// does: call it when the process starts, so that a wrong name is reported there.
const Choice& choice();

}  // namespace tutti::collectives
