// The last rank kills itself while the others wait for it: in receives, or in a barrier (argument "barrier").
#include <signal.h>

#include <string_view>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::killed {

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    world.barrier();
    if (world.rank() == world.size() - 1)
        raise(SIGKILL);
    if (argc > 1 && std::string_view(argv[1]) == "barrier") {
        world.barrier();
    } else {
        int value = 0;
        world.recv(value, world.size() - 1, 1);
    }
    return 0;
}

const Program program("killed", run_program);

}  // namespace tutti::test::killed
