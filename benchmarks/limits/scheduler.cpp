// The cost of waiting without spinning: switches between processes, and wake-ups.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/limits/pair.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"

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

}  // namespace

void probe_switches(const TakeFigure& figures, ProbeScale scale)
{
    const auto [own, other] = two_cores();
    figures("switch on one core by sched_yield", {}, turn_us(own, own, Waiting::yield, scale.loops(15000)),
            "us");
    figures("switch on one core by futex", {}, turn_us(own, own, Waiting::futex, scale.loops(15000)), "us");
    figures("wake on another core by futex", {}, turn_us(own, other, Waiting::futex, scale.loops(4000)),
            "us");
}

}  // namespace tutti::bench
