#include "network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace sgd {
namespace {

using Hidden = std::array<float, kHidden>;
using Digits = std::array<float, kDigits>;

// The vector's parts in order. A layer's weights are stored input by input, so that inner loops run over
// neighbouring outputs.
template <class T>
struct Layers {
    explicit Layers(std::span<T> all)
        : hidden(all.data()),
          hidden_bias(hidden + kPixels * kHidden),
          output(hidden_bias + kHidden),
          output_bias(output + kHidden * kDigits)
    {
    }

    T* hidden;
    T* hidden_bias;
    T* output;
    T* output_bias;
};

// outputs += inputs * weights
template <std::size_t kInputs, std::size_t kOutputs>
void multiply(const float* inputs, const float* weights, std::array<float, kOutputs>& outputs)
{
    for (std::size_t i = 0; i < kInputs; ++i) {
        for (std::size_t j = 0; j < kOutputs; ++j)
            outputs[j] += inputs[i] * weights[i * kOutputs + j];
    }
}

// weights' gradient += inputs x slope
template <std::size_t kInputs, std::size_t kOutputs>
void add_outer_product(const float* inputs, const std::array<float, kOutputs>& slope, float* gradient)
{
    for (std::size_t i = 0; i < kInputs; ++i) {
        for (std::size_t j = 0; j < kOutputs; ++j)
            gradient[i * kOutputs + j] += inputs[i] * slope[j];
    }
}

struct Activations {
    Hidden hidden;
    Digits scores;
};

Activations forward(const Layers<const float>& layers, Image image)
{
    Activations result;
    std::copy_n(layers.hidden_bias, kHidden, result.hidden.begin());
    multiply<kPixels>(image.data(), layers.hidden, result.hidden);
    for (float& unit : result.hidden)
        unit = std::tanh(unit);
    std::copy_n(layers.output_bias, kDigits, result.scores.begin());
    multiply<kHidden>(result.hidden.data(), layers.output, result.scores);
    return result;
}

Digits softmax(Digits scores)
{
    const float largest = *std::ranges::max_element(scores);
    float sum = 0;
    for (float& score : scores) {
        score = std::exp(score - largest);
        sum += score;
    }
    for (float& score : scores)
        score /= sum;
    return scores;
}

}  // namespace

std::vector<float> initial_weights(unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<float> weights(kWeights, 0.0f);
    const Layers<float> layers{std::span(weights)};
    // Biases start at zero, weights such that sums of inputs have a variance near one.
    const auto fill = [&](float* first, std::size_t inputs, std::size_t outputs) {
        const float bound = std::sqrt(3.0f / static_cast<float>(inputs));
        std::uniform_real_distribution<float> uniform(-bound, bound);
        std::generate_n(first, inputs * outputs, [&] { return uniform(random); });
    };
    fill(layers.hidden, kPixels, kHidden);
    fill(layers.output, kHidden, kDigits);
    return weights;
}

double add_gradient(std::span<const float> weights, Image image, int label, std::span<float> gradient)
{
    const Layers<const float> layers(weights);
    const Layers<float> slopes(gradient);
    const Activations active = forward(layers, image);
    Digits digit_slope = softmax(active.scores);
    const auto correct = static_cast<std::size_t>(label);
    const double loss = -std::log(std::max(digit_slope[correct], 1e-30f));

    // The slope of cross entropy after softmax is simply the probability less the truth.
    digit_slope[correct] -= 1.0f;
    add_outer_product<kHidden>(active.hidden.data(), digit_slope, slopes.output);
    for (std::size_t j = 0; j < kDigits; ++j)
        slopes.output_bias[j] += digit_slope[j];

    Hidden hidden_slope{};
    for (std::size_t i = 0; i < kHidden; ++i) {
        for (std::size_t j = 0; j < kDigits; ++j)
            hidden_slope[i] += layers.output[i * kDigits + j] * digit_slope[j];
        hidden_slope[i] *= 1.0f - active.hidden[i] * active.hidden[i];  // tanh' = 1 - tanh^2
    }
    add_outer_product<kPixels>(image.data(), hidden_slope, slopes.hidden);
    for (std::size_t i = 0; i < kHidden; ++i)
        slopes.hidden_bias[i] += hidden_slope[i];
    return loss;
}

int classify(std::span<const float> weights, Image image)
{
    const Activations active = forward(Layers<const float>(weights), image);
    return static_cast<int>(std::ranges::max_element(active.scores) - active.scores.begin());
}

}  // namespace sgd
