// Messages and reductions out of memory that peers read in place: every size, kind of send and receive.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::shared_memory {

namespace {

void check_sizes(const Communicator& world)
{
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    std::size_t number = 0;
    for (const std::size_t size :
         {1u, 1023u, 1024u, 4095u, 4096u, 4097u, 8192u, 8193u, 65'536u, 1'000'001u, 5'000'000u}) {
        for (const bool shared_receiver : {false, true}) {
            ++number;
            const auto mine = bytes(world.rank(), number, size);
            shared_vector<std::byte> out(mine.begin(), mine.end());
            std::vector<std::byte> plain_in(size);
            shared_vector<std::byte> shared_in(size);
            const std::span<std::byte> in = shared_receiver ? std::span(shared_in) : std::span(plain_in);
            Request sent = number % 3 == 0 ? world.issend(out, right, 1) : world.isend(out, right, 1);
            const Status status = world.recv(in, number % 2 == 0 ? any_source : left, 1);
            sent.wait();
            std::ranges::fill(out,
                              std::byte{0});  // the memory is ours again, and what was received is not it
            expect(status.source == left && status.size_bytes == size, "status");
            expect(std::ranges::equal(in, bytes(left, number, size)), "data");
        }
    }
}

void check_parts(const Communicator& world)
{
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    shared_vector<int> out(50'000);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = world.rank() * 1'000'000 + static_cast<int>(i);

    // A part of it, and a receive that is too short.
    std::vector<int> in(10'000);
    Request part = world.isend(std::span(out).subspan(123, 10'000), right, 2);
    world.recv(in, left, 2);
    part.wait();
    expect(in.front() == left * 1'000'000 + 123 && in.back() == left * 1'000'000 + 10'122, "part");
    Request whole = world.isend(out, right, 3);
    try {
        world.recv(in, left, 3);
        expect(false, "no error");
    } catch (const Error& error) {
        expect(error.code() == ErrorCode::truncated, "truncated");
    }
    whole.wait();
    expect(in.front() == left * 1'000'000 && in.back() == left * 1'000'000 + 9'999, "what fits is there");

    // Into a layout, and from one.
    std::vector<int> wide(3 * 10'000, -1);
    Request dense = world.isend(std::span(out).first(10'000), right, 4);
    world.recv(strided(wide.data(), 10'000, 1, 3), left, 4);
    dense.wait();
    expect(wide[3] == left * 1'000'000 + 1 && wide[4] == -1 && wide[3 * 9'999] == left * 1'000'000 + 9'999,
           "layout");
}

void check_reductions(const Communicator& world)
{
    for (const std::size_t count : {500u, 1024u, 1025u, 300'000u}) {
        shared_vector<double> in(count);
        for (std::size_t i = 0; i < count; ++i)
            in[i] = world.rank() + static_cast<double>(i % 100);
        shared_vector<double> out(count);
        world.allreduce(in, out, sum);
        const double ranks = world.size();
        for (std::size_t i = 0; i < count; ++i)
            expect(out[i] == ranks * (ranks - 1) / 2 + ranks * static_cast<double>(i % 100), "allreduce");
        if (world.rank() == world.size() - 1)
            std::ranges::fill(in, 42.0);
        world.broadcast(in, {.root = world.size() - 1});
        expect(std::ranges::all_of(in, [](double value) { return value == 42.0; }), "broadcast");
    }
}

// Memory that is read in place and other memory by turns, in blocking calls of one communicator.
void check_memories_by_turns(const Communicator& world)
{
    for (std::size_t round = 0; round < 40; ++round) {
        const std::size_t count = std::size_t{1000} + round % 4 * 24;  // 4,000 to 4,288 bytes
        const int root = static_cast<int>(round / 2) % world.size();
        shared_vector<std::int32_t> read_in_place(count);
        std::vector<std::int32_t> plain(count);
        const std::span<std::int32_t> values = round % 2 == 0 ? std::span(read_in_place) : std::span(plain);
        const auto number = static_cast<std::int32_t>(round);
        if (world.rank() == root)
            std::ranges::fill(values, number);
        world.broadcast(values, {.root = root});
        expect(std::ranges::all_of(values, [&](std::int32_t value) { return value == number; }),
               "broadcast by turns");
        std::vector<std::int32_t> sums(count);
        world.reduce(values, sums, sum, {.root = root});
        std::ranges::fill(values, -1);  // the memory is ours again
        if (world.rank() == root)
            expect(
                std::ranges::all_of(sums, [&](std::int32_t value) { return value == number * world.size(); }),
                "reduce by turns");
    }
}

// A root copies its own block with the help of a rank that waits for it.
void check_gathers(const Communicator& world)
{
    constexpr std::size_t kCount = 100'000;
    const int root = world.size() - 1;
    shared_vector<int> own(kCount);
    shared_vector<int> all(kCount * static_cast<std::size_t>(world.size()));
    for (int round = 0; round < 20; ++round) {
        for (std::size_t i = 0; i < kCount; ++i)
            own[i] = round + world.rank() + static_cast<int>(3 * i);
        std::ranges::fill(all, -1);
        world.gather(own, all, {.root = root});
        for (std::size_t i = 0; world.rank() == root && i < all.size(); ++i)
            expect(all[i] == round + static_cast<int>(i / kCount + 3 * (i % kCount)), "gather");
    }
}

// Memory that was freed and taken again, sizes mixed, while peers hold mappings of it.
void check_reuse(const Communicator& world)
{
    for (std::size_t round = 0; round < 60; ++round) {
        const std::size_t size = 4096 + (round * 7919) % 300'000;
        const auto expected = bytes(0, round, size);
        shared_vector<std::byte> data(size);
        if (world.rank() == 0)
            std::ranges::copy(expected, data.begin());
        world.broadcast(data, {.root = 0});
        expect(std::ranges::equal(data, expected), "reuse");
    }
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    check_sizes(world);
    check_parts(world);
    check_reductions(world);
    check_memories_by_turns(world);
    check_gathers(world);
    check_reuse(world);
    return 0;
}

const Program program("shared_memory", run_program);

}  // namespace tutti::test::shared_memory
