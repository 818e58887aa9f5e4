// Windows whose ranks are threads.
#include <algorithm>
#include <numeric>

#include "tests/threads/support.hpp"
#include "tests/window_stress.hpp"

namespace tutti::test {

namespace {

void at_window_sizes(const std::function<void(const Communicator&)>& body, EnvironmentOptions options = {})
{
    for (const int ranks : {1, 2, 3, 5, 8})
        at_size(ranks, body, options);
}

}  // namespace

TEST_CASE("window: put and get within lock_all", "[windows]")
{
    at_window_sizes([](const Communicator& world) {
        for (const std::size_t count : {0u, 1u, 3u, 17u, 1000u, 20001u}) {
            Window<int> window(world, count);
            const int next = (world.rank() + 1) % world.size();
            const std::vector<int> sent = numbers(world.rank(), 3, count);
            {
                auto access = window.lock_all();
                access[next].put(sent, 0);
            }
            world.barrier();
            const int previous = (world.rank() + world.size() - 1) % world.size();
            const std::vector<int> expected = numbers(previous, 3, count);
            expect(std::ranges::equal(window.local(), expected), "what was put here");
            std::vector<int> back(count);
            {
                auto access = window.lock_all();
                access[next].get(back, 0);
                access.flush(next);
                expect(back == sent, "what is got back");
            }
            world.barrier();
        }
    });
}

TEST_CASE("window: layouts on both sides", "[windows]")
{
    at_window_sizes([](const Communicator& world) {
        Window<int> window(world, 64);
        std::ranges::fill(window.local(), -1);
        const int next = (world.rank() + 1) % world.size();
        {
            auto epoch = window.fence();
            std::vector<int> square(64);
            std::iota(square.begin(), square.end(), 100 * world.rank());
            // Column 3 of a square becomes every second element of the target.
            epoch[next].put(strided(&square[3], 8, 1, 8), 5, Layout::strided(8, 1, 2, sizeof(int)));
            epoch.fence();
            const int previous = (world.rank() + world.size() - 1) % world.size();
            for (int i = 0; i < 64; ++i) {
                const bool is_put = i >= 5 && i < 21 && (i - 5) % 2 == 0;
                const int expected = is_put ? 100 * previous + 3 + 8 * ((i - 5) / 2) : -1;
                expect(window.local()[static_cast<std::size_t>(i)] == expected,
                       "element " + std::to_string(i));
            }
            epoch.fence();
            const std::vector<int> ones(8, 1);
            epoch[next].accumulate(ones, 5, sum, Layout::strided(8, 1, 2, sizeof(int)));
            epoch.fence();
            expect(window.local()[5] == 100 * previous + 4, "an element of the layout");
            expect(window.local()[6] == -1, "an element outside the layout");
            std::vector<int> column(16, 0);
            epoch[next].get(strided(&column[1], 8, 1, 2), 5, Layout::strided(8, 1, 2, sizeof(int)));
            epoch.fence();
            for (std::size_t i = 0; i < 8; ++i)
                expect(column[2 * i] == 0 &&
                           column[2 * i + 1] == 100 * world.rank() + 4 + 8 * static_cast<int>(i),
                       "element got " + std::to_string(i));
        }
    });
}

TEST_CASE("window: accumulates of all ranks lose nothing", "[windows]")
{
    constexpr int kRounds = kSanitized ? 40 : 200;
    at_window_sizes([](const Communicator& world) {
        Window<std::int64_t> integers(world, 100);
        Window<double> reals(world, 100);
        Window<long double> wide(world, 9);
        std::ranges::fill(integers.local(), 0);
        std::ranges::fill(reals.local(), 0);
        std::ranges::fill(wide.local(), 0);
        world.barrier();
        {
            auto on_integers = integers.lock_all();
            auto on_reals = reals.lock_all();
            auto on_wide = wide.lock_all();
            const std::vector<std::int64_t> ones(100, 1);
            const std::vector<double> halves(100, 0.5);
            for (int round = 0; round < kRounds; ++round) {
                const int target = (world.rank() + round) % world.size();
                // Many elements, and one of them: different ways, one result.
                on_integers[target].accumulate(ones, 0, sum);
                on_integers[target].accumulate(std::int64_t{2}, static_cast<std::size_t>(round % 100), sum);
                on_reals[target].accumulate(halves, 0, sum);
                on_reals[target].accumulate(0.25, 7, sum);
                on_wide[target].accumulate(1.0L, 3, sum);
            }
        }
        world.barrier();
        std::vector<std::int64_t> total(integers.local().begin(), integers.local().end());
        world.allreduce(total, sum);
        for (std::size_t i = 0; i < 100; ++i) {
            const int singles = kRounds / 100 + (i < kRounds % 100 ? 1 : 0);
            expect(total[i] == world.size() * (kRounds + 2 * singles), "sum of element " + std::to_string(i));
        }
        double seven = reals.local()[7];
        world.allreduce(seven, sum);
        expect(seven == 0.75 * kRounds * world.size(), "sum of reals");
        double three = static_cast<double>(wide.local()[3]);
        world.allreduce(three, sum);
        expect(three == kRounds * world.size(), "sum of long doubles");
    });
}

TEST_CASE("window: fetch_and_op gives each number once, compare_and_swap is won once", "[windows]")
{
    at_window_sizes([](const Communicator& world) {
        Window<std::uint32_t> window(world, world.rank() == 0 ? 2 : 0);
        std::ranges::fill(window.local(), 0);
        world.barrier();
        std::vector<std::uint32_t> taken;
        int won = 0;
        {
            auto access = window.lock_all();
            for (int i = 0; i < 50; ++i)
                taken.push_back(access[0].fetch_and_op(1, 0, sum));
            const auto mine = static_cast<std::uint32_t>(world.rank() + 1);
            won = access[0].compare_and_swap(0, mine, 1) == 0;
            expect(access[0].fetch_and_op(0, 1, no_op) != 0, "somebody has won");
        }
        expect(std::ranges::is_sorted(taken), "the counter only grows");
        std::vector<std::uint32_t> all(taken.size() * static_cast<std::size_t>(world.size()));
        world.allgather(taken, all);
        std::ranges::sort(all);
        for (std::size_t i = 0; i < all.size(); ++i)
            expect(all[i] == i, "number " + std::to_string(i));
        world.allreduce(won, sum);
        expect(won == 1, "one rank has won");
    });
}

TEST_CASE("window: exclusive locks exclude, shared ones wait for them", "[windows]")
{
    constexpr int kRounds = kSanitized ? 30 : 100;
    at_window_sizes([](const Communicator& world) {
        Window<int> window(world, 2);
        std::ranges::fill(window.local(), 0);
        world.barrier();
        for (int round = 0; round < kRounds; ++round) {
            if ((round + world.rank()) % 3 == 0) {
                auto access = window.lock_shared(0);
                int both[2];
                access.get(both, 0);
                access.flush();
                expect(both[0] == both[1], "a writer was excluded");
            }
            auto access = window.lock(0);
            int both[2];
            access.get(both, 0);
            access.flush();
            expect(both[0] == both[1], "writers exclude each other");
            const int next[2] = {both[0] + 1, both[1] + 1};
            access.put(next[0], 0);
            access.put(next[1], 1);
        }
        world.barrier();
        if (world.rank() == 0)
            expect(window.local()[0] == kRounds * world.size(), "no round was lost");
        world.barrier();
    });
}

TEST_CASE("window: post, start, complete and wait", "[windows]")
{
    at_window_sizes([](const Communicator& world) {
        Window<int> window(world, 10);
        const int next[] = {(world.rank() + 1) % world.size()};
        const int previous[] = {(world.rank() + world.size() - 1) % world.size()};
        for (int round = 0; round < 20; ++round) {
            std::ranges::fill(window.local(), -1);
            auto exposure = window.post(previous);
            {
                auto access = window.start(next);
                access[next[0]].put(numbers(world.rank(), round, 10), 0);
            }
            if (round % 2 == 0)
                exposure.wait();
            else
                while (!exposure.test()) {
                }
            expect(std::ranges::equal(window.local(), numbers(previous[0], round, 10)), "what was put");
        }
    });
}

TEST_CASE("window: several origins and targets in epochs of some ranks", "[windows]")
{
    at_window_sizes([](const Communicator& world) {
        Window<std::int64_t> window(world, 3);
        std::vector<int> all(static_cast<std::size_t>(world.size()));
        std::iota(all.begin(), all.end(), 0);
        std::ranges::fill(window.local(), 0);
        for (int round = 1; round <= 5; ++round) {
            auto exposure = window.post(all);
            auto access = window.start(all);
            for (const int rank : all)
                access[rank].accumulate(std::int64_t{world.rank() + 1}, 1, sum);
            access.end();
            exposure.wait();
            expect(window.local()[1] == round * world.size() * (world.size() + 1) / 2, "what all have added");
            world.barrier();
        }
        expect(window.local()[0] == 0 && window.local()[2] == 0, "what is beside it");
    });
}

TEST_CASE("window: each operation with a request, and other operators", "[windows]")
{
    at_window_sizes([](const Communicator& world) {
        constexpr std::size_t kCount = 37;
        const int next = (world.rank() + 1) % world.size();
        const int previous = (world.rank() + world.size() - 1) % world.size();
        Window<int> window(world, kCount);
        std::ranges::fill(window.local(), 0);
        world.barrier();
        const std::vector<int> mine = numbers(world.rank(), 1, kCount);
        std::vector<int> got(kCount);
        auto access = window.lock_all();
        access[next].iput(mine, 0).wait();
        access.flush(next);
        access[next].iget(got, 0).wait();
        expect(got == mine, "what was put");
        access[next].iaccumulate(std::vector<int>(kCount, 5), 0, sum).wait();
        access.flush();
        std::vector<int> before(kCount);
        access[next].iget_accumulate(std::vector<int>(kCount, -1), before, 0, replace).wait();
        for (std::size_t i = 0; i < kCount; ++i)
            expect(before[i] == mine[i] + 5, "what was there");
        int one = 0;
        access[next].ifetch_and_op(7, one, 3, max).wait();
        expect(one == -1, "what was replaced");
        access[next].icompare_and_swap(7, 8, one, 3).wait();
        expect(one == 7, "the larger one");
        access[next].icompare_and_swap(7, 9, one, 3).wait();
        expect(one == 8, "what was swapped");
        access[next].accumulate(6, 3, band);
        access[next].accumulate(std::vector<int>(kCount, 2), 0, min);
        access[next].accumulate(std::vector<int>(20, 4), 4, bxor, Layout::strided(20, 1, 1, sizeof(int)));
        access.flush_local(next);
        access[next].get_accumulate(got, before, 0, no_op);
        access[next].get(one, 3);
        access.flush_local();
        expect(one == 0 && before[3] == 0 && before[0] == -1 && before[4] == (-1 ^ 4), "what is left");
        access.end();
        world.barrier();
        expect(std::ranges::equal(window.local(), before) || world.size() > 1, "the own memory");
        expect(window.local()[24] == -1 && window.local()[23] == (-1 ^ 4), "the end of a layout");
        world.barrier();  // all have looked
        std::vector<int> theirs(kCount);
        auto own = window.lock_shared(previous);
        own.get_accumulate(std::vector<int>(3, 1), std::span<int>(theirs).first(3), 1, sum,
                           Layout::strided(3, 1, 10, sizeof(int)));
        own.unlock();
        expect(theirs[0] == -1 && theirs[1] == (-1 ^ 4) && theirs[2] == (-1 ^ 4), "got by a layout");
        world.barrier();
        expect(window.local()[1] == 0 && window.local()[11] == (-1 ^ 4) + 1, "added by a layout");
        world.barrier();
    });
}

TEST_CASE("window: all ranks change windows at once", "[windows]")
{
    at_window_sizes([](const Communicator& world) {
        stress_windows(world, kSanitized ? 60 : 300, static_cast<unsigned>(world.size()));
    });
}

TEST_CASE("window: memory of the user's, shared memory, other sizes", "[windows]")
{
    at_window_sizes([](const Communicator& world) {
        std::vector<double> mine(static_cast<std::size_t>(world.rank()) * 3 + 1, world.rank());
        Window<double> window(world, std::span(mine));
        const int next = (world.rank() + 1) % world.size();
        expect(window.count(next) == static_cast<std::size_t>(next) * 3 + 1, "the other's size");
        {
            auto access = window.lock_all();
            std::vector<double> theirs(window.count(next));
            access[next].get(theirs, 0);
            access.flush();
            expect(theirs == std::vector<double>(theirs.size(), next), "the other's memory");
        }
        world.barrier();
        auto shared = Window<int>::shared(world, 4);
        std::ranges::fill(shared.local(), world.rank());
        world.barrier();
        for (int rank = 0; rank < world.size(); ++rank)
            expect(shared.local(rank)[3] == rank, "shared memory");
        expect(shared.local(next).data() == shared.local(0).data() + 4 * next, "in a row");
        world.barrier();
    });
}

TEST_CASE("window: wrong use is an error that names it", "[windows]")
{
    at_size(2, [](const Communicator& world) {
        Window<int> window(world, 5);
        window.set_name("table");
        const int other = 1 - world.rank();
        WindowTarget<int> outside = [&] {
            auto access = window.lock_all();
            const WindowTarget<int> target = access[other];
            expect_error(ErrorCode::invalid_argument, "table, rank " + std::to_string(other),
                         [&] { target.put(7, 5); });
            expect_error(ErrorCode::invalid_argument, "bytes 16 to 24 are outside its memory of 20 bytes",
                         [&] { target.put(std::vector<int>(2), 4); });
            expect_error(ErrorCode::invalid_rank, "there is no rank 2", [&] { access[2].put(7, 0); });
            expect_error(ErrorCode::invalid_argument, "in an epoch of lock_all()",
                         [&] { auto again = window.lock(other); });
            expect_error(ErrorCode::invalid_argument, "in an epoch of lock_all()", [&] { window.free(); });
            return target;
        }();
        expect_error(ErrorCode::invalid_argument, "this rank is in no epoch", [&] { outside.put(7, 0); });
        auto access = window.lock_shared(world.rank());
        expect_error(ErrorCode::invalid_argument, "the epoch of lock() does not cover that rank",
                     [&] { outside.put(7, 0); });
        access.unlock();
        world.barrier();
    });
}

}  // namespace tutti::test
