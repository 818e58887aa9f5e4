// The network of these examples, and the part of it that a rank has.
//
// 64 pixels go through kBlocks blocks, then through a layer that gives ten scores (softmax, cross entropy).
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <tutti/tutti.hpp>
#include <vector>

#include "../sgd/dataset.hpp"
#include "matrix.hpp"
#include "split_block.hpp"

namespace training {

inline constexpr std::size_t kBlocks = 4;
static_assert(kWidth == sgd::kPixels);

/// A stage of the pipeline: neighbouring blocks, and in the last one the scores. The only stage of one is the
/// whole network.
class Stage {
public:
    /// This rank's in the pipeline `pipe`, with blocks that are split over `team`.
    Stage(const tutti::Communicator& pipe, const tutti::Communicator& team);

    /// A row an image: pixels for the first stage, scores from the last.
    Matrix forward(Matrix inputs);
    /// The backward pass of the oldest forward pass that has had none.
    Matrix backward(Matrix slopes);

    /// The most forward passes that have waited for their backward pass at one time: what memory is for.
    std::size_t most_kept() const { return most_kept_; }
    /// All matrices, in order.
    std::vector<Linear*> layers();
    /// How far the weights are from the same part of the whole network.
    double difference(const Stage& whole) const;

private:
    std::size_t first_block_;
    std::vector<SplitBlock> blocks_;
    std::optional<Linear> scores_;     // in the last stage
    std::deque<Matrix> score_inputs_;  // kept for backward passes
    std::size_t kept_ = 0;
    std::size_t most_kept_ = 0;
};

/// Turns scores into slopes of the loss by them; returns the loss, summed over the images.
double loss_and_slopes(Matrix& scores, std::span<const int> labels);

}  // namespace training
