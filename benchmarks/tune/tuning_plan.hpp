// What tuning decides without measuring: which algorithms to try, and the rules that follow from their times.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/compare/ratio.hpp"
#include "tutti/introspection.hpp"

namespace tutti::bench {

/// One way to do a call.
struct Trial {
    std::string_view algorithm;
    std::size_t segment_bytes = 0;  // 0: it has none
    bool on_board = false;

    bool operator==(const Trial&) const = default;
};

/// "chain:32768", as a call's option has it.
std::string to_string(const Trial& trial);

/// Where the job runs.
struct Surroundings {
    int ranks = 1;
    bool crowded = false;                // more ranks than cores
    std::vector<int> node_of_rank = {};  // where there are several

    int nodes() const;
};

/// What can do a call of `size_bytes` (as CallSituation has it). The first one is the table's own choice.
std::vector<Trial> trials(std::string_view collective, const Surroundings& where, std::size_t size_bytes);

/// The times of a size's trials, in us: the median of each start of the program. Trials of a start take
/// turns, so that the starts are rounds in the sense of compare/ratio.hpp, which says by what an interval is
/// made.
struct Times {
    std::size_t size_bytes = 0;
    std::vector<Trial> trials;
    std::vector<Rounds> us;

    /// Over the table's choice, whose time is below the others' where the ratio is above 1. Nothing without
    /// a start.
    std::optional<Ratio> beside_table(std::size_t trial) const;
    /// The fastest of those that are faster than the table's choice by 5 % and beyond noise, over five starts
    /// or more; otherwise the table's choice: what noise decides stays as it is. Of those that need no board
    /// where `only_messages`.
    const Trial& winner(bool only_messages = false) const;
    /// Whether a trial looks faster by 5 %, but may be so by chance.
    bool undecided() const;
};

/// The least number of starts for a rule.
inline constexpr int kLeastTuneStarts = 5;

/// The rules of one collective, for as many ranks and sizes as were measured; sizes in between go to the
/// nearer one, by their ratio. None where the table's choice stays. `by_size`: ascending, not empty.
nlohmann::ordered_json rules_of(const Surroundings& where, const std::vector<Times>& by_size);

}  // namespace tutti::bench
