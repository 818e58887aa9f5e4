#include "steps.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "../sgd/network.hpp"

namespace training {

std::vector<std::vector<std::size_t>> make_steps(std::size_t images, int epochs, std::size_t batch)
{
    std::vector<std::size_t> order(images);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);
    std::vector<std::vector<std::size_t>> steps;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        std::ranges::shuffle(order, random);
        for (std::size_t begin = 0; begin < images; begin += batch) {
            const auto some = std::span(order).subspan(begin, std::min(batch, images - begin));
            steps.emplace_back(some.begin(), some.end());
        }
    }
    return steps;
}

std::vector<float> mean_gradient(std::span<const float> weights, const sgd::Dataset& data,
                                 std::span<const std::size_t> images, Part part)
{
    sgd::Pass pass(weights, data, images.subspan(part.begin, part.size()));
    std::vector<float> gradient(weights.size());
    pass.backward(sgd::make_buckets(1).front(), gradient);
    for (float& element : gradient)
        element /= static_cast<float>(images.size());
    return gradient;
}

void take_step(std::span<float> weights, std::span<const float> gradient, float rate)
{
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] -= rate * gradient[i];
}

double accuracy(std::span<const float> weights, const sgd::Dataset& test)
{
    std::size_t right = 0;
    for (std::size_t i = 0; i < test.size(); ++i)
        right += sgd::classify(weights, test.image(i)) == test.labels[i] ? 1 : 0;
    return static_cast<double>(right) / static_cast<double>(test.size());
}

}  // namespace training
