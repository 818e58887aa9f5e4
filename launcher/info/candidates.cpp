#include "launcher/info/candidates.hpp"

#include <algorithm>
#include <limits>

namespace tutti::info {

using collectives::AlgorithmTraits;
using collectives::Situation;
using collectives::simulator::PredictedCall;
using collectives::simulator::Prediction;

namespace {

double order(const Candidate& candidate)
{
    return candidate.prediction ? candidate.prediction->time_ns : std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<Candidate> candidates(unsigned collective, const Situation& situation, const Explanation& chosen,
                                  std::size_t most_messages, const collectives::simulator::CostModel& model)
{
    const PredictedCall call{.ranks = situation.ranks,
                             .size_bytes = situation.size_bytes,
                             .nodes = situation.placement.nodes,
                             .commutative = situation.commutative,
                             .most_messages = most_messages};
    std::vector<Candidate> all;
    for (const AlgorithmTraits& algorithm : collectives::catalogue()[collective].algorithms) {
        Candidate& one = all.emplace_back();
        one.algorithm = algorithm.name;
        if (algorithm.has_segments)
            one.segment_bytes =
                algorithm.name == chosen.algorithm ? chosen.segment_bytes : collectives::kDefaultSegmentBytes;
        if (!is_met(algorithm.needs, situation)) {
            one.remark = "cannot do this call";
        } else if (needs_board(algorithm.needs)) {
            one.remark = "not in the model, which has a core for every rank";
        } else {
            const Prediction made = predict(collective, algorithm.name, one.segment_bytes, call, model);
            if (made.given_up)
                one.remark = "given up: too many messages (--messages) or bytes";
            else
                one.prediction = made;
        }
    }
    std::ranges::stable_sort(all, {}, order);
    return all;
}

}  // namespace tutti::info
