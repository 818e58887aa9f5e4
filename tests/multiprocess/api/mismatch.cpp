// Ranks that call different collectives, sizes or roots: on the fifth call, when ranks that share cores use
// shared memory. Argument: what the last rank does otherwise.
#include <string_view>
#include <vector>

#include "tests/multiprocess/api/program.hpp"

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const std::string_view how = argc > 1 ? argv[1] : "";
    const bool other = world.rank() == world.size() - 1;
    for (int i = 0; i < 5; ++i)
        world.barrier();
    std::vector<float> data(other && how == "size" ? 7 : other && how == "large" ? 70'000 : 5);
    if (other && how == "collective")
        world.broadcast(data, {.root = 0});
    else if (other && how == "barrier")
        world.barrier();
    else if (how == "root")
        world.reduce(data, tutti::sum, {.root = other ? 1 : 0});
    else
        world.allreduce(data, tutti::sum);
}
