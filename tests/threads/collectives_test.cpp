// Collectives, blocking and not, alone and at once on several communicators.
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

std::vector<double> contribution(int rank, std::size_t count)
{
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = rank + 1 + static_cast<double>(i % 100);
    return values;
}

// The sum of all contributions: exact in doubles.
std::vector<double> total(int ranks, std::size_t count)
{
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = ranks * (ranks + 1) / 2.0 + ranks * static_cast<double>(i % 100);
    return values;
}

const std::size_t kElementCounts[] = {0, 1, 7, 1000, 4097, 20'001};

}  // namespace

TEST_CASE("broadcast from every root")
{
    at_all_sizes([](const Communicator& world) {
        for (int root = 0; root < world.size(); ++root) {
            for (const std::size_t count : kElementCounts) {
                std::vector<int> data =
                    world.rank() == root ? numbers(root, 1, count) : std::vector<int>(count);
                world.broadcast(data, {.root = root});
                expect(data == numbers(root, 1, count));
                std::vector<int> later =
                    world.rank() == root ? numbers(root, 2, count) : std::vector<int>(count);
                world.ibroadcast(later, {.root = root}).wait();
                expect(later == numbers(root, 2, count));
            }
        }
    });
}

TEST_CASE("reduce to every root, out of place and in place")
{
    at_all_sizes([](const Communicator& world) {
        for (int root = 0; root < world.size(); ++root) {
            for (const std::size_t count : kElementCounts) {
                const auto in = contribution(world.rank(), count);
                std::vector<double> out(count, -1);
                world.reduce(in, out, sum, {.root = root});
                const auto expected =
                    world.rank() == root ? total(world.size(), count) : std::vector<double>(count, -1);
                expect(out == expected);
                std::vector<double> data = in;
                world.reduce(data, sum, {.root = root});
                expect(data == (world.rank() == root ? expected : in));
                std::fill(out.begin(), out.end(), -1);
                world.ireduce(in, out, sum, {.root = root}).wait();
                expect(out == expected);
            }
        }
    });
}

TEST_CASE("allreduce of sums, extremes and other types")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t count : kElementCounts) {
            auto data = contribution(world.rank(), count);
            world.allreduce(data, sum);
            expect(data == total(world.size(), count));
            const auto in = contribution(world.rank(), count);
            std::vector<double> out(count);
            world.allreduce(in, out, sum);
            expect(out == data && in == contribution(world.rank(), count));
            std::vector<double> later(count);
            world.iallreduce(in, later, sum).wait();
            expect(later == data);
            std::vector<float> floats(count, static_cast<float>(world.rank()));
            world.iallreduce(floats, max).wait();
            expect(floats == std::vector<float>(count, static_cast<float>(world.size() - 1)));
        }
        std::uint8_t small = static_cast<std::uint8_t>(world.rank() + 1);
        world.allreduce(small, min);
        expect(small == 1);
        bool any = world.rank() == world.size() - 1;
        world.allreduce(any, lor);
        expect(any);
        long long product = 2;
        world.allreduce(product, prod);
        expect(product == 1ll << world.size());
    });
}

TEST_CASE("nobody leaves a barrier before all have come")
{
    for (const int ranks : {1, 2, 3, 4, 7, 16}) {
        std::atomic<int> arrived{0};
        at_size(ranks, [&](const Communicator& world) {
            for (int round = 1; round <= 20; ++round) {
                ++arrived;
                if (round % 2 == 0)
                    world.barrier();
                else
                    world.ibarrier().wait();
                expect(arrived.load() >= round * world.size());
                world.barrier();
            }
        });
        CHECK(arrived.load() == 20 * ranks);
    }
}

TEST_CASE("many collectives under way at once, on several communicators, finished in any order")
{
    at_all_sizes([](const Communicator& world) {
        const Communicator other = world.dup();
        const auto half = world.split(world.rank() % 2);
        constexpr std::size_t kRounds = 8;
        std::vector<std::vector<double>> sums;
        std::vector<std::vector<double>> halves;
        std::vector<std::vector<int>> shared;
        for (std::size_t i = 0; i < kRounds; ++i) {
            sums.push_back(contribution(world.rank(), 100 * i + 1));
            halves.push_back(contribution(half->rank(), 5000));
            shared.push_back(other.rank() == 0 ? numbers(0, static_cast<int>(i), 3000)
                                               : std::vector<int>(3000));
        }
        std::vector<Request> requests;
        for (std::size_t i = 0; i < kRounds; ++i) {
            requests.push_back(world.iallreduce(sums[i], sum));
            requests.push_back(half->iallreduce(halves[i], sum));
            requests.push_back(other.ibroadcast(shared[i]));
            requests.push_back(world.ibarrier());
        }
        // Point-to-point and blocking collectives go on beside them.
        const auto out = numbers(world.rank(), 5, 300);
        std::vector<int> in(300);
        world.sendrecv(out, right_of(world), 0, in, left_of(world), 0);
        other.barrier();
        std::reverse(requests.begin(), requests.end());
        wait_all(requests);
        expect(in == numbers(left_of(world), 5, 300));
        for (std::size_t i = 0; i < kRounds; ++i) {
            expect(sums[i] == total(world.size(), 100 * i + 1));
            expect(halves[i] == total(half->size(), 5000));
            expect(shared[i] == numbers(0, static_cast<int>(i), 3000));
        }
    });
}
