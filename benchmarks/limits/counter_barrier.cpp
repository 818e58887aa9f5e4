// Barriers of more processes than cores with only a counter and sched_yield: each process needs one turn, as
// the ranks of any library do that share cores.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/limits/pair.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"
#include "benchmarks/suite/measure/statistics.hpp"

namespace tutti::bench {

namespace {

// Each has its own cache line: ranks that wait for the round must not slow ranks that still arrive.
struct Counters {
    Line arrived;
    Line round;
};

// Barriers first .. last, counted from 1.
void counter_barriers(Counters& counters, unsigned ranks, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; ++i) {
        // The counter never goes back, so no rank resets it while others may read it.
        if (counters.arrived.value.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks * i) {
            counters.round.value.store(i, std::memory_order_release);
            continue;
        }
        // No rank is further ahead before this rank has arrived again.
        while (counters.round.value.load(std::memory_order_acquire) != i)
            sched_yield();
    }
}

// Runs rank 0 here and each other rank in its own process, alternating between the two cores. Returns rank
// 0's result when all have ended.
double with_ranks(unsigned ranks, const std::function<double(unsigned rank)>& run)
{
    const auto [own, other] = two_cores();
    // with_child() starts one process, which starts the others.
    return with_child(
        own, other, [&] { return run(0); },
        [&, own = own, other = other] {
            std::vector<pid_t> children;
            for (unsigned rank = 2; rank < ranks; ++rank) {
                const pid_t child = fork();
                if (child == 0) {
                    prctl(PR_SET_PDEATHSIG, SIGKILL);
                    bind_to_core(rank % 2 == 0 ? own : other);
                    run(rank);
                    _exit(0);
                }
                if (child < 0)
                    _exit(1);
                children.push_back(child);
            }
            run(1);
            for (const pid_t child : children)
                waitpid(child, nullptr, 0);
        });
}

// Many in a row: us a barrier.
double barrier_us(unsigned ranks, unsigned rounds)
{
    SharedMemory memory(sizeof(Counters));
    Counters* counters = memory.make<Counters>();
    return with_ranks(ranks, [=](unsigned) {
        counter_barriers(*counters, ranks, 1, 1);  // all are there
        const double start = now_us();
        counter_barriers(*counters, ranks, 2, rounds + 1);
        return (now_us() - start) / rounds;
    });
}

// Like the suite: each rank reads the clock after each barrier, and the slowest rank's time counts. Returns
// the median.
double timed_barrier_us(unsigned ranks, unsigned rounds)
{
    SharedMemory memory(sizeof(Counters) + ranks * rounds * sizeof(double));
    Counters* counters = memory.make<Counters>();
    double* times = reinterpret_cast<double*>(memory.bytes().data() + sizeof(Counters));  // rank by rank
    with_ranks(ranks, [=](unsigned rank) {
        const unsigned warm_up = rounds / 10 + 1;
        counter_barriers(*counters, ranks, 1, warm_up);
        double last = now_us();
        for (unsigned i = 0; i < rounds; ++i) {
            counter_barriers(*counters, ranks, warm_up + 1 + i, warm_up + 1 + i);
            const double now = now_us();
            times[rank * rounds + i] = now - last;
            last = now;
        }
        return 0.0;
    });
    std::vector<double> slowest(times, times + rounds);
    for (std::size_t i = rounds; i < std::size_t{ranks} * rounds; ++i)
        slowest[i % rounds] = std::max(slowest[i % rounds], times[i]);
    return median(std::move(slowest));
}

// From one start to the next the ranks of a core take turns in another order, which lasts
// (docs/measurements/shared-memory.md).
constexpr int kStarts = 8;

}  // namespace

void probe_counter_barrier(const TakeFigure& figures, ProbeScale scale)
{
    for (const unsigned ranks : {4u, 8u, 16u, 32u})
        figures("counter barrier on two cores", ranks,
                barrier_us(ranks, static_cast<unsigned>(scale.loops(static_cast<int>(40000 / ranks)))), "us");
}

void probe_timed_counter_barrier(const TakeFigure& figures, ProbeScale scale)
{
    for (const unsigned ranks : {4u, 8u, 16u}) {
        std::vector<double> medians(kStarts);
        for (double& us : medians)
            us = timed_barrier_us(ranks, static_cast<unsigned>(scale.loops(static_cast<int>(16000 / ranks))));
        const auto [best, worst] = std::ranges::minmax(medians);
        figures("timed counter barrier, best start", ranks, best, "us");
        figures("timed counter barrier, worst start", ranks, worst, "us");
    }
}

}  // namespace tutti::bench
