// Which algorithm a collective call uses: what the environment says, what the call itself names, or the first
// rule that fits: of a file (rules_file.hpp), then of the table (rules.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/group.hpp"
#include "collectives/resolved_rule.hpp"
#include "collectives/rules_file.hpp"

namespace tutti::collectives {

namespace detail {

/// Compiles only where every name is an algorithm's, segments are given to those that have them, and the last
/// rule fits every call.
template <class Collective>
consteval auto resolve()
{
    std::array<ResolvedRule, Collective::kRules.size()> resolved{};
    for (std::size_t i = 0; i < resolved.size(); ++i) {
        const Rule& rule = Collective::kRules[i];
        std::size_t index = 0;
        while (Collective::kAlgorithms[index].name != rule.algorithm)
            ++index;
        const auto& algorithm = Collective::kAlgorithms[index];
        if ((algorithm.segments == Segments::yes) != (rule.segment_bytes != 0))
            throw "a rule must give the segments of an algorithm that has them, and of no other";
        place_rule(resolved[i], rule.where);
        resolved[i].operands = algorithm.operands;
        resolved[i].through = algorithm.through;
        resolved[i].max_ranks = rule.max_ranks;
        resolved[i].max_bytes = rule.max_bytes;
        resolved[i].segment_bytes = rule.segment_bytes;
        resolved[i].algorithm = index;
    }
    const ResolvedRule& last = resolved.back();
    if (Collective::kRules.back().where != Where::anywhere || last.operands != Operands::any ||
        last.through != Through::messages || last.max_ranks != kAnyRanks || last.max_bytes != kAnyBytes)
        throw "the last rule must fit every call";
    return resolved;
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

    /// In the collective's list, from 1; 0: none.
    std::uint8_t number() const noexcept
    {
        return algorithm == nullptr ? std::uint8_t{0}
                                    : static_cast<std::uint8_t>(algorithm - Collective::kAlgorithms + 1);
    }
};

/// The algorithm at a place in the collective's list.
template <class Collective>
Chosen<Collective> chosen_at(std::size_t index, std::size_t segment_bytes) noexcept
{
    return {&Collective::kAlgorithms[index], segment_bytes};
}

/// The choice for every collective. Built once a process, then asked at every call.
class Choice {
public:
    /// `environment` answers for a variable's name as std::getenv does. A collective's variable
    /// (TUTTI_ALLREDUCE) names the algorithm that is used wherever it can do the call: `ring`, or with the
    /// size of its segments `chain:65536`. Unset or empty leaves the choice to the rules. Throws tutti::Error
    /// (invalid_argument), with the names that there are, for any other.
    /// TUTTI_RULES names a file of rules that come before the table's (rules_file.hpp).
    explicit Choice(const char* (*environment)(const char* variable));
    /// With the rules of a file that has been read.
    Choice(const char* (*environment)(const char* variable), FileRules rules);

    /// Throws tutti::Error (invalid_argument) where the call names an algorithm that cannot do it.
    template <class Collective>
    Chosen<Collective> choose(const Situation& situation) const
    {
        const auto& forced = std::get<Chosen<Collective>>(forced_);
        if (forced.algorithm != nullptr &&
            has_what_it_needs(forced.algorithm->operands, forced.algorithm->through, situation))
            return forced;
        if (situation.asked) [[unlikely]] {
            check_asked(index_of<Collective>, situation);
            return chosen_at<Collective>(situation.asked.number - 1u, situation.asked.segment_bytes);
        }
        for (const ResolvedRule& rule : from_file_.of[index_of<Collective>])
            if (fits(rule, situation))
                return chosen_at<Collective>(rule.algorithm, rule.segment_bytes);
        constexpr auto kRules = std::make_index_sequence<Collective::kRules.size()>();
        const ResolvedRule& rule = detail::first_fitting<Collective>(situation, kRules);
        return chosen_at<Collective>(rule.algorithm, rule.segment_bytes);
    }

    /// The algorithm that the environment names for the collective at a place in AllCollectives; empty where
    /// it names none.
    std::string_view forced(unsigned collective) const noexcept;
    const FileRules& from_file() const noexcept { return from_file_; }
    /// Equal where environment and file leave the same choices; others' are almost always different.
    std::uint32_t fingerprint() const noexcept { return fingerprint_; }
    /// The variables that have a part in it: "TUTTI_SCAN=flat, TUTTI_RULES=rules.json", "no TUTTI_ variable".
    std::string describe() const;

private:
    static void check_asked(unsigned collective, const Situation& situation);

    template <class List>
    struct ForEach;
    template <class... Collectives>
    struct ForEach<std::tuple<Collectives...>> {
        using Forced = std::tuple<Chosen<Collectives>...>;
    };

    ForEach<AllCollectives>::Forced forced_;  // a null algorithm where the rules decide
    FileRules from_file_;
    std::uint32_t fingerprint_ = 0;
};

/// This process's choice, from its environment. Made at the first call, which therefore throws as Choice
/// does: call it when the process starts, so that a wrong name is reported there.
const Choice& choice();

}  // namespace tutti::collectives
