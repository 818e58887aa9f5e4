// What the programs `server` and `worker` say to each other. The weights are rows of floats: one for each
// pixel, unit and layer's biases. A worker pulls and pushes the rows that its images need: a pixel that is
// white in all of them has no gradient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tutti/tutti.hpp>
#include <vector>

#include "../sgd/dataset.hpp"

namespace training {

inline constexpr int kServer = 0;

/// A pull is the numbers of rows; the server answers with kValues. A push is the numbers of rows, and kValues
/// behind.
enum Tag { kPull = 1, kPush = 2, kValues = 3 };

/// When the server answers a worker that is ahead of others.
enum class Mode {
    bulk,   // when all have made as many steps, whose gradients it adds up in the order of ranks
    stale,  // when the slowest is at most so many steps behind
    free,   // at once
};

/// What the server is told in its command line, and tells the workers.
struct Plan {
    Mode mode = Mode::bulk;
    std::size_t staleness = 0;  // steps, in mode stale
    int epochs = 10;
    std::size_t batch = 64;  // images a step, over all workers together
    float learning_rate = 0.3f;
};

/// Some rows of the network's weights, or of their gradient.
class Rows {
public:
    Rows() = default;
    explicit Rows(std::vector<std::uint32_t> numbers);
    /// Those that matter to some images.
    Rows(const sgd::Dataset& data, std::span<const std::size_t> images);

    const std::vector<std::uint32_t>& numbers() const { return numbers_; }
    /// What is sent or received of all weights: these rows, one behind the other.
    tutti::LayoutView<float> of(std::span<float> all) const
    {
        return tutti::indexed(all.data(), offsets_, lengths_);
    }
    /// sum += gradient, in these rows.
    void add(std::span<const float> gradient, std::span<float> sum) const;

private:
    std::vector<std::uint32_t> numbers_;
    std::vector<std::ptrdiff_t> offsets_;  // floats before each row
    std::vector<std::size_t> lengths_;
};

}  // namespace training
