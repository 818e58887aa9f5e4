// The last rank leaves while the others wait for it. Arguments: what they wait in, and how many barriers come
// first: without one nobody is connected, and from the fifth on ranks that share cores use shared memory.
#include <cstdlib>
#include <string>

#include "tutti/tutti.hpp"

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const std::string waits_in = argc > 1 ? argv[1] : "";
    for (int i = 0; i < (argc > 2 ? std::atoi(argv[2]) : 0); ++i)
        world.barrier();
    const int last = world.size() - 1;
    if (world.rank() == last)
        return 0;
    int value = world.rank();
    if (waits_in == "recv")
        world.recv(value, last);
    else if (waits_in == "ssend")
        world.ssend(value, last);
    else if (waits_in == "barrier")
        world.barrier();
    else if (waits_in == "allreduce")
        world.allreduce(value, tutti::sum);
    else if (waits_in == "ireduce")
        world.ireduce(value, tutti::sum, {.root = 0}).wait();
    else
        return 2;
    world.barrier();
}
