// Hybrid parallel: data x tensor x pipeline. The ranks are a box, and each is in three groups, one along each
// edge. Here 8 ranks, as 2 replicas of 2 stages that are split over 2 ranks each:
//
//                       stage 0     stage 1
//          replica 0    0 -- 1      2 -- 3      0 and 1 are a team, 0 and 2 a pipe, 0 and 4 replicas
//          replica 1    4 -- 5      6 -- 7
//
// Teams exchange the most and have neighbouring ranks, which share a machine; replicas exchange least often.
//
//     tuttirun -n 8 build/examples/training/hybrid --tensor 2 --pipeline 2
#include <fmt/format.h>

#include <tutti/tutti.hpp>

#include "../command_line.hpp"
#include "shape.hpp"

namespace {

training::Shape make_shape(const tutti::Communicator& world, int tensor, int pipeline)
{
    const int rank = world.rank();
    const int in_team = rank % tensor;
    const int replica = rank / (tensor * pipeline);
    return {.team = *world.split(rank / tensor),
            .pipe = *world.split(replica * tensor + in_team),
            .replicas = *world.split(rank % (tensor * pipeline))};
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    training::Options options;
    int tensor = 2;
    int pipeline = 1;
    example::CommandLine line("Hybrid training: data x tensor x pipeline");
    training::add_options(line, options);
    line.number("--tensor", tensor, 1, 1'000, "ranks that split a block");
    line.number("--pipeline", pipeline, 1, 1'000, "stages");
    line.check("--tensor --pipeline", [&]() -> std::string {
        if (world.size() % (tensor * pipeline) == 0)
            return "";
        return fmt::format("{} ranks are no multiple of {} x {}", world.size(), tensor, pipeline);
    });
    if (const auto status = line.read(argc, argv, world))
        return *status;

    if (world.rank() == 0)
        fmt::print("{} replicas x {} ranks a team x {} stages\n", world.size() / (tensor * pipeline), tensor,
                   pipeline);
    // Replicas add their gradients, and teams their parts, in another order than one rank does.
    constexpr double kTolerance = 1e-5;
    return training::train_and_check(environment, make_shape(world, tensor, pipeline), options, kTolerance);
}
