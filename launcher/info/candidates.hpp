// What each algorithm would cost for a call, by the cost model.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "collectives/simulator/predict.hpp"
#include "launcher/info/explain.hpp"

namespace tutti::info {

struct Candidate {
    std::string_view algorithm;
    std::size_t segment_bytes = 0;
    /// None where it cannot do the call, or sends more messages than were allowed.
    std::optional<collectives::simulator::Prediction> prediction;
    std::string_view remark;  // why there is none
};

/// All algorithms of the collective at a place in AllCollectives, the cheapest first. Algorithms in segments
/// take those of `chosen` where that is theirs, else the default.
std::vector<Candidate> candidates(unsigned collective, const collectives::Situation& situation,
                                  const Explanation& chosen, std::size_t most_messages,
                                  const collectives::simulator::CostModel& model);

}  // namespace tutti::info
