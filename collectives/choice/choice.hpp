// The choice of a collective call's algorithm: that of the first rule that fits. Rules of the environment
// come first, then the call's own option, then the rules of a file (rules_file.hpp) and of the table
// (rules.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "collectives/choice/algorithms.hpp"
#include "collectives/choice/rules_file.hpp"

namespace tutti::collectives {

namespace detail {

/// Compares constants for each rule: no loop over a table in memory.
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

/// The choice for every collective. Built once in a process, used at every call.
class Choice {
public:
    /// `environment` works as std::getenv. A collective's variable (TUTTI_ALLREDUCE) names the algorithm for
    /// all calls that it can do: `ring`, or with a segment size `chain:65536`. Unset or empty leaves the
    /// choice to the rules. TUTTI_RULES names a file of rules that precede the table (rules_file.hpp). Throws
    /// tutti::Error (invalid_argument) with the known names for an unknown one.
    explicit Choice(const char* (*environment)(const char* variable));
    /// Uses the rules of a file that has been read.
    Choice(const char* (*environment)(const char* variable), RulesFile file);

    /// Throws tutti::Error (invalid_argument) if the call names an algorithm that cannot do it.
    template <class Collective>
    Selection choose(const Situation& situation) const
    {
        if (situation.named || !own_.of[index_of<Collective>].empty()) [[unlikely]]
            if (const Selection found = before_table(index_of<Collective>, situation))
                return found;
        return detail::first_of_table<Collective>(situation,
                                                  std::make_index_sequence<Collective::kRules.size()>());
    }

    /// The rules that precede the table, by the collective's place in AllCollectives.
    std::span<const Rule> own_rules(unsigned collective) const noexcept { return own_.of[collective]; }
    /// The file of rules; empty: none.
    const std::string& file() const noexcept { return own_.file; }
    /// Equal if environment and file make the same choices; otherwise almost always different.
    std::uint32_t fingerprint() const noexcept { return fingerprint_; }
    /// The variables that affect the choice: "TUTTI_SCAN=flat, TUTTI_RULES=rules.json", "no TUTTI_ variable".
    std::string describe() const;

private:
    /// Empty if the table decides.
    Selection before_table(unsigned collective, const Situation& situation) const;

    RulesFile own_;  // a rule of the environment, then those of the file
    std::uint32_t fingerprint_ = 0;
};

/// This process's choice, from its environment. The first call makes it and throws as Choice does: make that
/// call at the start of the process, which reports a wrong name there.
const Choice& choice();

}  // namespace tutti::collectives
