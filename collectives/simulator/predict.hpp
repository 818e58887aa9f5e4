// The cost of an algorithm by the cost model, for any number of ranks and bytes: the simulator runs it
// without its data.
#pragma once

#include <cstddef>
#include <string_view>

#include "collectives/simulator/cost_model.hpp"

namespace tutti::collectives::simulator {

/// A call whose cost is predicted.
struct PredictedCall {
    int ranks = 1;
    std::size_t size_bytes = 0;      // as in collectives.hpp: of the buffer, of all blocks, or of one
    const NodeMap* nodes = nullptr;  // one node without it
    bool commutative = true;
    std::size_t most_messages = std::numeric_limits<std::size_t>::max();  // limit of messages
};

struct Prediction {
    bool given_up = false;  // too many messages or gigabytes of data: other figures are undefined
    double time_ns = 0;     // until the last rank has ended, all starting at once
    std::size_t messages = 0;
    std::size_t bytes = 0;
    std::size_t messages_between_nodes = 0;
    std::size_t bytes_between_nodes = 0;
};

/// `collective` is a place in AllCollectives; the root, if any, is rank 0. The figures of bytes and times are
/// exact to a few percent if data is cut into blocks, else exact. Takes less than a microsecond a message.
/// Throws tutti::Error (invalid_argument) if the collective has no such algorithm or the algorithm needs a
/// board, and the algorithm's own errors.
Prediction predict(unsigned collective, std::string_view algorithm, std::size_t segment_bytes,
                   const PredictedCall& call, const CostModel& model);

}  // namespace tutti::collectives::simulator
