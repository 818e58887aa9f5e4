// A model over 64-bit keys: which advertisements are clicked, by logistic regression over hashed features. No
// rank knows all keys, nor how many there are: their weights are rows of a SparseTable, made at first use, and
// Adagrad changes them where they are. A rank pulls the weights of its next step, and its last gradients are
// on their way, while it computes.
//
//     tuttirun -n 4 build/examples/training/sparse_model
//     tuttirun -n 4 build/examples/training/sparse_model --owners 1        # a server of its own, which works too
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <span>
#include <tutti/tutti.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../command_line.hpp"
#include "part.hpp"

namespace {

using Keys = std::vector<std::uint64_t>;
using Weights = std::unordered_map<std::uint64_t, float>;

// Several ranks push one after the other where one rank pushes once: Adagrad takes other steps.
constexpr double kTolerance = 0.03;
constexpr std::size_t kFields = 8;
constexpr std::size_t kTests = 4000;

struct Options {
    std::size_t samples = 20'000;
    std::size_t batch = 500;
    std::size_t owners = 0;
    float rate = 0.3f;
};

struct Sample {
    Keys keys;
    bool clicked;
};

// Of a key, between -1 and 1: what the model has to find out.
double true_weight(std::uint64_t key)
{
    return static_cast<double>(std::mt19937_64(key)() >> 11) * 0x1p-52 - 1;
}

double probability(double logit)
{
    return 1 / (1 + std::exp(-logit));
}

// Sample `number` of all: a value for each field, few of them frequent, most of them rare.
Sample make_sample(std::uint64_t number)
{
    std::mt19937_64 random(number);
    std::uniform_real_distribution<double> uniform;
    Sample sample;
    double logit = 0;
    for (std::uint64_t field = 0; field < kFields; ++field) {
        const auto value = static_cast<std::uint64_t>(20'000 * std::pow(uniform(random), 6));
        sample.keys.push_back((field << 32 | value) * 0x9e3779b97f4a7c15u);
        logit += true_weight(sample.keys.back());
    }
    sample.clicked = uniform(random) < probability(2 * logit);
    return sample;
}

// The keys of samples [begin, end), each once, and the sum of their gradients.
class Step {
public:
    Step(std::size_t begin, std::size_t end)
    {
        for (std::size_t i = begin; i < end; ++i) {
            samples_.push_back(make_sample(i));
            for (const std::uint64_t key : samples_.back().keys)
                if (place_.try_emplace(key, keys_.size()).second)
                    keys_.push_back(key);
        }
        weights.resize(keys_.size());
    }

    const Keys& keys() const { return keys_; }
    // divided by `batch`
    std::vector<float> gradient(std::size_t batch) const
    {
        std::vector<float> sum(keys_.size());
        for (const Sample& sample : samples_) {
            double logit = 0;
            for (const std::uint64_t key : sample.keys)
                logit += weights[place_.at(key)];
            const auto slope =
                static_cast<float>((probability(logit) - sample.clicked) / static_cast<double>(batch));
            for (const std::uint64_t key : sample.keys)
                sum[place_.at(key)] += slope;
        }
        return sum;
    }

    std::vector<float> weights;  // by key, as they were pulled

private:
    std::vector<Sample> samples_;
    Keys keys_;
    std::unordered_map<std::uint64_t, std::size_t> place_;
};

// This rank's part of step `number`.
Step step_of(const tutti::Communicator& world, const Options& options, std::size_t number)
{
    const training::Part mine(options.batch, world);
    return {number * options.batch + mine.begin, number * options.batch + mine.end};
}

// Pulls for the next step while the gradient of this one is computed, and does not wait for what it pushes: the
// weights are those of the step before, or newer.
void train(const tutti::Communicator& world, const Options& options, tutti::SparseTable<float>& table)
{
    const std::size_t steps = options.samples / options.batch;
    Step now = step_of(world, options, 0);
    table.pull(now.keys(), now.weights);
    for (std::size_t number = 0; number < steps; ++number) {
        Step next = step_of(world, options, std::min(number + 1, steps - 1));
        tutti::TableRequest pulling = table.ipull(next.keys(), next.weights);
        const std::vector<float> gradient = now.gradient(options.batch);
        tutti::TableRequest pushing = table.ipush(now.keys(), gradient);
        pulling.wait();
        pushing.wait();
        table.tick();
        now = std::move(next);
    }
    world.barrier();  // all steps of all ranks are made
}

// By one rank, with whole steps.
Weights train_alone(const Options& options)
{
    const tutti::UpdateRule<float> rule = tutti::adagrad<float>(options.rate);
    Weights weights;
    Weights state;
    for (std::size_t number = 0; number < options.samples / options.batch; ++number) {
        Step step(number * options.batch, (number + 1) * options.batch);
        std::ranges::transform(step.keys(), step.weights.begin(),
                               [&](std::uint64_t key) { return weights[key]; });
        const std::vector<float> gradient = step.gradient(options.batch);
        for (std::size_t i = 0; i < gradient.size(); ++i)
            rule.function()({&weights[step.keys()[i]], 1}, {&state[step.keys()[i]], 1}, {&gradient[i], 1});
    }
    return weights;
}

// The mean loss of samples that no step has seen, in nats.
double loss(const Weights& weights, std::size_t first)
{
    double sum = 0;
    for (std::size_t i = first; i < first + kTests; ++i) {
        const Sample sample = make_sample(i);
        double logit = 0;
        for (const std::uint64_t key : sample.keys)
            if (const auto found = weights.find(key); found != weights.end())
                logit += found->second;
        sum -= std::log(sample.clicked ? probability(logit) : 1 - probability(logit));
    }
    return sum / kTests;
}

bool check(const tutti::Communicator& world, const Options& options)
{
    std::vector<int> owners(options.owners);
    std::iota(owners.begin(), owners.end(), 0);
    tutti::SparseTable<float> table(world, 1, tutti::adagrad<float>(options.rate), {},
                                    {.owners = std::move(owners), .staleness = 1});
    train(world, options, table);
    const std::size_t rows = tutti::allreduce(world, table.local_size(), tutti::sum);
    if (world.rank() != 0)
        return tutti::broadcast(world, false);
    const Weights reference = train_alone(options);
    Keys keys;
    for (const auto& [key, weight] : reference)
        keys.push_back(key);
    const bool same_keys =
        rows == keys.size() && std::ranges::count(table.lengths(keys), 1u) == std::ssize(keys);
    const std::vector<float> pulled = table.pull(keys);
    Weights weights;
    for (std::size_t i = 0; i < keys.size(); ++i)
        weights.emplace(keys[i], pulled[i]);
    const double of_ranks = loss(weights, options.samples);
    const double of_one = loss(reference, options.samples);
    const double untrained = loss({}, options.samples);
    const bool good = same_keys && of_ranks < 0.9 * untrained && std::abs(of_ranks - of_one) < kTolerance;
    fmt::print("{} keys at {} owners{}; loss {:.3f}, one rank's {:.3f} (tolerance {}), untrained {:.3f}{}\n",
               rows, options.owners == 0 ? world.size() : static_cast<int>(options.owners),
               same_keys ? "" : ", NOT those of one rank", of_ranks, of_one, kTolerance, untrained,
               good ? "" : ": WRONG");
    return tutti::broadcast(world, good);
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    Options options;
    example::CommandLine line("Logistic regression over 64-bit keys, whose weights are a table over the ranks");
    line.number("--samples", options.samples, 1, 100'000'000, "to learn from");
    line.number("--batch", options.batch, 1, 1'000'000, "samples a step, over all ranks together");
    line.number("--owners", options.owners, 0, 1'000'000, "ranks that have rows: the first ones; 0: all");
    line.number("--learning-rate", options.rate, 1e-6f, 1e3f, "of a step");
    if (const auto status = line.read(argc, argv, world))
        return *status;
    if (options.owners > static_cast<std::size_t>(world.size()) || options.samples < options.batch) {
        if (world.rank() == 0)
            std::fputs("sparse_model: more owners than ranks, or fewer samples than a step has\n", stderr);
        return 2;
    }
    return check(world, options) ? 0 : 1;
}
