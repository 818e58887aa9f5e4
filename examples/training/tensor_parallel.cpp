// Tensor parallel: all ranks take the same images through the same blocks, and each has a part of every
// matrix. split_block.hpp has what is exchanged, forward and backward.
//
//     tuttirun -n 4 build/examples/training/tensor_parallel
#include <tutti/tutti.hpp>

#include "../command_line.hpp"
#include "shape.hpp"

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    training::Options options;
    example::CommandLine line("Tensor parallel training: each matrix is split over all ranks");
    training::add_options(line, options);
    if (const auto status = line.read(argc, argv, world))
        return *status;

    // Sums over hidden units are added rank by rank: in another order than one rank's.
    constexpr double kTolerance = 1e-5;
    const training::Shape shape{world, environment.self(), environment.self()};
    return training::train_and_check(environment, shape, options, world.size() == 1 ? 0 : kTolerance);
}
