// Ranks whose calls do not belong together. Arguments: the mistake's name, and how many barriers come first:
// from the fifth on, ranks that share cores use shared memory. Or "caught".
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "tests/mismatches.hpp"
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::mismatch {

namespace {

/// A program that catches what a wait has found, and ends well.
void wait_and_catch(const tutti::Communicator& world)
{
    int sum_of_ranks = world.rank();
    tutti::Request request =
        world.rank() == 1 ? world.ibarrier() : world.iallreduce(sum_of_ranks, tutti::sum);
    try {
        request.wait();
    } catch (const tutti::Error&) {
        std::printf("caught, %s\n", request.active() ? "active" : "inactive");
    }
}

}  // namespace

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    if (argc > 1 && argv[1] == std::string("caught")) {
        wait_and_catch(world);
        return 0;
    }
    const auto* const mismatch =
        std::ranges::find(tutti::test::kMismatches, argc > 1 ? argv[1] : "", &tutti::test::Mismatch::name);
    if (mismatch == std::end(tutti::test::kMismatches))
        return 2;
    for (int i = 0; i < (argc > 2 ? std::atoi(argv[2]) : 0); ++i)
        world.barrier();
    tutti::test::run(*mismatch, world);
    return 0;
}

const Program program("mismatch", run_program);

}  // namespace tutti::test::mismatch
