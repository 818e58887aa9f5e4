// Data-parallel stochastic gradient descent: one loop for any number of ranks and any exchange.
#pragma once

#include <cstddef>
#include <tutti/tutti.hpp>
#include <vector>

#include "dataset.hpp"
#include "exchange.hpp"

namespace sgd {

struct TrainingOptions {
    int epochs = 20;
    std::size_t batch = 64;  // images a step, over all ranks together
    float learning_rate = 0.3f;
    unsigned seed = 1;
    std::size_t buckets = 1;  // that the gradient is cut into
};

struct EpochReport {
    double loss = 0;             // mean over the epoch's images, each seen before the step it took part in
    double accuracy = 0;         // share of the test images recognised after the epoch
    double compute_seconds = 0;  // of the slowest rank
    double communication_seconds = 0;  // likewise; includes waiting for slower ranks
};

struct TrainingResult {
    std::vector<float> weights;
    std::vector<EpochReport> epochs;

    /// Of the slowest ranks, over all epochs.
    double compute_seconds() const;
    double communication_seconds() const;
};

/// Trains from the same initial weights over the same global batches, whatever the number of ranks: each
/// takes an equal part (give or take one image) of every batch. Called by all ranks of `communicator`, all of
/// which get the result.
TrainingResult train(const tutti::Communicator& communicator, const Split& data,
                     const TrainingOptions& options, Exchange& exchange);

}  // namespace sgd
