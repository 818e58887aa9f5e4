// A network of two layers: 64 pixels, 128 hidden units (tanh), 10 digits (softmax, cross entropy).
//
// tanh is smooth. Where a ReLU has its kink, one image whose sum is zero but for rounding can switch a unit
// on for some numbers of ranks and off for others, and their weights part by 1e-3.
//
// All its weights are one vector, so that a gradient is one message.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dataset.hpp"

namespace sgd {

inline constexpr std::size_t kHidden = 128;
inline constexpr std::size_t kWeights = (kPixels + 1) * kHidden + (kHidden + 1) * kDigits;

using Image = std::span<const float, kPixels>;

/// Small random weights, the same on every rank.
std::vector<float> initial_weights(unsigned seed);

/// Adds the gradient of one image's loss to `gradient` and returns the loss. Both have kWeights elements.
double add_gradient(std::span<const float> weights, Image image, int label, std::span<float> gradient);

/// The digit that the network sees.
int classify(std::span<const float> weights, Image image);

}  // namespace sgd
