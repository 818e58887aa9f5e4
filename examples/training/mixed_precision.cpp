// Mixed precision: weights and gradients are float16 for computing and on the wire; a master copy of the
// weights is float32, as a step may change a weight by less than its float16 can tell. scaled_sum.hpp has
// what is sent.
//
// Without hardware for float16 the products themselves are computed in float, of weights that are rounded.
//
//     tuttirun -n 4 build/examples/training/mixed_precision
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <tutti/tutti.hpp>
#include <vector>

#include "../command_line.hpp"
#include "../sgd/dataset.hpp"
#include "../sgd/network.hpp"
#include "matrix.hpp"
#include "scaled_sum.hpp"
#include "steps.hpp"

namespace {

using Steps = std::vector<std::vector<std::size_t>>;

// A rounding costs up to 2^-12 of a gradient or weight. They mostly cancel: over the default 276 steps
// weights come to differ by less than 1e-4.
constexpr double kTolerance = 1e-3;
constexpr double kLeastAccuracy = 0.9;

struct Options {
    std::string data_path = EXAMPLE_DATA;
    int epochs = 12;
    std::size_t batch = 64;
    float learning_rate = 0.3f;
};

std::vector<float> rounded_to_half(std::span<const float> values)
{
    std::vector<float> rounded(values.size());
    std::ranges::transform(values, rounded.begin(), [](float value) { return float{tutti::float16(value)}; });
    return rounded;
}

struct Mixed {
    std::vector<float> master;
    std::vector<bool> left_out;  // by step
};

Mixed train_mixed(const tutti::Communicator& world, const sgd::Dataset& data, const Steps& steps, float rate,
                  training::ScaledSum& sum)
{
    Mixed run{sgd::initial_weights(1), {}};
    for (const auto& images : steps) {
        std::vector<float> gradient = training::mean_gradient(rounded_to_half(run.master), data, images,
                                                              training::Part(images.size(), world));
        const bool good = sum.add_up(gradient);
        if (good)
            training::take_step(run.master, gradient, rate);
        run.left_out.push_back(!good);
    }
    return run;
}

// By one rank, all in float32, without the steps that the other run has left out.
std::vector<float> train_float(const sgd::Dataset& data, const Steps& steps, float rate,
                               const std::vector<bool>& left_out)
{
    std::vector<float> weights = sgd::initial_weights(1);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!left_out[i])
            training::take_step(
                weights,
                training::mean_gradient(weights, data, steps[i], training::Part(steps[i].size(), 0, 1)),
                rate);
    }
    return weights;
}

bool check(const tutti::Communicator& world, const sgd::Split& data, const Options& options)
{
    const Steps steps = training::make_steps(data.train.size(), options.epochs, options.batch);
    training::ScaledSum sum(world);
    const Mixed run = train_mixed(world, data.train, steps, options.learning_rate, sum);

    const std::vector<float> first = tutti::broadcast(world, run.master);
    const bool same = tutti::allreduce(world, first == run.master, tutti::land);
    if (world.rank() != 0)
        return tutti::broadcast(world, false);
    const std::vector<float> reference = train_float(data.train, steps, options.learning_rate, run.left_out);
    const double difference = training::largest_difference(run.master, reference);
    const double right = training::accuracy(run.master, data.test);
    const auto left_out = std::ranges::count(run.left_out, true);
    const auto [of, with_scale, without_scale] = sum.lost();
    fmt::print(
        "{} steps, {} left out{}; scale {:.0f} at the end\n"
        "gradients lost on the wire: {} of {}; without a scale {}\n"
        "master weights {} on all ranks; they differ from one rank's in float32 by {:.1e} "
        "(tolerance {:.0e}); test accuracy {:.2f} %{}\n",
        steps.size(), left_out, left_out > 0 ? "" : ", which is TOO FEW for the first scale", sum.scale(),
        with_scale, of, without_scale, same ? "bitwise equal" : "NOT EQUAL", difference, kTolerance,
        100 * right, right >= kLeastAccuracy ? "" : ", which is BELOW 90 %");
    return tutti::broadcast(world, same && difference <= kTolerance && right >= kLeastAccuracy &&
                                       left_out > 0 && with_scale <= without_scale);
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    Options options;
    example::CommandLine line("Mixed precision: float16 on the wire, float32 master weights, a loss scale");
    line.text("--data", options.data_path, "optdigits.csv");
    line.number("--epochs", options.epochs, 1, 10'000, "passes over the training images");
    line.number("--batch", options.batch, 1, 1'000'000, "images a step, over all ranks together");
    line.number("--learning-rate", options.learning_rate, 1e-6f, 1e3f, "of a step");
    if (const auto status = line.read(argc, argv, world))
        return *status;

    sgd::Dataset dataset;
    if (world.rank() == 0)
        dataset = sgd::load_dataset(options.data_path);
    const sgd::Split data = sgd::split_dataset(sgd::broadcast_dataset(world, std::move(dataset)));
    return check(world, data, options) ? 0 : 1;
}
