// Steps of gradient descent with the network of examples/sgd, for programs with a loop of their own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "../sgd/dataset.hpp"
#include "part.hpp"

namespace training {

/// The numbers of each step's images: of `batch` images a step, in an order that is new in each epoch and the
/// same on all ranks.
std::vector<std::vector<std::size_t>> make_steps(std::size_t images, int epochs, std::size_t batch);

/// A part of the mean gradient of a step's images; the parts add up to the whole.
std::vector<float> mean_gradient(std::span<const float> weights, const sgd::Dataset& data,
                                 std::span<const std::size_t> images, Part part);

/// weights -= rate * gradient
void take_step(std::span<float> weights, std::span<const float> gradient, float rate);

/// The share of images that the network recognises.
double accuracy(std::span<const float> weights, const sgd::Dataset& test);

}  // namespace training
