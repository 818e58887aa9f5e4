// One cache line from core to core.
#include "benchmarks/limits/limits.hpp"
#include "benchmarks/limits/pair.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"

namespace tutti::bench {

void probe_cache_line(const TakeFigure& figures, ProbeScale scale)
{
    const auto [own, other] = two_cores();
    SharedMemory memory(2 * sizeof(Line));
    Line* ping = memory.make<Line>();
    Line* pong = memory.make<Line>(sizeof(Line));
    const unsigned rounds = static_cast<unsigned>(scale.loops(300000));

    const double us = with_child(
        own, other,
        [=] {
            const double start = now_us();
            for (unsigned i = 1; i <= rounds; ++i) {
                ping->value.store(i, std::memory_order_release);
                spin_until([=] { return pong->value.load(std::memory_order_acquire) == i; });
            }
            return (now_us() - start) / (2.0 * rounds);
        },
        [=] {
            for (unsigned i = 1; i <= rounds; ++i) {
                spin_until([=] { return ping->value.load(std::memory_order_acquire) == i; });
                pong->value.store(i, std::memory_order_release);
            }
        });
    figures("cache line trip", {}, us, "us");
}

}  // namespace tutti::bench
