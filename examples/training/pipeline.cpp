// Pipeline parallel: each rank has some blocks of the network, and micro-batches go from rank to rank,
// forward and back. pipeline_step.hpp has the schedule.
//
//     tuttirun -n 4 build/examples/training/pipeline
#include <tutti/tutti.hpp>

#include "../command_line.hpp"
#include "shape.hpp"

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    training::Options options;
    example::CommandLine line("Pipeline parallel training: each rank has some blocks of the network");
    training::add_options(line, options);
    if (const auto status = line.read(argc, argv, world))
        return *status;

    // Every stage sees the micro-batches in their order, as one rank does: the weights are bitwise equal.
    const training::Shape shape{environment.self(), world, environment.self()};
    return training::train_and_check(environment, shape, options, 0);
}
