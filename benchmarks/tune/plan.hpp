// What tuning decides without measuring: which algorithms to try, and the rules that follow from their times.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

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

/// The times of a size's trials: medians, in us.
struct Times {
    std::size_t size_bytes = 0;
    std::vector<Trial> trials;
    std::vector<double> us;

    /// The fastest, unless the table's choice is within 5 % of it: what noise decides stays as it is. Of
    /// those that need no board where `only_messages`.
    const Trial& winner(bool only_messages = false) const;
};

/// The rules of one collective, for as many ranks and sizes as were measured; sizes in between go to the
/// nearer one, by their ratio. `by_size`: ascending, not empty.
nlohmann::ordered_json rules_of(const Surroundings& where, const std::vector<Times>& by_size);

}  // namespace tutti::bench
