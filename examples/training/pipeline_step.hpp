// Pipeline parallel: a step of stages, one after the other, that work on different micro-batches at a time,
// in the schedule "one forward, one backward" (1F1B; Narayanan et al., PipeDream, 2019).
//
// Three stages, five micro-batches; a stage's forward passes are 1 to 5, its backward passes a to e:
//
//     stage 0   1 2 3 . . a 4 b 5 c . d . e
//     stage 1     1 2 . a 3 b 4 c 5 d . e
//     stage 2       1 a 2 b 3 c 4 d 5 e
//               ----- time ----->
//
// Stage s begins with as many forward passes as there are stages behind it. From then on each forward pass is
// followed by the backward pass of the oldest micro-batch, whose memory is free then: a stage keeps at most
// stages - s of them, however many there are in a step.
#pragma once

#include <cstddef>
#include <span>
#include <tutti/tutti.hpp>

#include "../sgd/dataset.hpp"
#include "stage.hpp"

namespace training {

/// The numbers of some images.
using Images = std::span<const std::size_t>;

/// Takes all micro-batches through the stages of `pipe`, forward and backward, and adds up gradients. Called
/// by all its ranks with the same micro-batches. Returns the sum of losses on the last stage, and 0 on
/// others.
double run_step(const tutti::Communicator& pipe, Stage& stage, const sgd::Dataset& data,
                std::span<const Images> micro_batches);

}  // namespace training
