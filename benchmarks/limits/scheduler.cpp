// What it costs to wait without spinning: switches between processes, and barriers of more processes than
// cores.
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/limits/pair.hpp"
#include "benchmarks/suite/clock.hpp"

namespace tutti::bench {

namespace {

// Between processes: not the private kind. Returns at once when the word has changed already.
void futex_wait(std::atomic<unsigned>& word, unsigned while_value)
{
    syscall(SYS_futex, &word, FUTEX_WAIT, while_value, nullptr, nullptr, 0);
}

void futex_wake_all(std::atomic<unsigned>& word)
{
    syscall(SYS_futex, &word, FUTEX_WAKE, 1 << 30, nullptr, nullptr, 0);
}

enum class Waiting { yield, futex };

void wait_for(std::atomic<unsigned>& word, unsigned value, Waiting waiting)
{
    for (;;) {
        const unsigned seen = word.load(std::memory_order_acquire);
        if (seen == value)
            return;
        if (waiting == Waiting::yield)
            sched_yield();
        else
            futex_wait(word, seen);
    }
}

void announce(std::atomic<unsigned>& word, unsigned value, Waiting waiting)
{
    word.store(value, std::memory_order_release);
    if (waiting == Waiting::futex)
        futex_wake_all(word);
}

// Two processes take turns: us a turn.
double turn_us(int own_core, int other_core, Waiting waiting, int rounds)
{
    SharedMemory memory(2 * sizeof(Line));
    Line* ping = memory.make<Line>();
    Line* pong = memory.make<Line>(sizeof(Line));
    const unsigned last = static_cast<unsigned>(rounds);
    return with_child(
        own_core, other_core,
        [=] {
            const double start = now_us();
            for (unsigned i = 1; i <= last; ++i) {
                announce(ping->value, i, waiting);
                wait_for(pong->value, i, waiting);
            }
            return (now_us() - start) / (2.0 * last);
        },
        [=] {
            for (unsigned i = 1; i <= last; ++i) {
                wait_for(ping->value, i, waiting);
                announce(pong->value, i, waiting);
            }
        });
}

// Each in a line of its own: ranks that wait for the round must not slow those that still arrive.
struct Counters {
    Line arrived;
    Line round;
};

// Barriers first .. last, counted from 1.
void counter_barriers(Counters& counters, unsigned ranks, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; ++i) {
        // Counts up for ever: nobody has to reset it while others may still read it.
        if (counters.arrived.value.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks * i)
            announce(counters.round.value, i, Waiting::yield);
        else
            wait_for(counters.round.value, i, Waiting::yield);
    }
}

// A central counter, `ranks` processes on both cores: us a barrier.
double barrier_us(int ranks, int rounds)
{
    const auto [own, other] = two_cores();
    SharedMemory memory(sizeof(Counters));
    Counters* counters = memory.make<Counters>();
    const unsigned processes = static_cast<unsigned>(ranks);
    const unsigned last = static_cast<unsigned>(rounds);
    // with_child() brings one process; that one brings the rest, two by two on both cores.
    return with_child(
        own, other,
        [=] {
            counter_barriers(*counters, processes, 1, 1);  // all are there
            const double start = now_us();
            counter_barriers(*counters, processes, 2, last);
            return (now_us() - start) / (last - 1);
        },
        [=, own = own, other = other] {
            std::vector<pid_t> children;
            for (int rank = 2; rank < ranks; ++rank) {
                const pid_t child = fork();
                if (child == 0) {
                    prctl(PR_SET_PDEATHSIG, SIGKILL);
                    bind_to_core(rank % 2 == 0 ? own : other);
                    counter_barriers(*counters, processes, 1, last);
                    _exit(0);
                }
                if (child < 0)
                    _exit(1);
                children.push_back(child);
            }
            counter_barriers(*counters, processes, 1, last);
            for (const pid_t child : children)
                waitpid(child, nullptr, 0);
        });
}

}  // namespace

void probe_switches(const Figures& figures, ProbeScale scale)
{
    const auto [own, other] = two_cores();
    figures("switch on one core by sched_yield", {}, turn_us(own, own, Waiting::yield, scale.loops(15000)),
            "us");
    figures("switch on one core by futex", {}, turn_us(own, own, Waiting::futex, scale.loops(15000)), "us");
    figures("wake on another core by futex", {}, turn_us(own, other, Waiting::futex, scale.loops(4000)),
            "us");
}

void probe_counter_barrier(const Figures& figures, ProbeScale scale)
{
    for (const int ranks : {4, 8, 16, 32})
        figures("counter barrier on two cores", ranks, barrier_us(ranks, scale.loops(40000 / ranks)), "us");
}

}  // namespace tutti::bench
