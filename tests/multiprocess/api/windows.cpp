// Windows between processes: put, get, updates of elements, locks, fences, and epochs of some ranks.
#include <algorithm>
#include <vector>

#include "program.hpp"
#include "tests/expect.hpp"

using tutti::test::expect;

namespace {

void run(tutti::Communicator& world)
{
    const int size = world.size();
    const int next = (world.rank() + 1) % size;
    const int previous = (world.rank() + size - 1) % size;
    tutti::Window<std::int64_t> window(world, 5001);
    std::ranges::fill(window.local(), 0);
    world.barrier();
    {
        auto access = window.lock_all();
        access[next].put(std::vector<std::int64_t>(5000, world.rank()), 1);
        for (int i = 0; i < 100; ++i)
            access[0].accumulate(std::int64_t{1}, 0, tutti::sum);
    }
    world.barrier();
    const auto rest = window.local().subspan(1);
    expect(std::ranges::count(rest, previous) == 5000, "what the rank before has put");
    if (world.rank() == 0)
        expect(window.local()[0] == 100 * size, "all have counted");
    {
        auto epoch = window.fence();
        std::vector<std::int64_t> theirs(5000);
        epoch[next].get(theirs, 1);
        epoch.fence();
        expect(std::ranges::count(theirs, world.rank()) == 5000, "what is got back");
        epoch[next].accumulate(theirs, 1, tutti::sum);
    }
    expect(std::ranges::count(rest, 2 * previous) == 5000, "what the rank before has added");
    world.barrier();
    for (int i = 0; i < 50; ++i) {
        auto access = window.lock(size - 1);
        std::int64_t value = 0;
        access.get(value, 7);
        access.flush();
        access.put(value + 1, 7);
    }
    world.barrier();
    if (world.rank() == size - 1)
        expect(window.local()[7] == 2 * previous + 50 * size, "locks exclude each other");
    for (int i = 0; i < 10; ++i) {
        auto exposure = window.post(std::vector{previous});
        {
            auto access = window.start(std::vector{next});
            access[next].put(std::int64_t{i} * 1000 + world.rank(), 3);
        }
        exposure.wait();
        expect(window.local()[3] == i * 1000 + previous, "what the rank before has put in its epoch");
    }
    auto shared = tutti::Window<int>::shared(world, 3);
    shared.local()[2] = world.rank();
    world.barrier();
    expect(shared.local(next)[2] == next, "shared memory");
    world.barrier();
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    tutti::Communicator world = environment.world();
    run(world);
}
