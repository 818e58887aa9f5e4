// Rank 1 sends, and leaves; rank 0 computes for the given number of seconds before it receives. Messages that
// go eagerly arrive all the same.
#include <unistd.h>

#include <cstdlib>

#include "tests/multiprocess/api/program.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test::departs {

int run_program(int argc, char** argv)
{
    constexpr std::size_t kMessages = 100;
    constexpr std::size_t kSize = 3000;
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    world.barrier();
    if (world.rank() == 1) {
        for (std::size_t i = 0; i < kMessages; ++i)
            world.send(bytes(1, i, kSize), 0, 1);
    }
    if (world.rank() != 0)
        return 0;
    sleep(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 0);
    std::vector<std::byte> in(kSize);
    for (std::size_t i = 0; i < kMessages; ++i) {
        world.recv(in, 1, 1);
        expect(in == bytes(1, i, kSize));
    }
    return 0;
}

const Program program("departs", run_program);

}  // namespace tutti::test::departs
