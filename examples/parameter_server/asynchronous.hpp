// Stochastic gradient descent in which no rank waits for another: each pulls weights, computes a gradient and
// pushes its step, while others do the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tutti/tutti.hpp>
#include <vector>

#include "../sgd/dataset.hpp"
#include "../sgd/training.hpp"

namespace parameter_server {

/// Counts the steps of all ranks. How many others were made between a rank's pull and its push is the
/// staleness of its gradient.
class Clock {
public:
    explicit Clock(const tutti::Communicator& world);

    /// The steps so far.
    std::int64_t now() { return access_[0].fetch_and_op(0, kSteps, tutti::no_op); }
    /// Counts a step; the steps before it.
    std::int64_t step() { return access_[0].fetch_and_op(1, kSteps, tutti::sum); }
    /// The next piece of work, of which every number goes to one rank.
    std::int64_t next_ticket() { return access_[0].fetch_and_op(1, kTickets, tutti::sum); }

private:
    static constexpr std::size_t kSteps = 0;
    static constexpr std::size_t kTickets = 1;

    tutti::Window<std::int64_t> window_;
    tutti::LockedWindow<std::int64_t> access_;
};

/// What all ranks together did in a part of the training.
struct Progress {
    double loss = 0;       // mean over the samples, each seen before the step that it took part in
    double seconds = 0;    // from the beginning of the training to the end of this part
    double staleness = 0;  // mean over the steps
};

struct DigitsResult {
    std::vector<Progress> epochs;
    double accuracy = 0;  // share of the test images recognised at the end
};

/// The network of examples/sgd, whose weights are a table. A batch is one rank's.
DigitsResult train_digits(const tutti::Communicator& world, const sgd::Split& data,
                          const sgd::TrainingOptions& options);

struct SparseOptions {
    std::size_t rows = 10'000;
    std::size_t width = 8;
    int steps = 300;  // of each rank
};

/// A model of many rows, of which a sample needs eight: its outputs are their sum, and should be that of the
/// true rows. Few rows are in many samples, many in few. In ten parts of equally many steps.
std::vector<Progress> train_sparse(const tutti::Communicator& world, const SparseOptions& options);

}  // namespace parameter_server
