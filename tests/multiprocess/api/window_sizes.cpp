// Put and get of all sizes, many of them at once, in all epochs: each rank has the memory of the next one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/expect.hpp"
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::window_sizes {

namespace {

using Bytes = std::vector<unsigned char>;

Bytes numbered(std::size_t size, unsigned seed)
{
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<unsigned char>(i * 13 + (i >> 8) + seed);
    return bytes;
}

// Frames and buffers of the transports hold 16,256 and 65,536 bytes.
constexpr std::size_t kSizes[] = {0,      1,      3,      4097,   16'255,  16'256,
                                  16'257, 65'535, 65'536, 65'537, 131'072, 1'000'003};
constexpr std::size_t kMost = 1'000'003;
constexpr std::size_t kMargin = 7;
constexpr unsigned char kUntouched = 0x77;

void run_sizes(tutti::Communicator& world, tutti::Window<unsigned char>& window)
{
    const int next = (world.rank() + 1) % world.size();
    std::ranges::fill(window.local(), kUntouched);
    world.barrier();
    for (const std::size_t size : kSizes) {
        const auto seed = static_cast<unsigned>(size) + static_cast<unsigned>(world.rank());
        const Bytes bytes = numbered(size, seed);
        Bytes back(size + 2 * kMargin);
        auto access = window.lock(next);
        access.put(bytes, kMargin);
        access.flush();
        access.get(back, 0);
        access.flush();
        const auto begin = back.begin() + kMargin;
        expect(std::equal(bytes.begin(), bytes.end(), begin), "size " + std::to_string(size));
        expect(std::all_of(back.begin(), begin, [](unsigned char byte) { return byte == kUntouched; }),
               "what is in front of it, size " + std::to_string(size));
        expect(std::all_of(begin + static_cast<std::ptrdiff_t>(size), back.end(),
                           [](unsigned char byte) { return byte == kUntouched; }),
               "what is behind it, size " + std::to_string(size));
        Bytes again(size);
        access.iput(bytes, kMargin).wait();
        access.flush_local();
        access.flush();
        access.iget(again, kMargin).wait();
        expect(again == bytes, "by requests, size " + std::to_string(size));
    }
    world.barrier();
}

// More at once than a window lets be under way, without a flush; the last flush or the epoch's end is enough.
void run_many(tutti::Communicator& world, tutti::Window<unsigned char>& window, bool flushes)
{
    constexpr std::size_t kPuts = 1000;
    constexpr std::size_t kBytes = 131;
    const int next = (world.rank() + 1) % world.size();
    const int previous = (world.rank() + world.size() - 1) % world.size();
    std::ranges::fill(window.local(), kUntouched);
    world.barrier();
    const Bytes all = numbered(kPuts * kBytes, static_cast<unsigned>(world.rank()));
    {
        auto access = window.lock_all();
        for (std::size_t i = 0; i < kPuts; ++i)
            access[next].put(std::span(all).subspan(i * kBytes, kBytes), i * kBytes);
        if (flushes) {
            access.flush(next);
            world.barrier();
            const Bytes expected = numbered(kPuts * kBytes, static_cast<unsigned>(previous));
            window.sync();
            expect(std::ranges::equal(window.local().first(expected.size()), expected), "all, at the target");
        }
    }
    world.barrier();
    const Bytes expected = numbered(kPuts * kBytes, static_cast<unsigned>(previous));
    expect(std::ranges::equal(window.local().first(expected.size()), expected), "all puts");
    expect(window.local()[expected.size()] == kUntouched, "nothing else");
    world.barrier();
}

// The same for gets, which flush_local() completes, too; short ones, and ones that a network carries in
// pieces.
void run_many_gets(tutti::Communicator& world, tutti::Window<unsigned char>& window, bool flushes)
{
    const int next = (world.rank() + 1) % world.size();
    const Bytes own = numbered(window.local().size(), static_cast<unsigned>(world.rank()));
    std::ranges::copy(own, window.local().begin());
    const Bytes expected = numbered(own.size(), static_cast<unsigned>(next));
    world.barrier();
    for (const std::size_t bytes : {std::size_t{131}, std::size_t{70'001}}) {
        const std::size_t gets = bytes < 1000 ? 1000 : 10;
        Bytes all(gets * bytes);
        {
            auto access = window.lock_all();
            for (std::size_t i = 0; i < gets; ++i)
                access[next].get(std::span(all).subspan(i * bytes, bytes), i * bytes);
            if (flushes) {
                access.flush_local(next);
                expect(std::ranges::equal(std::span(expected).first(all.size()), all),
                       "all gets, when flushed");
            }
        }
        expect(std::ranges::equal(std::span(expected).first(all.size()), all), "all gets");
    }
    world.barrier();
}

void run_epochs(tutti::Communicator& world)
{
    const int size = world.size();
    const int rank = world.rank();
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    std::vector<std::int64_t> memory(static_cast<std::size_t>(size) + 1);
    tutti::Window<std::int64_t> window(world, memory);
    for (std::int64_t round = 1; round <= 20; ++round) {
        {
            auto epoch = window.fence();
            for (int target = 0; target < size; ++target)
                epoch[target].put(round * 100 + rank, static_cast<std::size_t>(rank));
        }
        for (int origin = 0; origin < size; ++origin)
            expect(memory[static_cast<std::size_t>(origin)] == round * 100 + origin, "put, then fence");
        auto exposure = window.post(std::vector{previous});
        {
            auto access = window.start(std::vector{next});
            access[next].put(round * 1000 + rank, 0);
        }
        exposure.wait();
        expect(memory[0] == round * 1000 + previous, "put, then the end of start()");
        world.barrier();
        {
            auto access = window.lock(next);
            access.put(round, 0);
            access.flush();
            access.accumulate(std::int64_t{5}, 0, tutti::sum);
            access.flush();
            std::int64_t sum = 0;
            access.get(sum, 0);
            access.flush();
            expect(sum == round + 5, "put, then accumulate, then get");
            expect(access.fetch_and_op(std::int64_t{1}, 0, tutti::sum) == round + 5, "then fetch");
            access.flush();
            access.put(-round, 0);
        }
        world.barrier();
        expect(memory[0] == -round, "put, then unlock");
        {
            // A counter under a lock, by put and get.
            auto access = window.lock(0);
            std::int64_t count = 0;
            access.get(count, static_cast<std::size_t>(size));
            access.flush();
            access.put(count + 1, static_cast<std::size_t>(size));
        }
        world.barrier();
        if (rank == 0)
            expect(memory[static_cast<std::size_t>(size)] == round * size, "locks exclude puts, too");
        world.barrier();
    }
}

}  // namespace

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    tutti::Communicator world = environment.world();
    {
        tutti::Window<unsigned char> allocated(world, kMost + 2 * kMargin);
        run_sizes(world, allocated);
        run_many(world, allocated, false);
        run_many_gets(world, allocated, false);
    }
    Bytes memory(kMost + 2 * kMargin + 1);
    tutti::Window<unsigned char> window(world, std::span(memory).subspan(1));
    run_sizes(world, window);
    run_many(world, window, true);
    run_many_gets(world, window, true);
    run_epochs(world);
    return 0;
}

const Program program("window_sizes", run_program);

}  // namespace tutti::test::window_sizes
