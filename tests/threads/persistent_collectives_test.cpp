// Persistent collectives: each is described once, and started several times with other data, beside blocking
// ones.
#include <algorithm>
#include <functional>
#include <memory>

#include "tests/threads/blocks_support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int kRounds = 3;
constexpr std::size_t kEach = 5;

// A request with what its rounds put in and expect. The buffers do not move.
struct Repeated {
    std::vector<int> in;
    std::vector<int> out;
    std::function<void(Repeated&, int round)> fill;
    std::function<std::vector<int>(int round)> expected;  // of `out`
};
using Prepare = std::function<PersistentRequest(Repeated&)>;

// In its place: the request refers to the buffer.
void put(std::vector<int>& buffer, const std::vector<int>& values)
{
    std::copy(values.begin(), values.end(), buffer.begin());
}

// Values that a sum of 7 ranks does not exceed.
std::vector<int> small(int rank, int round, std::size_t count)
{
    std::vector<int> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = (rank + 1) * (round + 2) + static_cast<int>(i);
    return values;
}

std::vector<int> sum_of(int first, int end, int round, std::size_t count)
{
    std::vector<int> sums(count);
    for (int rank = first; rank < end; ++rank) {
        const std::vector<int> values = small(rank, round, count);
        for (std::size_t i = 0; i < count; ++i)
            sums[i] += values[i];
    }
    return sums;
}

class Calls {
public:
    explicit Calls(const Communicator& world) : world_(world) {}

    void add(std::size_t in, std::size_t out, const Prepare& prepare,
             std::function<void(Repeated&, int)> fill, std::function<std::vector<int>(int)> expected)
    {
        calls_.push_back(std::make_unique<Repeated>());
        Repeated& call = *calls_.back();
        call.in.resize(in);
        call.out.resize(out);
        call.fill = std::move(fill);
        call.expected = std::move(expected);
        requests_.push_back(prepare(call));
    }

    // All under way at once, then one after the other, with blocking collectives between.
    void run()
    {
        for (int round = 0; round < kRounds; ++round) {
            for (const auto& call : calls_)
                call->fill(*call, round);
            if (round == 1) {
                for (PersistentRequest& request : requests_) {
                    request.start();
                    world_.barrier();
                    request.wait();
                }
            } else {
                start_all(requests_);
                int sum = 1;
                world_.allreduce(sum, tutti::sum);
                expect(sum == world_.size());
                wait_all(requests_);
            }
            for (std::size_t i = 0; i < calls_.size(); ++i) {
                expect(!requests_[i].active());
                expect(calls_[i]->out == calls_[i]->expected(round),
                       "call " + std::to_string(i) + " of round " + std::to_string(round));
            }
        }
    }

private:
    const Communicator& world_;
    std::vector<std::unique_ptr<Repeated>> calls_;
    std::vector<PersistentRequest> requests_;
};

void at_sizes(const std::function<void(const Communicator&)>& body)
{
    for (const int ranks : {1, 2, 3, 4, 7})
        at_size(ranks, body);
}

}  // namespace

TEST_CASE("persistent collectives that move blocks")
{
    at_sizes([](const Communicator& world) {
        const int rank = world.rank();
        const int last = world.size() - 1;
        const auto size = static_cast<std::size_t>(world.size());
        const std::size_t all = size * kEach;
        const Counts counts = equal(world, kEach);
        const auto own = [=](Repeated& call, int round) { put(call.in, numbers(rank, round, kEach)); };
        const auto everything = [=](int round) { return all_numbers(round, counts); };
        const auto at_last = [=](int round) {
            return rank == last ? all_numbers(round, counts) : std::vector<int>(all);
        };
        const auto own_in_place = [=](Repeated& call, int round) {
            const std::vector<int> block = numbers(rank, round, kEach);
            std::fill(call.out.begin(), call.out.end(), -1);
            std::copy(block.begin(), block.end(), call.out.begin() + rank * static_cast<int>(kEach));
        };
        const auto whole_at_last = [=](Repeated& call, int round) {
            if (rank == last)
                put(call.in, all_numbers(round, counts));
        };
        const auto own_numbers = [=](int round) { return numbers(rank, round, kEach); };

        Calls calls(world);
        calls.add(
            0, kEach, [&](Repeated& c) { return world.broadcast_init(c.out, {.root = last}); },
            [=](Repeated& c, int round) { put(c.out, numbers(rank, round, kEach)); },
            [=](int round) { return numbers(last, round, kEach); });
        calls.add(
            kEach, all, [&](Repeated& c) { return world.allgather_init(c.in, c.out); }, own, everything);
        calls.add(
            0, all, [&](Repeated& c) { return world.allgather_init(c.out); }, own_in_place, everything);
        calls.add(
            kEach, all, [&](Repeated& c) { return world.allgatherv_init(c.in, c.out, counts); }, own,
            everything);
        calls.add(
            0, all, [&](Repeated& c) { return world.allgatherv_init(c.out, counts); }, own_in_place,
            everything);
        calls.add(
            kEach, all, [&](Repeated& c) { return world.gather_init(c.in, c.out, {.root = last}); }, own,
            at_last);
        calls.add(
            kEach, all, [&](Repeated& c) { return world.gatherv_init(c.in, c.out, counts, {.root = last}); },
            own, at_last);
        calls.add(
            all, kEach, [&](Repeated& c) { return world.scatter_init(c.in, c.out, {.root = last}); },
            whole_at_last, own_numbers);
        calls.add(
            all, kEach, [&](Repeated& c) { return world.scatterv_init(c.in, counts, c.out, {.root = last}); },
            whole_at_last, own_numbers);

        const auto to_all = [=](std::vector<int>& blocks, int round) {
            blocks.clear();
            for (int to = 0; to <= last; ++to) {
                const std::vector<int> block = numbers(rank, 100 * round + to, kEach);
                blocks.insert(blocks.end(), block.begin(), block.end());
            }
        };
        const auto from_all = [=](int round) { return all_numbers(100 * round + rank, counts); };
        calls.add(
            all, all, [&](Repeated& c) { return world.alltoall_init(c.in, c.out); },
            [=](Repeated& c, int round) { to_all(c.in, round); }, from_all);
        calls.add(
            0, all, [&](Repeated& c) { return world.alltoall_init(c.out); },
            [=](Repeated& c, int round) { to_all(c.out, round); }, from_all);
        calls.add(
            all, all, [&](Repeated& c) { return world.alltoallv_init(c.in, counts, c.out, counts); },
            [=](Repeated& c, int round) { to_all(c.in, round); }, from_all);
        calls.add(
            0, all, [&](Repeated& c) { return world.alltoallv_init(c.out, counts); },
            [=](Repeated& c, int round) { to_all(c.out, round); }, from_all);
        calls.run();
    });
}

TEST_CASE("persistent collectives that combine elements")
{
    at_sizes([](const Communicator& world) {
        const int rank = world.rank();
        const int size = world.size();
        const std::size_t all = static_cast<std::size_t>(size) * kEach;
        const std::vector<std::size_t> counts(static_cast<std::size_t>(size), kEach);
        const auto own = [=](Repeated& call, int round) { put(call.in, small(rank, round, call.in.size())); };
        const auto own_in_place = [=](Repeated& call, int round) {
            put(call.out, small(rank, round, call.out.size()));
        };
        const auto of_all = [=](int round) { return sum_of(0, size, round, kEach); };
        const auto of_some = [=](int round) { return sum_of(0, rank + 1, round, kEach); };
        const auto of_below = [=](int round) { return sum_of(0, rank, round, kEach); };
        const auto at_root = [=](int round) { return rank == 0 ? of_all(round) : std::vector<int>(kEach); };
        const auto part = [=](int round) {
            const std::vector<int> sums = sum_of(0, size, round, all);
            return std::vector<int>(sums.begin() + rank * static_cast<int>(kEach),
                                    sums.begin() + (rank + 1) * static_cast<int>(kEach));
        };
        // With state, so that the request has to keep it.
        int one = 1;
        const auto add = user_op([one](int a, int b) { return a + b * one; }, commutative);

        Calls calls(world);
        calls.add(
            kEach, kEach, [&](Repeated& c) { return world.reduce_init(c.in, c.out, sum); }, own, at_root);
        calls.add(
            0, kEach, [&](Repeated& c) { return world.reduce_init(c.out, sum); }, own_in_place,
            [=](int round) { return rank == 0 ? of_all(round) : small(rank, round, kEach); });
        calls.add(
            kEach, kEach, [&](Repeated& c) { return world.allreduce_init(c.in, c.out, add); }, own, of_all);
        calls.add(
            0, kEach, [&](Repeated& c) { return world.allreduce_init(c.out, sum); }, own_in_place, of_all);
        calls.add(
            all, kEach, [&](Repeated& c) { return world.reduce_scatter_init(c.in, c.out, sum); }, own, part);
        calls.add(
            all, kEach, [&](Repeated& c) { return world.reduce_scatterv_init(c.in, c.out, counts, add); },
            own, part);
        calls.add(
            kEach, kEach, [&](Repeated& c) { return world.scan_init(c.in, c.out, add); }, own, of_some);
        calls.add(
            0, kEach, [&](Repeated& c) { return world.scan_init(c.out, sum); }, own_in_place, of_some);
        calls.add(
            kEach, kEach, [&](Repeated& c) { return world.exscan_init(c.in, c.out, sum); }, own, of_below);
        calls.run();
    });
}

TEST_CASE("a persistent barrier waits for all, and cannot be started while it is active")
{
    at_sizes([](const Communicator& world) {
        PersistentRequest barrier = world.barrier_init();
        expect(!barrier.active());
        expect(barrier.wait().code == ErrorCode::success, "before any start");
        for (int round = 0; round < kRounds; ++round) {
            if (world.rank() == 0 && world.size() > 1) {
                barrier.start();
                expect(!barrier.test(), "nobody else has started");
                expect_error(ErrorCode::invalid_argument, "still under way", [&] { barrier.start(); });
                world.send(round, 1);
            } else {
                if (world.rank() == 1)
                    world.recv(std::vector<int>(1), 0);
                barrier.start();
            }
            barrier.wait();
            world.barrier();
        }
    });
}

TEST_CASE("a started persistent collective outlives its PersistentRequest")
{
    at_sizes([](const Communicator& world) {
        std::vector<int> sums = small(world.rank(), 0, kEach);
        Request request;
        {
            int one = 1;
            PersistentRequest described =
                world.allreduce_init(sums, user_op([one](int a, int b) { return a + b * one; }, commutative));
            described.start();
            request = std::move(described.request());
        }
        request.wait();
        expect(sums == sum_of(0, world.size(), 0, kEach));

        PersistentRequest replaced = world.allreduce_init(sums, sum);
        replaced.start();
        replaced = world.barrier_init();  // waits for what was started
        expect(sums[0] == sum_of(0, world.size(), 0, kEach)[0] * world.size());
    });
}

TEST_CASE("what does not fit is refused when a persistent collective is described")
{
    at_size(3, [](const Communicator& world) {
        std::vector<int> in(2);
        std::vector<int> out(5);
        expect_error(ErrorCode::invalid_argument, "allgather",
                     [&] { static_cast<void>(world.allgather_init(in, out)); });
        expect_error(ErrorCode::invalid_rank, "root 3",
                     [&] { static_cast<void>(world.broadcast_init(in, {.root = 3})); });
        expect_error(ErrorCode::invalid_argument, "one size",
                     [&] { static_cast<void>(world.allreduce_init(in, out, sum)); });
    });
}
