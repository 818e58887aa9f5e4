// What an algorithm costs by the cost model, for any number of ranks and bytes: it is run on the simulator,
// without its data.
#pragma once

#include <cstddef>
#include <string_view>

#include "collectives/simulator/cost_model.hpp"

namespace tutti::collectives::simulator {

/// A call whose cost is asked for.
struct PredictedCall {
    int ranks = 1;
    std::size_t size_bytes = 0;      // as collectives.hpp has it: of the buffer, of all blocks, or of one
    const NodeMap* nodes = nullptr;  // one node without it
    bool commutative = true;
    std::size_t most_messages = std::numeric_limits<std::size_t>::max();  // give up after so many
};

struct Prediction {
    bool given_up = false;  // more than most_messages, or data for gigabytes: no other figure means anything
    double time_ns = 0;     // until the last rank has ended, all starting at once
    std::size_t messages = 0;
    std::size_t bytes = 0;
    std::size_t messages_between_nodes = 0;
    std::size_t bytes_between_nodes = 0;
};

/// `collective` is a place in AllCollectives; the root, where there is one, is rank 0. The figures of bytes
/// and times are exact to a few percent where data is cut into blocks, else exact. Takes less than a
/// microsecond a message. Throws tutti::Error (invalid_argument) where the collective has no such algorithm,
/// or one that needs a board, and what the algorithm throws.
Prediction predict(unsigned collective, std::string_view algorithm, std::size_t segment_bytes,
                   const PredictedCall& call, const CostModel& model);

}  // namespace tutti::collectives::simulator
