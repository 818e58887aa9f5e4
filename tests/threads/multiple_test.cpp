// ThreadLevel::multiple: several threads of each rank call at once, on the same and on different
// communicators.
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "tests/threads/support.hpp"
#include "tutti/values.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr EnvironmentOptions kMultiple{.threads = ThreadLevel::multiple};

// Runs body(thread) on `count` threads of this rank; throws the first exception.
void on_threads(int count, const std::function<void(int)>& body)
{
    std::mutex mutex;
    std::exception_ptr first;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < count; ++thread)
            threads.emplace_back([&, thread] {
                try {
                    body(thread);
                } catch (...) {
                    const std::lock_guard lock(mutex);
                    if (!first)
                        first = std::current_exception();
                }
            });
    }
    if (first)
        std::rethrow_exception(first);
}

}  // namespace

TEST_CASE("threads of one communicator, each with a tag of its own")
{
    at_size(
        3,
        [](const Communicator& world) {
            on_threads(4, [&](int tag) {
                for (int round = 0; round < 40; ++round) {
                    const std::size_t count = round % 8 == 0 ? 20'000 : static_cast<std::size_t>(round);
                    const auto out = numbers(world.rank(), tag * 100 + round, count);
                    std::vector<int> in(count);
                    world.sendrecv(out, right_of(world), tag, in, left_of(world), tag);
                    expect(in == numbers(left_of(world), tag * 100 + round, count));
                }
            });
        },
        kMultiple);
}

TEST_CASE("threads that receive from anybody take every message once")
{
    constexpr int kThreads = 3;
    constexpr int kMessages = 100;
    std::array<std::atomic<int>, 4 * kMessages> taken{};
    at_size(
        4,
        [&](const Communicator& world) {
            Request sent[kMessages];
            std::vector<int> values(kMessages);
            on_threads(kThreads + 1, [&](int thread) {
                if (thread == kThreads) {
                    for (int i = 0; i < kMessages; ++i) {
                        values[static_cast<std::size_t>(i)] = world.rank() * kMessages + i;
                        sent[i] = world.isend(values[static_cast<std::size_t>(i)], right_of(world), 1);
                    }
                    return;
                }
                for (int i = thread; i < kMessages; i += kThreads) {
                    int value = -1;
                    if (i % 2 == 0)
                        world.recv(value, any_source, 1);
                    else
                        world.mprobe(any_source, 1).recv(value);
                    expect(value / kMessages == left_of(world));
                    ++taken[static_cast<std::size_t>(value)];
                }
            });
            wait_all(sent);
        },
        kMultiple);
    for (const auto& times : taken)
        REQUIRE(times.load() == 1);
}

TEST_CASE("threads with communicators of their own, collectives and messages at once")
{
    at_size(
        4,
        [](const Communicator& world) {
            std::vector<Communicator> own;
            for (int thread = 0; thread < 3; ++thread)
                own.push_back(world.dup());
            on_threads(3, [&](int thread) {
                const Communicator& mine = own[static_cast<std::size_t>(thread)];
                for (int round = 0; round < 30; ++round) {
                    expect(allreduce(mine, mine.rank() + thread, sum) == 6 + 4 * thread);
                    std::vector<double> data(3000, round);
                    Request reduced = mine.iallreduce(data, sum);
                    expect(broadcast(mine, mine.rank() * 7 + round, {.root = round % 4}) ==
                           round % 4 * 7 + round);
                    while (!reduced.test()) {
                    }
                    expect(data == std::vector<double>(3000, 4.0 * round));
                    mine.barrier();
                    if (round % 10 == 0)
                        expect(mine.split(mine.rank() / 2)->size() == 2);
                }
            });
        },
        kMultiple);
}

TEST_CASE("threads that wait for, test and cancel requests while others make progress")
{
    at_size(
        2,
        [](const Communicator& world) {
            on_threads(4, [&](int tag) {
                for (int round = 0; round < 30; ++round) {
                    int never = 0;
                    Request cancelled = world.irecv(never, any_source, 1000 + tag);
                    std::array<int, 3> in{};
                    std::array<Request, 3> requests;
                    for (std::size_t i = 0; i < 3; ++i)
                        requests[i] = world.irecv(in[i], left_of(world), tag * 10 + static_cast<int>(i));
                    for (int i = 2; i >= 0; --i)
                        world.send(round + i, right_of(world), tag * 10 + i);
                    for (int i = 0; i < 3; ++i)
                        expect(wait_any(requests).has_value());
                    expect(in == std::array{round, round + 1, round + 2});
                    expect(cancelled.cancel());
                    expect(cancelled.wait().cancelled);
                }
            });
        },
        kMultiple);
}

TEST_CASE("a thread that sleeps in a receive is woken by what another thread of its rank sends or starts")
{
    at_size(
        2,
        [](const Communicator& world) {
            using Clock = std::chrono::steady_clock;
            // To itself: no other rank is there to ring.
            on_threads(2, [&](int thread) {
                int value = 0;
                if (thread == 0) {
                    const auto start = Clock::now();
                    world.recv(value, world.rank(), 1);
                    expect(Clock::now() - start < std::chrono::milliseconds(440), "woken late");
                } else {
                    std::this_thread::sleep_for(std::chrono::milliseconds(100));
                    world.send(value, world.rank(), 1);
                }
            });
            // A request started by one thread goes on while another sleeps in a call.
            on_threads(2, [&](int thread) {
                int value = 0;
                if (thread == 0) {
                    world.recv(value, left_of(world), 2);
                } else {
                    std::this_thread::sleep_for(std::chrono::milliseconds(50));
                    std::vector<int> in(100'000);
                    std::vector<int> out(100'000, 3);
                    const auto start = Clock::now();
                    Request received = world.irecv(in, left_of(world), 3);
                    Request sent = world.isend(out, right_of(world), 3);
                    received.wait();
                    sent.wait();
                    expect(Clock::now() - start < std::chrono::milliseconds(400), "slow");
                    expect(in == out);
                    world.send(value, right_of(world), 2);
                }
            });
        },
        kMultiple);
}

TEST_CASE("serialized: the calls wander from thread to thread")
{
    at_size(3,
            [](const Communicator& world) {
                Request sent;
                std::vector<int> in(20'000);
                Request received;
                std::thread([&] { received = world.irecv(in, left_of(world), 1); }).join();
                std::thread([&] {
                    sent = world.isend(numbers(world.rank(), 1, 20'000), right_of(world), 1);
                }).join();
                std::thread([&] { received.wait(); }).join();
                sent.wait();
                expect(in == numbers(left_of(world), 1, 20'000));
            },
            {.threads = ThreadLevel::serialized});
}

TEST_CASE("what a function holds ends while other threads may call")
{
    struct Held {
        const Communicator& world;
        std::future<void>& called;
        std::atomic<bool>& in_time;
        ~Held()
        {
            called = std::async(std::launch::async, [&world = world] { world.iprobe(); });
            in_time = called.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
        }
    };
    at_size(
        2,
        [](const Communicator& world) {
            std::future<void> called;
            std::atomic<bool> in_time{false};
            std::atomic<bool> done{false};
            std::vector<int> in(3);
            world.irecv(in, left_of(world), 1)
                .then([held = std::make_shared<Held>(world, called, in_time), &done](
                          const Status&, std::exception_ptr) { done = true; });
            world.send(std::array{1, 2, 3}, right_of(world), 1);
            while (!done)
                world.iprobe();
            world.barrier();
            expect(in_time);
            called.get();
        },
        kMultiple);
}
