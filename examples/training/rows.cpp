#include "rows.hpp"

#include <algorithm>

#include "../sgd/network.hpp"

namespace training {
namespace {

// Rows in the order of the weights: a pixel's weights to all hidden units, the units' biases, a unit's
// weights to all digits, the digits' biases.
constexpr std::size_t kLongRows = sgd::kPixels + 1;
constexpr std::size_t kShortRows = sgd::kHidden + 1;

}  // namespace

Rows::Rows(std::vector<std::uint32_t> numbers) : numbers_(std::move(numbers))
{
    for (const std::size_t number : numbers_) {
        const std::size_t long_ones = std::min(number, kLongRows);
        const std::size_t before = long_ones * sgd::kHidden + (number - long_ones) * sgd::kDigits;
        offsets_.push_back(static_cast<std::ptrdiff_t>(before));
        lengths_.push_back(number < kLongRows ? sgd::kHidden : sgd::kDigits);
    }
}

Rows::Rows(const sgd::Dataset& data, std::span<const std::size_t> images)
    : Rows([&] {
          std::vector<std::uint32_t> numbers;
          for (std::uint32_t row = 0; row < kLongRows + kShortRows; ++row) {
              const auto has_ink = [&](std::size_t image) { return data.image(image)[row] != 0; };
              if (row >= sgd::kPixels || std::ranges::any_of(images, has_ink))
                  numbers.push_back(row);
          }
          return numbers;
      }())
{
}

void Rows::add(std::span<const float> gradient, std::span<float> sum) const
{
    for (std::size_t row = 0; row < numbers_.size(); ++row) {
        const auto begin = static_cast<std::size_t>(offsets_[row]);
        for (std::size_t i = begin; i < begin + lengths_[row]; ++i)
            sum[i] += gradient[i];
    }
}

}  // namespace training
