// Windows between processes: put, get, updates of elements, locks, fences, and epochs of some ranks.
#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/expect.hpp"
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::windows {

namespace {

// One half of the ranks gives memory that others map, the other half memory that they do not.
void run_mixed(tutti::Communicator& world)
{
    const int size = world.size();
    static double ordinary[20001];  // malloc's blocks may be mapped, too
    std::ranges::fill(ordinary, 0.0);
    tutti::shared_vector<double> mapped(20001, 0.0);
    const std::span<double> mine = world.rank() % 2 == 0 ? std::span<double>(ordinary) : std::span(mapped);
    tutti::Window<double> window(world, mine);
    const std::vector<double> ones(20000, 1.0);
    for (int target = 0; target < size; ++target) {
        auto access = window.lock_shared(target);
        access.accumulate(ones, 1, tutti::sum);
        access.accumulate(0.5, 1, tutti::sum);
        access.accumulate(std::vector<double>(4, 0.25), 8, tutti::sum,
                          tutti::Layout::strided(4, 1, 2, sizeof(double)));
        access.fetch_and_op(2.0, 0, tutti::sum);
    }
    world.barrier();
    for (std::size_t i = 1; i < mine.size(); ++i) {
        const double more = i == 1 ? 0.5 : i >= 8 && i < 16 && i % 2 == 0 ? 0.25 : 0.0;
        expect(mine[i] == size * (1.0 + more), "element " + std::to_string(i));
    }
    expect(mine[0] == 2.0 * size, "what was fetched and changed");
    world.barrier();
    const int next = (world.rank() + 1) % size;
    {
        auto access = window.lock(next);
        const double before = access.compare_and_swap(2.0 * size, -1.0, 0);
        expect(before == 2.0 * size, "the element was as expected");
        std::vector<double> part(5);
        access.put(std::vector<double>{1, 2, 3, 4, 5}, 100, tutti::Layout::strided(5, 1, 3, sizeof(double)));
        access.flush();
        access.get(part, 100, tutti::Layout::strided(5, 1, 3, sizeof(double)));
        access.flush();
        expect(part == std::vector<double>{1, 2, 3, 4, 5}, "put and got by a layout");
        std::vector<double> many(6000);  // more runs than a frame takes
        std::iota(many.begin(), many.end(), 0.5);
        std::vector<double> back(many.size());
        const auto every_third = tutti::Layout::strided(many.size(), 1, 3, sizeof(double));
        access.put(many, 200, every_third);
        access.flush();
        access.accumulate(many, 200, tutti::sum, every_third);
        access.flush();
        access.get(back, 200, every_third);
        access.flush();
        for (std::size_t i = 0; i < many.size(); ++i)
            expect(back[i] == 2 * many[i], "run " + std::to_string(i));
        std::vector<double> between(1);
        access.get(between, 201);
        access.flush();
        expect(between[0] == size, "what lies between runs stays");
    }
    world.barrier();
    expect(mine[0] == -1.0 && mine[103] == 2.0, "what the rank before has written");
    world.barrier();
}

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
}

void run_shared(tutti::Communicator& world)
{
    const int next = (world.rank() + 1) % world.size();
    auto shared = tutti::Window<int>::shared(world, 3);
    shared.local()[2] = world.rank();
    world.barrier();
    expect(shared.local(next)[2] == next, "shared memory");
    world.barrier();
}

void run_table(tutti::Communicator& world)
{
    tutti::Table<float> table(world, 101, 7);
    const std::vector<std::size_t> rows = {100, 3, 50, 3, 51, 2};
    const std::vector<float> ones(rows.size() * 7, 1.0f);
    for (int i = 0; i < 20; ++i)
        table.push(rows, ones, tutti::sum);
    world.barrier();
    const std::vector<float> pulled = table.pull(rows);
    for (std::size_t i = 0; i < pulled.size(); ++i) {
        const bool twice = rows[i / 7] == 3;
        expect(pulled[i] == static_cast<float>(20 * world.size() * (twice ? 2 : 1)), "what was pushed");
    }
    world.barrier();
}

}  // namespace

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    tutti::Communicator world = environment.world();
    run(world);
    run_mixed(world);
    run_table(world);
    if (argc == 1)  // else there are several nodes
        run_shared(world);
    return 0;
}

const Program program("windows", run_program);

}  // namespace tutti::test::windows
