#include "asynchronous.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>

#include "../sgd/network.hpp"

namespace parameter_server {

namespace {

tutti::LockedWindow<std::int64_t> begun(const tutti::Communicator& world, tutti::Window<std::int64_t>& window)
{
    std::ranges::fill(window.local(), 0);
    world.barrier();
    return window.lock_all();
}

// A rank's sums, from which all make the progress together.
struct Part {
    double loss = 0;
    double samples = 0;
    double staleness = 0;
    double steps = 0;
    double seconds = 0;
};

std::vector<Progress> together(const tutti::Communicator& world, std::span<const Part> parts)
{
    std::vector<Progress> progress;
    for (const Part& part : parts) {
        std::vector<double> sums = {part.loss, part.samples, part.staleness, part.steps};
        world.allreduce(sums, tutti::sum);
        progress.push_back({sums[0] / std::max(sums[1], 1.0),
                            tutti::allreduce(world, part.seconds, tutti::max),
                            sums[2] / std::max(sums[3], 1.0)});
    }
    return progress;
}

std::vector<std::size_t> shuffled(std::size_t count, unsigned seed)
{
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(seed);
    for (std::size_t i = count; i > 1; --i)
        std::swap(order[i - 1], order[random() % i]);
    return order;
}

// Small rows make batches of many, as those of larger models are.
constexpr std::size_t kDigitsWidth = 10;
static_assert(sgd::kWeights % kDigitsWidth == 0);

constexpr std::size_t kRowsOfSample = 8;
constexpr std::size_t kBatch = 16;
constexpr float kSparseRate = 0.1f;

// The row that training should find: numbers from -1 to 1 that follow from its own.
float truth(std::size_t row, std::size_t column)
{
    std::uint64_t mixed = (row * 64 + column + 1) * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 29;
    return static_cast<float>(mixed % 2001) / 1000.0f - 1.0f;
}

// Fills `steps` with what the batch wants to change, and returns its loss.
double sparse_gradient(std::span<const std::size_t> rows, std::size_t width, std::span<const float> weights,
                       std::span<float> steps)
{
    double loss = 0;
    for (std::size_t begin = 0; begin < rows.size(); begin += kRowsOfSample) {
        for (std::size_t column = 0; column < width; ++column) {
            float error = 0;
            for (std::size_t i = begin; i < begin + kRowsOfSample; ++i)
                error += weights[i * width + column] - truth(rows[i], column);
            for (std::size_t i = begin; i < begin + kRowsOfSample; ++i)
                steps[i * width + column] = -kSparseRate * error / kRowsOfSample;
            loss += error * error / static_cast<double>(width);
        }
    }
    return loss;
}

}  // namespace

Clock::Clock(const tutti::Communicator& world)
    : window_(world, world.rank() == 0 ? 2 : 0), access_(begun(world, window_))
{
}

DigitsResult train_digits(const tutti::Communicator& world, const sgd::Split& data,
                          const sgd::TrainingOptions& options)
{
    tutti::Table<float> table(world, sgd::kWeights / kDigitsWidth, kDigitsWidth);
    std::vector<std::size_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::vector<float> weights = sgd::initial_weights(options.seed);
    if (world.rank() == 0)
        table.push(rows, weights, tutti::replace);
    Clock clock(world);  // a barrier: the weights are there

    const std::size_t batches = (data.train.size() + options.batch - 1) / options.batch;
    std::vector<Part> epochs(static_cast<std::size_t>(options.epochs));
    std::vector<float> gradient(weights.size());
    const std::vector<sgd::Bucket> all = sgd::make_buckets(1);
    const double start = tutti::wall_time();
    std::size_t order_of = epochs.size();
    std::vector<std::size_t> order;
    for (;;) {
        const auto ticket = static_cast<std::size_t>(clock.next_ticket());
        const std::size_t epoch = ticket / batches;
        if (epoch >= epochs.size())
            break;
        if (order_of != epoch)
            order = shuffled(data.train.size(), options.seed + static_cast<unsigned>(epoch));
        order_of = epoch;
        const std::size_t begin = ticket % batches * options.batch;
        const auto batch =
            std::span<const std::size_t>(order).subspan(begin, std::min(options.batch, order.size() - begin));

        const std::int64_t pulled_at = clock.now();
        table.pull(rows, weights);
        sgd::Pass pass(weights, data.train, batch);
        pass.backward(all.front(), gradient);
        for (float& element : gradient)
            element *= -options.learning_rate / static_cast<float>(batch.size());
        table.push(rows, gradient, tutti::sum);

        Part& part = epochs[epoch];
        part.staleness += static_cast<double>(clock.step() - pulled_at);
        part.steps += 1;
        part.loss += pass.loss();
        part.samples += static_cast<double>(batch.size());
        part.seconds = tutti::wall_time() - start;
    }
    world.barrier();
    DigitsResult result{together(world, epochs)};
    table.pull(rows, weights);
    std::size_t right = 0;
    for (std::size_t i = 0; i < data.test.size(); ++i)
        right += sgd::classify(weights, data.test.image(i)) == data.test.labels[i] ? 1 : 0;
    result.accuracy = static_cast<double>(right) / static_cast<double>(data.test.size());
    world.barrier();  // nobody ends the table while another reads it
    return result;
}

std::vector<Progress> train_sparse(const tutti::Communicator& world, const SparseOptions& options)
{
    tutti::Table<float> table(world, options.rows, options.width);
    Clock clock(world);
    std::mt19937_64 random(static_cast<unsigned>(world.rank()) + 1);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    std::vector<std::size_t> rows(kBatch * kRowsOfSample);
    std::vector<float> weights(rows.size() * options.width);
    std::vector<float> steps(weights.size());
    std::vector<Part> parts(10);
    const double start = tutti::wall_time();
    for (int step = 0; step < options.steps; ++step) {
        for (std::size_t& row : rows) {
            const double place = uniform(random);
            row = std::min(options.rows - 1, static_cast<std::size_t>(place * place * place *
                                                                      static_cast<double>(options.rows)));
        }
        const std::int64_t pulled_at = clock.now();
        table.pull(rows, weights);
        const double loss = sparse_gradient(rows, options.width, weights, steps);
        table.push(rows, steps, tutti::sum);

        Part& part = parts[static_cast<std::size_t>(10 * step / options.steps)];
        part.staleness += static_cast<double>(clock.step() - pulled_at);
        part.steps += 1;
        part.loss += loss;
        part.samples += kBatch;
        part.seconds = tutti::wall_time() - start;
    }
    return together(world, parts);
}

}  // namespace parameter_server
