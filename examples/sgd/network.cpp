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

// weights' gradient += inputs x slopes
template <std::size_t kOutputs>
void add_outer_product(std::span<const float> inputs, const float* slopes, float* gradient)
{
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        for (std::size_t j = 0; j < kOutputs; ++j)
            gradient[i * kOutputs + j] += inputs[i] * slopes[j];
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

std::vector<Bucket> make_buckets(std::size_t count)
{
    constexpr std::size_t kHiddenWeights = kPixels * kHidden;
    if (count == 1)
        return {{0, kWeights}};
    std::vector<Bucket> buckets = {{kHiddenWeights, kWeights}};
    const std::size_t slices = count - 1;
    for (std::size_t i = 0; i < slices; ++i)
        buckets.push_back({kPixels * i / slices * kHidden, kPixels * (i + 1) / slices * kHidden});
    return buckets;
}

Pass::Pass(std::span<const float> weights, const Dataset& data, std::span<const std::size_t> images)
    : weights_(weights),
      data_(data),
      images_(images),
      hidden_(images.size() * kHidden),
      hidden_slopes_(images.size() * kHidden),
      digit_slopes_(images.size() * kDigits)
{
    const Layers<const float> layers(weights);
    for (std::size_t n = 0; n < images.size(); ++n) {
        const Activations active = forward(layers, data.image(images[n]));
        std::ranges::copy(active.hidden, &hidden_[n * kHidden]);
        // The slope of cross entropy after softmax is simply the probability less the truth.
        Digits slope = softmax(active.scores);
        const auto correct = static_cast<std::size_t>(data.labels[images[n]]);
        loss_ -= std::log(std::max(slope[correct], 1e-30f));
        slope[correct] -= 1.0f;
        std::ranges::copy(slope, &digit_slopes_[n * kDigits]);
    }
}

void Pass::backward(const Bucket& bucket, std::span<float> gradient)
{
    std::ranges::fill(bucket.of(gradient), 0.0f);
    if (bucket.end == kWeights)
        output_layer(gradient);
    hidden_rows(bucket.begin / kHidden, std::min(bucket.end / kHidden, kPixels), gradient);
}

// With the hidden units' slopes, and all biases.
void Pass::output_layer(std::span<float> gradient)
{
    const Layers<const float> layers(weights_);
    const Layers<float> sums(gradient);
    for (std::size_t n = 0; n < images_.size(); ++n) {
        const std::span<const float> active(&hidden_[n * kHidden], kHidden);
        const float* const slope = &digit_slopes_[n * kDigits];
        float* const hidden_slope = &hidden_slopes_[n * kHidden];
        add_outer_product<kDigits>(active, slope, sums.output);
        for (std::size_t j = 0; j < kDigits; ++j)
            sums.output_bias[j] += slope[j];
        for (std::size_t i = 0; i < kHidden; ++i) {
            for (std::size_t j = 0; j < kDigits; ++j)
                hidden_slope[i] += layers.output[i * kDigits + j] * slope[j];
            hidden_slope[i] *= 1.0f - active[i] * active[i];  // tanh' = 1 - tanh^2
            sums.hidden_bias[i] += hidden_slope[i];
        }
    }
}

// The weights of some pixels, a row each.
void Pass::hidden_rows(std::size_t first, std::size_t last, std::span<float> gradient) const
{
    if (first == last)
        return;
    for (std::size_t n = 0; n < images_.size(); ++n) {
        const Image image = data_.image(images_[n]);
        add_outer_product<kHidden>(image.subspan(first, last - first), &hidden_slopes_[n * kHidden],
                                   &gradient[first * kHidden]);
    }
}

int classify(std::span<const float> weights, Image image)
{
    const Activations active = forward(Layers<const float>(weights), image);
    return static_cast<int>(std::ranges::max_element(active.scores) - active.scores.begin());
}

}  // namespace sgd
