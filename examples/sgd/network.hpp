// A network of two layers: 64 pixels, 128 hidden units (tanh), 10 digits (softmax, cross entropy).
//
// tanh is smooth. Where a ReLU has its kink, one image whose sum is zero but for rounding can switch a unit
// on for some numbers of ranks and off for others, and their weights part by 1e-3.
//
// All its weights are one vector, so that a gradient is one message, or as many as it is cut into.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dataset.hpp"

namespace sgd {

inline constexpr std::size_t kHidden = 128;
inline constexpr std::size_t kWeights = (kPixels + 1) * kHidden + (kHidden + 1) * kDigits;
inline constexpr std::size_t kMostBuckets = kPixels + 1;

using Image = std::span<const float, kPixels>;

/// Small random weights, the same on every rank.
std::vector<float> initial_weights(unsigned seed);

/// A part of the vector of weights, and of its gradient.
struct Bucket {
    std::size_t begin;
    std::size_t end;

    template <class T>
    std::span<T> of(std::span<T> all) const
    {
        return all.subspan(begin, end - begin);
    }
};

/// `count` buckets (1 to kMostBuckets) in the order in which the backward pass completes them: all biases and
/// the output layer first, then the hidden layer's weights, cut evenly. With one, all together.
std::vector<Bucket> make_buckets(std::size_t count);

/// Some images on their way through the network: forward when it is made, then backward bucket by bucket.
class Pass {
public:
    /// `weights` (kWeights of them) and `data` must live as long.
    Pass(std::span<const float> weights, const Dataset& data, std::span<const std::size_t> images);

    /// Sum of the images' losses.
    double loss() const noexcept { return loss_; }

    /// Sets this bucket's part of `gradient` (kWeights elements) to that of the images' summed loss. Buckets
    /// of one make_buckets(), in its order.
    void backward(const Bucket& bucket, std::span<float> gradient);

private:
    void output_layer(std::span<float> gradient);
    void hidden_rows(std::size_t first, std::size_t last, std::span<float> gradient) const;

    std::span<const float> weights_;
    const Dataset& data_;
    std::span<const std::size_t> images_;
    // An image a row.
    std::vector<float> hidden_;         // activations
    std::vector<float> hidden_slopes_;  // of the loss, by the hidden units' sums
    std::vector<float> digit_slopes_;   // by the digits' scores
    double loss_ = 0;
};

/// The digit that the network sees.
int classify(std::span<const float> weights, Image image);

}  // namespace sgd
