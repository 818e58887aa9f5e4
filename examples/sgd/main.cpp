// Trains a small network on hand-written digits with all ranks, in three ways, and checks each against a run
// of one rank: gradients summed by all-reduce after the backward pass, or bucket by bucket beside it, or by a
// parameter server.
//
//     tuttirun -n 4 build/examples/data_parallel_sgd
//     tuttirun -n 4 -x TUTTI_PROGRESS=thread build/examples/data_parallel_sgd --buckets 8 --gradients bf16
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tutti/tutti.hpp>

#include "../command_line.hpp"
#include "dataset.hpp"
#include "exchange.hpp"
#include "network.hpp"
#include "training.hpp"

namespace {

// Ranks add the same numbers in another order. A step's rounding error (2^-24 of a weight near 1) returns in
// every later gradient; over the default 460 steps the difference stays below 1e-6.
constexpr double kTolerance = 1e-5;
// A gradient that travels as bf16 is off by up to 2^-8 of itself after its two roundings. They mostly cancel:
// by default the weights differ by less than 1e-3 at the end.
constexpr double kToleranceBf16 = 1e-2;
constexpr double kLeastAccuracy = 0.9;

struct Options {
    std::string data_path = EXAMPLE_DATA;
    sgd::TrainingOptions training;
    std::size_t buckets = 4;
    std::string gradients = "float32";
};

void add_options(example::CommandLine& line, Options& options)
{
    line.text("--data", options.data_path, "optdigits.csv");
    line.number("--epochs", options.training.epochs, 1, 10'000, "passes over the training images");
    line.number("--batch", options.training.batch, 1, 1'000'000, "images a step, over all ranks together");
    line.number("--learning-rate", options.training.learning_rate, 1e-6f, 1e3f, "of a step");
    line.number("--buckets", options.buckets, 1, sgd::kMostBuckets,
                "that the gradient is cut into to be summed beside the backward pass");
    line.choice("--gradients", options.gradients, {"float32", "bf16"},
                "what gradients travel as in all-reduce; they are added as float");
    line.number("--seed", options.training.seed, 0, std::numeric_limits<unsigned>::max(),
                "of the first weights and the order of images");
}

void print_run(const char* name, const sgd::TrainingResult& run)
{
    fmt::print("\n{}\nepoch     loss  test accuracy  compute s  communication s\n", name);
    for (std::size_t i = 0; i < run.epochs.size(); ++i) {
        const sgd::EpochReport& epoch = run.epochs[i];
        fmt::print("{:5} {:8.4f} {:12.2f} % {:10.4f} {:16.4f}\n", i + 1, epoch.loss, 100 * epoch.accuracy,
                   epoch.compute_seconds, epoch.communication_seconds);
    }
    fmt::print("  all {:36.4f} {:16.4f}\n", run.compute_seconds(), run.communication_seconds());
}

// What the program does not wait for although as much is sent.
void print_hidden(const sgd::TrainingResult& after, const sgd::TrainingResult& beside)
{
    const double all = after.communication_seconds();
    const double left = beside.communication_seconds();
    fmt::print("{:.0f} % of the communication hidden: {:.4f} s of {:.4f} s remain\n",
               100 * std::max(0.0, 1 - left / all), left, all);
}

// Over all ranks and weights; infinite where a number is none.
double largest_difference(const tutti::Communicator& world, const sgd::TrainingResult& run,
                          const std::vector<float>& reference)
{
    double largest = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const double difference = std::fabs(double{run.weights[i]} - double{reference[i]});
        largest = std::max(largest, std::isnan(difference) ? HUGE_VAL : difference);
    }
    return tutti::allreduce(world, largest, tutti::max);
}

// Prints the verdict on a run; true when it is good. The same on every rank.
bool check_run(const tutti::Communicator& world, const char* name, const sgd::TrainingResult& run,
               const std::vector<float>& reference, double tolerance)
{
    const double difference = largest_difference(world, run, reference);
    const double accuracy = run.epochs.back().accuracy;
    const bool equal = difference <= tolerance;
    const bool accurate = accuracy >= kLeastAccuracy;
    if (world.rank() == 0)
        fmt::print(
            "{}: {} the one-rank run (largest difference of a weight {:.1e}, tolerance {:.0e}), "
            "test accuracy {:.2f} %{}\n",
            name, equal ? "equals" : "DIFFERS FROM", difference, tolerance, 100 * accuracy,
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
    example::CommandLine line(
        "Data-parallel training of a small network, by all-reduce and by a parameter server");
    add_options(line, options);
    if (const auto status = line.read(argc, argv, world))
        return *status;

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
            "gradients in {}, {} bucket{}\n"
            "seconds are those of the slowest rank; communication includes waiting for others\n",
            dataset.size(), data.train.size(), data.test.size(), sgd::kPixels, sgd::kHidden, sgd::kDigits,
            sgd::kWeights, world.size(), world.size() == 1 ? "" : "s", options.training.epochs,
            options.training.batch, options.gradients, options.buckets, options.buckets == 1 ? "" : "s");

    const bool bf16 = options.gradients == "bf16";
    const sgd::Precision precision = bf16 ? sgd::Precision::bf16 : sgd::Precision::float32;
    sgd::TrainingOptions bucketed = options.training;
    bucketed.buckets = options.buckets;

    sgd::AllReduce all_reduce(world, precision, sgd::When::after_backward);
    const sgd::TrainingResult reduced = sgd::train(world, data, bucketed, all_reduce);
    if (speaker)
        print_run("All-reduce after the backward pass", reduced);

    sgd::AllReduce beside(world, precision, sgd::When::beside_backward);
    const sgd::TrainingResult overlapped = sgd::train(world, data, bucketed, beside);
    if (speaker) {
        print_run("All-reduce beside the backward pass", overlapped);
        if (world.size() > 1)
            print_hidden(reduced, overlapped);
    }

    sgd::ParameterServer parameter_server(world);
    const sgd::TrainingResult served = sgd::train(world, data, options.training, parameter_server);
    if (speaker)
        print_run("Parameter server (rank 0)", served);

    // The same loop with nobody to exchange with.
    std::vector<float> reference(sgd::kWeights);
    if (speaker) {
        sgd::AllReduce alone(environment.self(), sgd::Precision::float32, sgd::When::after_backward);
        reference = sgd::train(environment.self(), data, options.training, alone).weights;
        fmt::print("\n");
    }
    world.broadcast(reference);
    const double tolerance = bf16 ? kToleranceBf16 : kTolerance;
    const bool reduced_well = check_run(world, "All-reduce", reduced, reference, tolerance);
    const bool overlapped_well = check_run(world, "All-reduce, beside", overlapped, reference, tolerance);
    const bool served_well = check_run(world, "Parameter server", served, reference, kTolerance);
    return reduced_well && overlapped_well && served_well ? 0 : 1;
}
