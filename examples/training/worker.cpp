// A worker of the parameter server in server.cpp: pulls the weights that its images need, computes their
// gradient and pushes it. What it waits for is the server's to decide.
//
//     tuttirun -n 1 build/examples/training/server : -n 3 build/examples/training/worker
#include <cstdio>
#include <span>
#include <tutti/tutti.hpp>
#include <vector>

#include "../sgd/dataset.hpp"
#include "../sgd/network.hpp"
#include "rows.hpp"
#include "steps.hpp"

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    if (world.rank() == training::kServer) {
        std::fputs("worker: rank 0 is the server: tuttirun -n 1 ./server : -n 3 ./worker\n", stderr);
        return 2;
    }
    const training::Plan plan = tutti::broadcast(world, training::Plan{}, {.root = training::kServer});
    const sgd::Dataset images = sgd::split_dataset(sgd::broadcast_dataset(world, {})).train;

    const auto number = static_cast<std::size_t>(world.rank() - 1);
    const auto workers = static_cast<std::size_t>(world.size() - 1);
    std::vector<float> weights(sgd::kWeights);
    for (const std::vector<std::size_t>& step :
         training::make_steps(images.size(), plan.epochs, plan.batch)) {
        const training::Part mine(step.size(), number, workers);
        const training::Rows rows(images, std::span(step).subspan(mine.begin, mine.size()));

        world.send(rows.numbers(), training::kServer, training::kPull);
        world.recv(rows.of(weights), training::kServer, training::kValues);

        std::vector<float> gradient = training::mean_gradient(weights, images, step, mine);

        world.send(rows.numbers(), training::kServer, training::kPush);
        world.send(rows.of(gradient), training::kServer, training::kValues);
    }
}
