#include "training.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>

#include "network.hpp"

namespace sgd {
namespace {

// This rank's part of [0, count): parts differ by one at most, and some are empty when there are more ranks
// than items.
struct Part {
    std::size_t begin;
    std::size_t end;

    Part(const tutti::Communicator& communicator, std::size_t count)
        : begin(cut(communicator.rank(), communicator.size(), count)),
          end(cut(communicator.rank() + 1, communicator.size(), count))
    {
    }

private:
    static std::size_t cut(int part, int parts, std::size_t count)
    {
        return count * static_cast<std::size_t>(part) / static_cast<std::size_t>(parts);
    }
};

double accuracy(const tutti::Communicator& communicator, std::span<const float> weights, const Dataset& test)
{
    const Part mine(communicator, test.size());
    long correct = 0;
    for (std::size_t i = mine.begin; i < mine.end; ++i)
        correct += classify(weights, test.image(i)) == test.labels[i] ? 1 : 0;
    correct = tutti::allreduce(communicator, correct, tutti::sum);
    return static_cast<double>(correct) / static_cast<double>(test.size());
}

// One pass over the training images in the given order; returns this rank's part of the sum of losses.
double run_epoch(const tutti::Communicator& communicator, const Dataset& train,
                 std::span<const std::size_t> order, const TrainingOptions& options, Exchange& exchange,
                 std::vector<float>& weights, EpochReport& report)
{
    const std::vector<Bucket> buckets = make_buckets(options.buckets);
    std::vector<float> gradient(weights.size());
    double loss = 0;
    for (std::size_t begin = 0; begin < order.size(); begin += options.batch) {
        const auto batch = order.subspan(begin, std::min(options.batch, order.size() - begin));
        const Part mine(communicator, batch.size());

        const double start = tutti::wall_time();
        Pass pass(weights, train, batch.subspan(mine.begin, mine.end - mine.begin));
        double exchanging = 0;
        for (const Bucket& bucket : buckets) {
            pass.backward(bucket, gradient);
            const double computed = tutti::wall_time();
            exchange.ready(bucket, gradient);
            exchanging += tutti::wall_time() - computed;
        }
        loss += pass.loss();
        const double computed = tutti::wall_time();
        exchange.update(weights, gradient, options.learning_rate / static_cast<float>(batch.size()));
        exchanging += tutti::wall_time() - computed;

        report.compute_seconds += tutti::wall_time() - start - exchanging;
        report.communication_seconds += exchanging;
    }
    return loss;
}

}  // namespace

double TrainingResult::compute_seconds() const
{
    return std::accumulate(epochs.begin(), epochs.end(), 0.0,
                           [](double sum, const EpochReport& epoch) { return sum + epoch.compute_seconds; });
}

double TrainingResult::communication_seconds() const
{
    return std::accumulate(epochs.begin(), epochs.end(), 0.0, [](double sum, const EpochReport& epoch) {
        return sum + epoch.communication_seconds;
    });
}

TrainingResult train(const tutti::Communicator& communicator, const Split& data,
                     const TrainingOptions& options, Exchange& exchange)
{
    TrainingResult result;
    result.weights = initial_weights(options.seed);

    // The same seed gives every rank the same order without a message.
    std::mt19937 random(options.seed);
    std::vector<std::size_t> order(data.train.size());
    std::iota(order.begin(), order.end(), std::size_t{0});

    for (int epoch = 0; epoch < options.epochs; ++epoch) {
        std::shuffle(order.begin(), order.end(), random);
        EpochReport report;
        const double loss =
            run_epoch(communicator, data.train, order, options, exchange, result.weights, report);

        report.loss =
            tutti::allreduce(communicator, loss, tutti::sum) / static_cast<double>(data.train.size());
        report.accuracy = accuracy(communicator, result.weights, data.test);
        report.compute_seconds = tutti::allreduce(communicator, report.compute_seconds, tutti::max);
        report.communication_seconds =
            tutti::allreduce(communicator, report.communication_seconds, tutti::max);
        result.epochs.push_back(report);
    }
    return result;
}

}  // namespace sgd
