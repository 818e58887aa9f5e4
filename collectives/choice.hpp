// Which algorithm a collective call uses: that of the first rule that fits. Rules of the environment come
// first, then what the call itself names, then the rules of a file (rules_file.hpp) and of the table
// (rules.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/rules_file.hpp"

namespace tutti::collectives {

namespace detail {

/// A comparison of constants for each rule: no loop over a table in memory.
template <class Collective, std::size_t... kIndex>
Selection first_of_table(const Situation& situation, std::index_sequence<kIndex...>) noexcept
{
    Selection found;
    static_cast<void>(((fits(kTable<Collective>[kIndex], situation) &&
                        ((found = kTable<Collective>[kIndex].selection()), true)) ||
                       ...));
    return found;
}

}  // namespace detail

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
    Choice(const char* (*environment)(const char* variable), RulesFile file);

    /// Throws tutti::Error (invalid_argument) where the call names an algorithm that cannot do it.
    template <class Collective>
    Selection choose(const Situation& situation) const
    {
        if (situation.named || !own_.of[index_of<Collective>].empty()) [[unlikely]]
            if (const Selection found = before_table(index_of<Collective>, situation))
                return found;
        return detail::first_of_table<Collective>(situation,
                                                  std::make_index_sequence<Collective::kRules.size()>());
    }

    /// Of the collective at a place in AllCollectives, the rules that come before the table's.
    std::span<const Rule> own_rules(unsigned collective) const noexcept { return own_.of[collective]; }
    /// Of rules; empty where there is none.
    const std::string& file() const noexcept { return own_.file; }
    /// Equal where environment and file leave the same choices; others' are almost always different.
    std::uint32_t fingerprint() const noexcept { return fingerprint_; }
    /// The variables that have a part in it: "TUTTI_SCAN=flat, TUTTI_RULES=rules.json", "no TUTTI_ variable".
    std::string describe() const;

private:
    /// None where the table decides.
    Selection before_table(unsigned collective, const Situation& situation) const;

    RulesFile own_;  // a rule of the environment, then those of the file
    std::uint32_t fingerprint_ = 0;
};

/// This process's choice, from its environment. Made at the first call, which therefore throws as Choice
/// does: call it when the process starts, so that a wrong name is reported there.
const Choice& choice();

}  // namespace tutti::collectives
