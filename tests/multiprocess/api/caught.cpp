// The last rank leaves its Environment by an exception that main catches; the others wait for it. With the
// argument "stay" it then does something else for long.
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/multiprocess/api/program.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test::caught {

namespace {

void work(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    if (world.rank() == world.size() - 1)
        throw std::runtime_error("the disk is full");
    int number = 0;
    world.recv(number, world.size() - 1);
}

}  // namespace

int run_program(int argc, char** argv)
{
    try {
        work(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "caught: %s\n", error.what());
        if (argc > 1 && argv[1] == std::string("stay"))
            std::this_thread::sleep_for(std::chrono::minutes(5));
        return 3;
    }
    return 0;
}

const Program program("caught", run_program);

}  // namespace tutti::test::caught
