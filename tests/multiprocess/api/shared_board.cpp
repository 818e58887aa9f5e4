// Many collectives of small data in a row, as ranks of a node do them through shared memory: sizes around a
// slot's and a chunk's, ranks that come late, communicators beside each other, and operations under way
// meanwhile.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/multiprocess/api/program.hpp"
#include "tests/sanitizers.hpp"

namespace tutti::test::shared_board {

namespace {

// From one rank to another nothing, `count` times 8 bytes, or twice as many.
void check_unequal_exchange(const Communicator& group, int round, std::size_t count)
{
    const int ranks = group.size();
    const auto size_bytes = [&](int from, int to) {
        return 8 * count * static_cast<std::size_t>((from + 2 * to) % 3);
    };
    const auto block = [&](int from, int to) {
        return bytes(from, static_cast<std::size_t>(ranks * round + to), size_bytes(from, to));
    };
    std::vector<std::byte> sent;
    std::vector<std::byte> expected;
    std::vector<std::size_t> sent_counts;
    std::vector<std::size_t> counts;
    for (int peer = 0; peer < ranks; ++peer) {
        const auto to = block(group.rank(), peer);
        const auto from = block(peer, group.rank());
        sent.insert(sent.end(), to.begin(), to.end());
        expected.insert(expected.end(), from.begin(), from.end());
        sent_counts.push_back(to.size());
        counts.push_back(from.size());
    }
    std::vector<std::byte> received(expected.size());
    group.alltoallv(sent, sent_counts, received, counts);
    expect(received == expected, "alltoallv");
}

// Everybody's block for everybody, of `count` times 8 bytes.
void check_exchange(const Communicator& group, int round, std::size_t count)
{
    const int ranks = group.size();
    const auto numbers = static_cast<std::size_t>(ranks * round);
    std::vector<std::byte> sent;
    std::vector<std::byte> expected;
    for (int peer = 0; peer < ranks; ++peer) {
        const auto to = bytes(group.rank(), numbers + static_cast<std::size_t>(peer), 8 * count);
        const auto from = bytes(peer, numbers + static_cast<std::size_t>(group.rank()), 8 * count);
        sent.insert(sent.end(), to.begin(), to.end());
        expected.insert(expected.end(), from.begin(), from.end());
    }
    std::vector<std::byte> received(sent.size());
    group.alltoall(sent, received);
    expect(received == expected, "alltoall");
    group.alltoall(sent);
    expect(sent == expected, "alltoall in place");

    // Element i of rank r is r + 3 i + round.
    std::vector<long> operand(count * static_cast<std::size_t>(ranks));
    for (std::size_t i = 0; i < operand.size(); ++i)
        operand[i] = group.rank() + 3 * static_cast<long>(i) + round;
    std::vector<long> own(count, -1);
    group.reduce_scatter(operand, own, sum);
    const long first = group.rank() * static_cast<long>(count);
    for (std::size_t i = 0; i < count; ++i)
        expect(own[i] == ranks * (ranks - 1L) / 2 + ranks * (3 * (first + static_cast<long>(i)) + round),
               "reduce_scatter");
    group.reduce_scatter(operand, sum);
    expect(std::equal(own.begin(), own.end(), operand.begin()), "reduce_scatter in place");
}

void check_round(const Communicator& group, int round)
{
    const int ranks = group.size();
    const int root = round % ranks;
    // A different rank is late each time; long enough now and then for the others to fall asleep.
    if (group.rank() == (round / 2) % ranks && round % 16 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(round % 64 == 0 ? 6 : 1));

    // Of 8 bytes: 2048 fill a slot, 12801 are more than the chunks that a stream holds.
    for (const std::size_t count : {0, 1, 6, 7, 257, 1024, 1025, 2048, 2049, 12801}) {
        if (count > 2049 && round % 8 != 0)
            continue;
        std::vector<double> sums(count, group.rank() + round);
        group.allreduce(sums, sum);
        const double expected = ranks * (ranks - 1) / 2.0 + static_cast<double>(ranks) * round;
        expect(std::ranges::all_of(sums, [&](double value) { return value == expected; }), "allreduce");

        const auto number = static_cast<std::size_t>(round);
        auto data = group.rank() == root ? bytes(root, number, 8 * count) : std::vector<std::byte>(8 * count);
        group.broadcast(data, {.root = root});
        expect(data == bytes(root, number, 8 * count), "broadcast");

        std::vector<int> largest(count, -1);
        group.reduce(std::vector<int>(count, group.rank() * 10 + round), largest, max, {.root = root});
        const int result = group.rank() == root ? (ranks - 1) * 10 + round : -1;
        expect(std::ranges::all_of(largest, [&](int value) { return value == result; }), "reduce");
    }
    for (const std::size_t count : {0, 1, 7, 100}) {
        const auto number = static_cast<std::size_t>(round);
        const auto mine = bytes(group.rank(), number, 8 * count);
        std::vector<std::byte> all;
        for (int rank = 0; rank < ranks; ++rank) {
            const auto block = bytes(rank, number, 8 * count);
            all.insert(all.end(), block.begin(), block.end());
        }
        std::vector<std::byte> gathered(all.size());
        group.allgather(mine, gathered);
        expect(gathered == all, "allgather");
        std::vector<std::byte> at_root(group.rank() == root ? all.size() : 0);
        group.gather(mine, at_root, {.root = root});
        expect(group.rank() != root || at_root == all, "gather");

        std::vector<long> prefix(count, -1);
        group.scan(std::vector<long>(count, group.rank() + round), prefix, sum);
        const long below = group.rank() * (group.rank() - 1L) / 2 + static_cast<long>(group.rank()) * round;
        expect(std::ranges::all_of(prefix, [&](long v) { return v == below + group.rank() + round; }),
               "scan");
        group.exscan(std::vector<long>(count, group.rank() + round), prefix, sum);
        expect(group.rank() == 0 || std::ranges::all_of(prefix, [&](long v) { return v == below; }),
               "exscan");
    }
    for (const std::size_t count : {0, 1, 51, 409, 410}) {  // of 5 ranks 409 fit a slot
        check_exchange(group, round, count);
        check_unequal_exchange(group, round, count);
    }
    group.barrier();
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    const auto part = world.split(world.rank() % 2);
    for (int round = 0; round < (kSanitized || world.size() > 3 ? 34 : 130); ++round) {
        int in = world.rank();
        Request under_way = world.iallreduce(in, sum);
        check_round(world, round);
        check_round(*part, round);
        under_way.wait();
        expect(in == world.size() * (world.size() - 1) / 2, "non-blocking beside blocking");
    }
    std::ifstream maps("/proc/self/maps");
    const std::string text(std::istreambuf_iterator<char>(maps), {});
    if (world.rank() == 0 && text.find("tutti-board") != std::string::npos)
        std::puts("shared memory was used");
    return 0;
}

const Program program("shared_board", run_program);

}  // namespace tutti::test::shared_board
