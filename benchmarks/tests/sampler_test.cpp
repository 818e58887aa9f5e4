#include "benchmarks/suite/measure/sampler.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstring>

using namespace tutti::bench;

namespace {

// A job of one rank, which has nothing to wait for.
struct Alone {
    static std::string library() { return "none"; }
    int rank() const { return 0; }
    int size() const { return 1; }
    void barrier() { ++barriers; }
    void broadcast(Bytes, int) {}
    void allgather(ConstBytes in, Bytes out) { std::memcpy(out.data(), in.data(), in.size()); }
    void send(ConstBytes, int, int) {}
    void recv(Bytes, int, int) {}
    int barriers = 0;
};

// Rank 0 of two, whose other rank has a clock that is `ahead_us` before this one's.
struct WithClock {
    static std::string library() { return "none"; }
    int rank() const { return 0; }
    int size() const { return 2; }
    void barrier() {}
    void broadcast(Bytes, int) {}
    void allgather(ConstBytes, Bytes) {}
    void send(ConstBytes sent, int, int)
    {
        ++sends;
        std::memcpy(&last_sent, sent.data(), sizeof last_sent);
    }
    void recv(Bytes received, int, int)
    {
        const double now = now_us() + ahead_us;
        if (sends == 1)
            std::memcpy(received.data(), &identity, sizeof identity);
        else
            std::memcpy(received.data(), &now, sizeof now);
    }
    std::uint64_t identity;
    double ahead_us;
    int sends = 0;
    double last_sent = 0.0;
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("the offset of another clock is estimated, and that of the same one is not", "[benchmarks]")
{
    CHECK(clock_identity() != 0);
    CHECK(clock_identity() == clock_identity());

    WithClock other_host{.identity = clock_identity() + 1, .ahead_us = 1e9};
    CHECK(clock_offset(other_host) == 0.0);
    CHECK(other_host.sends == 1 + kClockTrips + 1);
    CHECK(other_host.last_sent == Approx(1e9).margin(1e6));

    WithClock here{.identity = clock_identity(), .ahead_us = 1e9};
    CHECK(clock_offset(here) == 0.0);
    CHECK(here.sends == 1);
}

TEST_CASE("times of ranks become the time of an iteration", "[benchmarks]")
{
    const std::array times{2.0, 6.0, 4.0};
    CHECK(combined(Over::root, times) == 2.0);
    CHECK(combined(Over::slowest, times) == 6.0);
    CHECK(combined(Over::mean, times) == 4.0);
    CHECK(combined(Over::rates, std::array{2.0, 2.0, kNone}) == 1.0);
    CHECK(std::isnan(combined(Over::slowest, std::array{1.0, kNone})));
}

TEST_CASE("a series keeps iterations in order, ranks apart, and counts the late", "[benchmarks]")
{
    Series series(Over::slowest, 2);
    series.add(std::array{1.0, 5.0, 3.0, /* rank 1: */ 2.0, 4.0, kNone}, 3);
    series.add(std::array{7.0, 9.0}, 1);
    CHECK(series.values() == std::vector{2.0, 5.0, 9.0});
    CHECK(series.late() == 1);
    CHECK(series.rank_medians() == std::vector{4.0, 4.0});
}

TEST_CASE("as many iterations run as were asked for", "[benchmarks]")
{
    Budget budget;
    budget.iterations = 25'001;
    budget.warmup = 3;
    budget.each_alone = true;
    for (const Start start : {Start::free, Start::barrier}) {
        Alone job;
        int calls = 0;
        const Series series = Sampler(job, budget).iterations(Over::slowest, start, [&] { ++calls; });
        CHECK(series.values().size() == 25'001);
        CHECK(series.iterations() == 25'001);
        // Of free iterations, the first of each batch is not timed.
        CHECK(calls == 3 + 25'001 + (start == Start::free ? 3 : 0));
        if (start == Start::barrier)
            CHECK(job.barriers >= 25'001);
    }
}

TEST_CASE("short iterations are timed several at once, and as many run as were asked for", "[benchmarks]")
{
    CHECK(iterations_a_reading(0.022, 0.2) == 11);
    CHECK(iterations_a_reading(0.022, 2.1) == 2);
    CHECK(iterations_a_reading(0.022, 2.3) == 1);
    CHECK(iterations_a_reading(0.022, 5000.0) == 1);
    CHECK(iterations_a_reading(0.022, 0.0) == 100);
    CHECK(iterations_a_reading(0.0, 0.0) == 1);
    for (const int wanted : {1, 1003}) {
        Alone job;
        Budget budget;
        budget.iterations = wanted;
        budget.warmup = 100;
        int calls = 0;
        const Series series = Sampler(job, budget).iterations(Over::root, Start::free, [&] { ++calls; });
        CHECK(series.iterations() == static_cast<std::size_t>(wanted));
        CHECK(calls == 100 + 1 + wanted);
        CHECK(series.values().size() >= static_cast<std::size_t>((wanted + 99) / 100));
        CHECK(series.values().size() <= static_cast<std::size_t>(wanted));
    }
}

TEST_CASE("so do the iterations of loops that are timed as a whole, dealt over rounds", "[benchmarks]")
{
    for (const int wanted : {1, 4, 23}) {
        Alone job;
        Budget budget;
        budget.iterations = wanted;
        budget.warmup = 7;
        int timed = 0;
        int untimed = 0;
        const Series series = Sampler(job, budget).rounds(Over::root, {100, 10}, [&](LoopCount loop) {
            timed += loop.iterations;
            untimed += loop.warmup;
            return 1.0;
        });
        CHECK(timed == wanted);
        CHECK(untimed == 7);
        CHECK(series.values().size() == static_cast<std::size_t>(std::min(wanted, 5)));
    }
    Budget budget;
    budget.warmup = 3;
    CHECK(loop_of_round(budget, {100, 10}, 4).iterations == 100);
    CHECK(loop_of_round(budget, {100, 10}, 4).warmup == 3);
}

TEST_CASE("iterations end when the median is known, or the time is over", "[benchmarks]")
{
    Budget budget;
    budget.precision = 0.01;
    budget.seconds = 1000.0;
    Stopping steady(budget, 100);
    std::vector<double> values;
    int batches = 0;
    while (const int batch = steady.next_batch(values, 60.0 + batches)) {
        values.insert(values.end(), static_cast<std::size_t>(batch), 1.0);
        REQUIRE(++batches < 100);
    }
    CHECK(steady.narrow());
    CHECK(values.size() >= 100);
    CHECK(values.size() < 300);

    // Values that tell nothing of the median: the box ends it.
    Stopping wild(budget, 100);
    values.clear();
    double elapsed = 0.0;
    while (const int batch = wild.next_batch(values, elapsed)) {
        for (int i = 0; i < batch; ++i)
            values.push_back(values.size() % 2 == 0 ? 1.0 : 1000.0);
        elapsed += batch;  // a second each
        REQUIRE(values.size() <= 1100);
    }
    CHECK_FALSE(wild.narrow());
    CHECK(values.size() >= 900);
}

TEST_CASE("a row has a value, however late iterations begin", "[benchmarks]")
{
    Budget budget;
    budget.seconds = 0.01;
    Stopping stopping(budget, 100);
    CHECK(stopping.next_batch({}, 0.0) == 10);
    CHECK(stopping.next_batch({}, 5.0) == 10);
    CHECK(stopping.next_batch(std::vector{1.0}, 6.0) == 0);
}

TEST_CASE("the engine's own cost is known", "[benchmarks]")
{
    Alone job;
    const Budget budget;
    Sampler sampler(job, budget);
    for (const Start start : {Start::free, Start::barrier, Start::clock}) {
        CHECK(sampler.taken_off_ns(start) > 0.0);
        CHECK(std::abs(sampler.left_over_ns(start)) < sampler.taken_off_ns(start) + 1000.0);
    }
}
