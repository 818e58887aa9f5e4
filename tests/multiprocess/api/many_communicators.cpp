// Communicators beside each other, as many as the first argument says, each used for blocking collectives.
// The second: how many mappings are left to the process, where the kernel's limit is no larger than usual.
#include <sys/mman.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::many_communicators {

namespace {

void leave_mappings(int spare)
{
    int most = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> most;
    // Neighbours that differ are not joined.
    for (int i = 0; most < 100'000 && i < most - spare; ++i)
        mmap(nullptr, 4096, i % 2 == 0 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// So many that a communicator has its board, and has used it.
constexpr int kCalls = 5;

void check(const Communicator& group, int number)
{
    for (int call = 0; call < kCalls; ++call) {
        int value = group.rank() + number + call;
        group.allreduce(value, sum);
        const int ranks = group.size();
        expect(value == ranks * (ranks - 1) / 2 + ranks * (number + call), "allreduce");
    }
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
    if (argc > 2)
        leave_mappings(std::atoi(argv[2]));
    std::vector<Communicator> groups;
    for (int number = 0; number < count; ++number) {
        groups.push_back(number % 2 == 0 ? world.dup() : *world.split(0, {.key = -world.rank()}));
        check(groups.back(), number);
    }
    for (int number = 0; number < count; number += 97)
        check(groups[static_cast<std::size_t>(number)], number);
    return 0;
}

const Program program("many_communicators", run_program);

}  // namespace tutti::test::many_communicators
