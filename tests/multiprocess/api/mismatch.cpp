// Ranks whose calls do not belong together. Arguments: the mistake's name, and how many barriers come first:
// from the fifth on, ranks that share cores use shared memory.
#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "tests/mismatches.hpp"

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const auto* const mismatch =
        std::ranges::find(tutti::test::kMismatches, argc > 1 ? argv[1] : "", &tutti::test::Mismatch::name);
    if (mismatch == std::end(tutti::test::kMismatches))
        return 2;
    for (int i = 0; i < (argc > 2 ? std::atoi(argv[2]) : 0); ++i)
        world.barrier();
    tutti::test::run(*mismatch, world);
}
