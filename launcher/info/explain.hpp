// Why a call uses the algorithm that it uses: what decided, and why what was asked before did not; and what
// each algorithm would cost, by the cost model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/choice/catalogue.hpp"
#include "collectives/choice/choice.hpp"
#include "collectives/simulator/predict.hpp"

namespace tutti::info {

/// A rule that was asked and did not fit.
struct PassedOver {
    std::string what;    // "rule 2 of the table: up to 8 KiB, crowded: flat"
    std::string reason;  // "the buffer has 1 MiB"
};

struct Explanation {
    std::string algorithm;
    std::size_t segment_bytes = 0;  // 0: none
    std::string decided_by;         // like PassedOver::what
    std::string where_copied;       // algorithm and rule of data that is not read in place; empty: the same
    std::vector<PassedOver> passed_over;
};

/// The choice for a call of the collective at a place in AllCollectives.
Explanation explain(const collectives::Choice& choice, unsigned collective,
                    const collectives::Situation& situation);

struct AlgorithmCandidate {
    std::string_view algorithm;
    std::size_t segment_bytes = 0;
    /// None where it cannot do the call, or sends more messages than were allowed.
    std::optional<collectives::simulator::Prediction> prediction;
    std::string_view remark;  // why there is none
};

/// All algorithms of the collective at a place in AllCollectives, the cheapest first. Algorithms in segments
/// take those of `chosen` where that is theirs, else the default.
std::vector<AlgorithmCandidate> candidates(unsigned collective, const collectives::Situation& situation,
                                           const Explanation& chosen, std::size_t most_messages,
                                           const collectives::simulator::CostModel& model);

}  // namespace tutti::info
