// A parameter server that is a program of its own: it has the weights, and serves workers (worker.cpp) until
// all have made their steps.
//
//     tuttirun -n 1 build/examples/training/server --mode stale --staleness 2 : -n 3
//     build/examples/training/worker
//
// Bulk synchronous training gives bitwise the weights of one rank that adds the same parts of a gradient.
// Stale (Ho et al., Stale Synchronous Parallel, 2013) and free training let workers run ahead of others, and
// compute with weights that some gradients have not reached.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <tutti/tutti.hpp>
#include <vector>

#include "../command_line.hpp"
#include "../sgd/dataset.hpp"
#include "../sgd/network.hpp"
#include "matrix.hpp"
#include "message_loop.hpp"
#include "rows.hpp"
#include "steps.hpp"

namespace {

constexpr double kLeastAccuracy = 0.9;

// By one rank, which adds up the gradients of as many parts of a step.
std::vector<float> train_alone(const sgd::Dataset& images, const training::Plan& plan, std::size_t parts)
{
    std::vector<float> weights = sgd::initial_weights(1);
    for (const auto& step : training::make_steps(images.size(), plan.epochs, plan.batch)) {
        std::vector<float> sum(weights.size());
        for (std::size_t part = 0; part < parts; ++part) {
            const std::vector<float> gradient =
                training::mean_gradient(weights, images, step, training::Part(step.size(), part, parts));
            std::ranges::transform(sum, gradient, sum.begin(), std::plus());
        }
        training::take_step(weights, sum, plan.learning_rate);
    }
    return weights;
}

bool check(const training::Server& server, const training::Plan& plan, const sgd::Split& data,
           std::size_t workers)
{
    const double accuracy = training::accuracy(server.weights(), data.test);
    fmt::print("{} workers; test accuracy {:.2f} %{}; a worker was ahead by {} steps at most\n", workers,
               100 * accuracy, accuracy >= kLeastAccuracy ? "" : ", which is BELOW 90 %",
               server.most_ahead());
    const bool accurate = accuracy >= kLeastAccuracy;
    if (plan.mode == training::Mode::free)
        return accurate;
    if (plan.mode == training::Mode::stale)
        return accurate && server.most_ahead() <= plan.staleness;
    const bool same = server.weights() == train_alone(data.train, plan, workers);
    fmt::print("weights {} one rank's\n", same ? "bitwise equal to" : "DIFFER FROM");
    return accurate && same;
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    training::Plan plan;
    std::string data_path = EXAMPLE_DATA;
    std::string mode = "bulk";
    example::CommandLine line("A parameter server, for ranks that run the program `worker`");
    line.text("--data", data_path, "optdigits.csv");
    line.choice("--mode", mode, {"bulk", "stale", "free"},
                "when a worker gets weights that is ahead of others");
    line.number("--staleness", plan.staleness, 0, 1'000'000, "steps that it may be ahead in mode stale");
    line.number("--epochs", plan.epochs, 1, 10'000, "passes over the training images");
    line.number("--batch", plan.batch, 1, 1'000'000, "images a step, over all workers together");
    line.number("--learning-rate", plan.learning_rate, 1e-6f, 1e3f, "of a step");
    // Workers have no part in it.
    if (const auto status = line.read(argc, argv, environment.self()))
        return *status;
    if (world.rank() != training::kServer || world.size() == 1) {
        std::fputs("server: one, as rank 0, and workers: tuttirun -n 1 ./server : -n 3 ./worker\n", stderr);
        return 2;
    }
    if (mode != "bulk")
        plan.mode = mode == "stale" ? training::Mode::stale : training::Mode::free;

    world.broadcast(plan);
    const sgd::Split data = sgd::split_dataset(sgd::broadcast_dataset(world, sgd::load_dataset(data_path)));
    training::Server server(world, plan);
    server.run(training::make_steps(data.train.size(), plan.epochs, plan.batch).size());
    return check(server, plan, data, static_cast<std::size_t>(world.size() - 1)) ? 0 : 1;
}
