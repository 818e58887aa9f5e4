// Copies by two cores at once: of one message, by its sender and its receiver, and of the blocks that two
// ranks exchange. Such a copy begins and ends with a line that goes from core to core, which counts.
#include <array>
#include <cstring>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/limits/pair.hpp"
#include "benchmarks/suite/library/page_buffers.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"

namespace tutti::bench {

namespace {

// The first process has the clock: from its word to the second, which it gives before its own half, until it
// knows of the second's end. us a copy.
double halves_us(std::size_t size_bytes, unsigned copies)
{
    const auto [own, other] = two_cores();
    SharedMemory memory(2 * size_bytes + 2 * sizeof(Line));
    std::byte* from = memory.bytes().data();
    std::byte* to = from + size_bytes;
    Line* begun = memory.make<Line>(2 * size_bytes);
    Line* done =
        memory.make<Line>(2 * size_bytes + sizeof(Line));  // 1: the source is written; then one a copy
    const std::size_t half = size_bytes / 2;

    return with_child(
        own, other,
        [=] {
            std::memset(to, 't', size_bytes);
            spin_until([=] { return done->value.load(std::memory_order_acquire) == 1; });
            double start = 0.0;
            for (unsigned i = 0; i <= copies; ++i) {
                if (i == 1)  // the first copy warms up
                    start = now_us();
                begun->value.store(i + 1, std::memory_order_release);
                std::memcpy(to, from, half);
                spin_until([=] { return done->value.load(std::memory_order_acquire) == i + 2; });
            }
            return (now_us() - start) / copies;
        },
        [=] {
            std::memset(from, 's', size_bytes);
            done->value.store(1, std::memory_order_release);
            for (unsigned i = 0; i <= copies; ++i) {
                spin_until([=] { return begun->value.load(std::memory_order_acquire) == i + 1; });
                std::memcpy(to + half, from + half, size_bytes - half);
                done->value.store(i + 2, std::memory_order_release);
            }
        });
}

// What a rank shows the other: up to which exchange its block may be read, and up to which it has read the
// other's.
struct Shown {
    Line ready;
    Line done;
};

// One of two ranks: us an exchange, until both have all blocks and may write theirs again.
double exchanges_us(std::array<std::byte*, 2> blocks, Shown* shown, unsigned rank, std::size_t size_bytes,
                    unsigned exchanges)
{
    PageBuffer received(2 * size_bytes, 'r');
    std::byte* const to = received.bytes(2 * size_bytes).data();
    Shown& own = shown[rank];
    Shown& peer = shown[1 - rank];
    std::memset(blocks[rank], 'b', size_bytes);
    double start = 0.0;
    for (unsigned i = 0; i <= exchanges; ++i) {
        if (i == 1)
            start = now_us();
        own.ready.value.store(i + 1, std::memory_order_release);
        std::memcpy(to + rank * size_bytes, blocks[rank], size_bytes);
        spin_until([&] { return peer.ready.value.load(std::memory_order_acquire) == i + 1; });
        std::memcpy(to + (1 - rank) * size_bytes, blocks[1 - rank], size_bytes);
        own.done.value.store(i + 1, std::memory_order_release);
        spin_until([&] { return peer.done.value.load(std::memory_order_acquire) == i + 1; });
    }
    return (now_us() - start) / exchanges;
}

}  // namespace

void probe_two_cores_copy(const TakeFigure& figures, ProbeScale scale)
{
    for (std::size_t size_bytes = 16384; size_bytes <= 4 * kMebibyte; size_bytes *= 4)
        figures("copy by two cores", static_cast<double>(size_bytes),
                static_cast<double>(size_bytes) /
                    halves_us(size_bytes, static_cast<unsigned>(copies_of(size_bytes, scale))),
                "MB/s");
}

void probe_exchange_of_blocks(const TakeFigure& figures, ProbeScale scale)
{
    const auto [own, other] = two_cores();
    for (std::size_t size_bytes = 4096; size_bytes <= kMebibyte; size_bytes *= 4) {
        SharedMemory memory(2 * size_bytes + 2 * sizeof(Shown));
        const std::array blocks{memory.bytes().data(), memory.bytes().data() + size_bytes};
        Shown* shown = memory.make<Shown>(2 * size_bytes);
        memory.make<Shown>(2 * size_bytes + sizeof(Shown));
        const auto exchanges = static_cast<unsigned>(copies_of(4 * size_bytes, scale));
        const double us = with_child(
            own, other, [=] { return exchanges_us(blocks, shown, 0, size_bytes, exchanges); },
            [=] { exchanges_us(blocks, shown, 1, size_bytes, exchanges); });
        figures("exchange of blocks", static_cast<double>(size_bytes), us, "us");
    }
}

}  // namespace tutti::bench
