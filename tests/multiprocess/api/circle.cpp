// Collectives of several communicators in orders that do not fit together, or only seem not to. The argument
// says which.
#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::circle {

namespace {

// The world and a copy of it; the last rank begins with the other one.
void opposite(const Communicator& world)
{
    const Communicator copy = world.dup();
    int one = 1;
    if (world.rank() + 1 < world.size()) {
        world.barrier();
        copy.allreduce(one, sum);
    } else {
        copy.allreduce(one, sum);
        world.barrier();
    }
}

// The same with requests that are waited for one after the other.
void opposite_requests(const Communicator& world)
{
    const Communicator copy = world.dup();
    int one = 1;
    if (world.rank() + 1 < world.size()) {
        world.ibarrier().wait();
        copy.iallreduce(one, sum).wait();
    } else {
        copy.iallreduce(one, sum).wait();
        world.ibarrier().wait();
    }
}

// With each neighbour on a ring a communicator; all begin with the right one.
void ring(const Communicator& world)
{
    const int me = world.rank();
    const int ranks = world.size();
    const auto with = [&](int left) {
        const std::vector<int> both{left, (left + 1) % ranks};
        return world.create_from(both, left);
    };
    // Made in an order that fits.
    const int left = (me + ranks - 1) % ranks;
    std::vector<Communicator> made{with(std::min(me, left)), with(std::max(me, left))};
    made[me < left ? 0 : 1].barrier();
    made[me < left ? 1 : 0].barrier();
}

// Waits of other calls that last, and end: the last rank comes late. What it has begun goes on while it, and
// others, block elsewhere.
void late(const Communicator& world)
{
    const Communicator copy = world.dup();
    const bool is_last = world.rank() + 1 == world.size();
    if (is_last)
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
    Request begun = world.ibarrier();
    int one = 1;
    if (is_last) {
        copy.allreduce(one, sum);
        begun.wait();
    } else {
        begun.wait();
        copy.allreduce(one, sum);
    }
    expect(one == world.size(), "allreduce");
    // A line of waits: each rank for the next one, in a communicator of the two.
    const int me = world.rank();
    std::vector<Communicator> pairs;
    for (int left = 0; left + 1 < world.size(); ++left) {
        if (me == left || me == left + 1)
            pairs.push_back(world.create_from(std::vector<int>{left, left + 1}, left));
    }
    if (is_last)
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
    while (!pairs.empty()) {
        pairs.back().barrier();
        pairs.pop_back();
    }
    copy.barrier();
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    const std::string_view what = argc > 1 ? argv[1] : "";
    // From the fifth on, ranks that share cores use shared memory.
    for (int i = 0; i < 6; ++i)
        world.barrier();
    if (what == "opposite")
        opposite(world);
    else if (what == "requests")
        opposite_requests(world);
    else if (what == "ring")
        ring(world);
    else
        late(world);
    return 0;
}

const Program program("circle", run_program);

}  // namespace tutti::test::circle
