// Trains a small network on hand-written digits with all ranks, in two ways, and checks both against a run of
// one rank.
//
//     tuttirun -n 4 build/examples/data_parallel_sgd
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <tutti/tutti.hpp>

#include "dataset.hpp"
#include "exchange.hpp"
#include "network.hpp"
#include "training.hpp"

namespace {

// Ranks add the same numbers in another order. A step's rounding error (2^-24 of a weight near 1) returns in
// every later gradient; over the default 460 steps the difference stays below 1e-6.
constexpr double kTolerance = 1e-5;
constexpr double kLeastAccuracy = 0.9;

struct Options {
    std::string data_path = EXAMPLE_DATA;
    sgd::TrainingOptions training;
};

void add_options(CLI::App& app, Options& options)
{
    app.add_option("--data", options.data_path, "optdigits.csv")->capture_default_str();
    app.add_option("--epochs", options.training.epochs, "passes over the training images")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    app.add_option("--batch", options.training.batch, "images a step, over all ranks together")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    app.add_option("--learning-rate", options.training.learning_rate)
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--seed", options.training.seed, "of the first weights and the order of images")
        ->capture_default_str();
}

void print_run(const char* name, const sgd::TrainingResult& run)
{
    fmt::print("\n{}\nepoch     loss  test accuracy  compute s  communication s\n", name);
    double compute_seconds = 0;
    double communication_seconds = 0;
    for (std::size_t i = 0; i < run.epochs.size(); ++i) {
        const sgd::EpochReport& epoch = run.epochs[i];
        fmt::print("{:5} {:8.4f} {:12.2f} % {:10.4f} {:16.4f}\n", i + 1, epoch.loss, 100 * epoch.accuracy,
                   epoch.compute_seconds, epoch.communication_seconds);
        compute_seconds += epoch.compute_seconds;
        communication_seconds += epoch.communication_seconds;
    }
    fmt::print("  all {:36.4f} {:16.4f}\n", compute_seconds, communication_seconds);
}

// Over all ranks and weights.
double largest_difference(const tutti::Communicator& world, const sgd::TrainingResult& run,
                          const std::vector<float>& reference)
{
    double largest = 0;
    for (std::size_t i = 0; i < reference.size(); ++i)
        largest = std::max(largest, std::fabs(double{run.weights[i]} - double{reference[i]}));
    return tutti::allreduce(world, largest, tutti::max);
}

// Prints the verdict on a run; true when it is good. The same on every rank.
bool check_run(const tutti::Communicator& world, const char* name, const sgd::TrainingResult& run,
               const std::vector<float>& reference)
{
    const double difference = largest_difference(world, run, reference);
    const double accuracy = run.epochs.back().accuracy;
    const bool equal = difference <= kTolerance;  // false for NaN as well
    const bool accurate = accuracy >= kLeastAccuracy;
    if (world.rank() == 0)
        fmt::print(
            "{}: {} the one-rank run (largest difference of a weight {:.1e}, tolerance {:.0e}), "
            "test accuracy {:.2f} %{}\n",
            name, equal ? "equals" : "DIFFERS FROM", difference, kTolerance, 100 * accuracy,
            accurate ? "" : ", which is BELOW 90 %");
    return equal && accurate;
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const bool speaker = world.rank() == 0;

    Options options;
    CLI::App app("Data-parallel training of a small network, by all-reduce and by a parameter server");
    add_options(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return speaker ? app.exit(error) : error.get_exit_code();
    }

    // Only one rank reads the file.
    sgd::Dataset dataset;
    if (speaker)
        dataset = sgd::load_dataset(options.data_path);
    dataset = sgd::broadcast_dataset(world, std::move(dataset));
    const sgd::Split data = sgd::split_dataset(dataset);
    if (speaker)
        fmt::print(
            "{} images of digits: {} to train, {} (every fifth) to test\n"
            "network {}-{}-{}, {} weights; {} rank{}, {} epochs, {} images a step\n"
            "seconds are those of the slowest rank; communication includes waiting for others\n",
            dataset.size(), data.train.size(), data.test.size(), sgd::kPixels, sgd::kHidden, sgd::kDigits,
            sgd::kWeights, world.size(), world.size() == 1 ? "" : "s", options.training.epochs,
            options.training.batch);

    sgd::AllReduce all_reduce(world);
    const sgd::TrainingResult reduced = sgd::train(world, data, options.training, all_reduce);
    if (speaker)
        print_run("All-reduce", reduced);

    sgd::ParameterServer parameter_server(world);
    const sgd::TrainingResult served = sgd::train(world, data, options.training, parameter_server);
    if (speaker)
        print_run("Parameter server (rank 0)", served);

    // The same loop with nobody to exchange with.
    std::vector<float> reference(sgd::kWeights);
    if (speaker) {
        sgd::AllReduce alone(environment.self());
        reference = sgd::train(environment.self(), data, options.training, alone).weights;
        fmt::print("\n");
    }
    world.broadcast(reference);
    const bool reduced_well = check_run(world, "All-reduce", reduced, reference);
    const bool served_well = check_run(world, "Parameter server", served, reference);
    return reduced_well && served_well ? 0 : 1;
}
