// TUTTI_PROGRESS=thread, or Progress::thread: operations go on while their rank is outside Tutti.
#include <time.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/threads/support.hpp"
#include "tutti/introspection.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr EnvironmentOptions kThread{.progress = Progress::thread};

// Computes, that is makes no call of Tutti, until `told` is set; false when that takes half a minute.
bool compute_until(const std::atomic<bool>& reported)
{
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!reported.load()) {
        if (std::chrono::steady_clock::now() > give_up)
            return false;
        std::this_thread::yield();
    }
    return true;
}

class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~Variable() { unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

double process_cpu_seconds()
{
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

TEST_CASE("a progress thread completes a collective for ranks that compute")
{
    // On the program's core; on another, where the thread also begins the collectives.
    const Variable cores("TUTTI_CORES", GENERATE("1", "2"));
    // Rank 0 waits for the result, which needs all others, and they call nothing before it has come.
    for (const int ranks : {1, 2, 3, 4, 7}) {
        CAPTURE(ranks);
        std::atomic<bool> reported{false};
        at_size(
            ranks,
            [&](const Communicator& world) {
                std::vector<double> data(50'001, world.rank() + 1.0);
                std::vector<int> blocks(100 * static_cast<std::size_t>(world.size()), world.rank());
                std::vector<int> exchanged(blocks.size());
                Request reduced = world.iallreduce(data, sum);
                Request swapped = world.ialltoall(blocks, exchanged);
                Request met = world.ibarrier();
                if (world.rank() == 0) {
                    reduced.wait();
                    swapped.wait();
                    met.wait();
                    reported = true;
                }
                expect(compute_until(reported), "the peers waited for a call");
                reduced.wait();
                swapped.wait();
                met.wait();
                expect(data == std::vector<double>(50'001, ranks * (ranks + 1) / 2));
                expect(exchanged[exchanged.size() - 1] == ranks - 1);
            },
            kThread);
    }
}

TEST_CASE("a progress thread sends and receives large messages for a rank that computes")
{
    for (const int ranks : {2, 3}) {
        CAPTURE(ranks);
        std::atomic<bool> reported{false};
        at_size(
            ranks,
            [&](const Communicator& world) {
                constexpr std::size_t kCount = 300'000;
                const int last = world.size() - 1;
                if (world.rank() == last) {
                    std::vector<int> in(kCount);
                    Request sent = world.isend(numbers(last, 1, kCount), 0, 1);
                    Request received = world.irecv(in, 0, 2);
                    expect(compute_until(reported), "the peer waited for a call");
                    received.wait();
                    sent.wait();
                    expect(in == numbers(0, 2, kCount));
                } else if (world.rank() == 0) {
                    std::vector<int> in(kCount);
                    world.recv(in, last, 1);
                    world.ssend(numbers(0, 2, kCount), last, 2);
                    expect(in == numbers(last, 1, kCount));
                    reported = true;
                }
            },
            kThread);
    }
}

TEST_CASE("a progress thread beside calls of all kinds")
{
    const auto level = GENERATE(ThreadLevel::funneled, ThreadLevel::multiple);
    const Variable cores("TUTTI_CORES", GENERATE("1", "2"));
    at_size(3,
            [](const Communicator& world) {
                std::vector<double> large(20'000);
                for (int round = 0; round < 12; ++round) {
                    large.assign(large.size(), round);
                    Request reduced = world.iallreduce(large, sum);
                    const auto out = numbers(world.rank(), round, static_cast<std::size_t>(round) * 100);
                    std::vector<int> in(out.size());
                    Request sent = world.isend(out, right_of(world), 1);
                    world.recv(in, left_of(world), 1);
                    expect(in == numbers(left_of(world), round, out.size()));
                    expect(allreduce(world, world.rank(), sum) == 3);
                    int never = 0;
                    Request cancelled = world.irecv(never, any_source, 9);
                    expect(cancelled.cancel());
                    expect(cancelled.wait().cancelled);
                    if (round % 2 == 0)
                        reduced.wait();
                    while (!reduced.test()) {
                    }
                    sent.wait();
                    expect(large == std::vector<double>(large.size(), 3.0 * round));
                }
            },
            {.threads = level, .progress = Progress::thread});
}

TEST_CASE("a rank's exception ends the job also while progress threads are at work")
{
    const Variable cores("TUTTI_CORES", GENERATE("1", "2"));
    const auto started = std::chrono::steady_clock::now();
    CHECK_THROWS_WITH(run_threads(
                          3,
                          [](Environment& environment) {
                              const Communicator world = environment.world();
                              std::vector<double> data(50'000, 1.0);
                              if (world.rank() == 2)
                                  throw std::runtime_error("rank 2 has had enough");
                              Request reduced = world.iallreduce(data, sum);
                              std::this_thread::sleep_for(std::chrono::milliseconds(20));
                              reduced.wait();
                          },
                          kThread),
                      "rank 2 has had enough");
    CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(20));
}

TEST_CASE("TUTTI_PROGRESS decides, and a wrong value is named")
{
    {
        const Variable variable("TUTTI_PROGRESS", "thread");
        std::atomic<bool> reported{false};
        at_size(2, [&](const Communicator& world) {
            std::vector<float> data(10'000, 1.0f);
            Request reduced = world.iallreduce(data, sum);
            if (world.rank() == 0) {
                reduced.wait();
                reported = true;
            }
            expect(compute_until(reported));
        });
    }
    {
        const Variable variable("TUTTI_PROGRESS", "calls");
        at_size(
            2, [](const Communicator& world) { world.barrier(); }, kThread);
    }
    const Variable variable("TUTTI_PROGRESS", "tread");
    CHECK_THROWS_WITH(
        run_threads(1, [](Environment&) {}),
        Catch::Contains("TUTTI_PROGRESS=tread is neither calls nor thread; did you mean 'thread'?"));
}

TEST_CASE("progress threads with nothing to move use no processor time")
{
    // Nothing under way; then receives that nobody answers.
    const bool posted = GENERATE(false, true);
    const Variable cores("TUTTI_CORES", GENERATE("1", "2"));
    CAPTURE(posted);
    at_size(
        3,
        [posted](const Communicator& world) {
            std::array<int, 1000> never{};
            Request waiting;
            if (posted)
                waiting = world.irecv(never, any_source, 5);
            world.barrier();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the barrier's spinning is over
            const double before = process_cpu_seconds();
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            const double used = process_cpu_seconds() - before;
            expect(used < 0.03, std::to_string(used) + " s used by all ranks");
            world.barrier();
            if (posted)
                expect(waiting.cancel());
            waiting.wait();
        },
        kThread);
}

TEST_CASE("a rank learns who makes its progress, and how many cores it owns")
{
    const Variable cores("TUTTI_CORES", "3");
    at_size(
        2,
        [](const Communicator& world) {
            expect(progress_of(world).by_thread);
            expect(progress_of(world).cores == 3);
        },
        kThread);
    at_size(2, [](const Communicator& world) { expect(!progress_of(world).by_thread); });
}
