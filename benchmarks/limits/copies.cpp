// Copies: of a shared source by one core, through a ring by two cores at once, and by the kernel across
// processes. And two arrays combined by one core.
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/limits/pair.hpp"
#include "benchmarks/suite/collectives/combining.hpp"
#include "benchmarks/suite/library/page_buffers.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"

namespace tutti::bench {

namespace {

constexpr std::size_t kLargestBytes = 4 * kMebibyte;

// Enough that neither side waits for the other's last line, few enough to stay in a cache of 1 MiB.
constexpr unsigned kRingChunks = 8;

// Messages leave through a ring of chunks: the sender copies in while the receiver copies out, with pauses
// between messages for neither. us a message.
double pipeline_us(std::size_t size_bytes, std::size_t chunk_bytes, int messages)
{
    const auto [own, other] = two_cores();
    SharedMemory memory(2 * sizeof(Line) + kRingChunks * chunk_bytes);
    Line* filled = memory.make<Line>();
    Line* emptied = memory.make<Line>(sizeof(Line));
    std::byte* ring = memory.bytes().data() + 2 * sizeof(Line);
    const unsigned chunks = static_cast<unsigned>(size_bytes / chunk_bytes);
    const unsigned total = chunks * static_cast<unsigned>(messages);
    PageBuffer buffer(size_bytes, 'p');
    std::byte* data = buffer.bytes(size_bytes).data();

    // The receiver has the clock: it is done when the message is there.
    return with_child(
        own, other,
        [=] {
            double start = 0.0;
            for (unsigned i = 0; i < total; ++i) {
                if (i == chunks)  // the first message warms up
                    start = now_us();
                spin_until([=] { return filled->value.load(std::memory_order_acquire) > i; });
                std::memcpy(data + i % chunks * chunk_bytes, ring + i % kRingChunks * chunk_bytes,
                            chunk_bytes);
                emptied->value.store(i + 1, std::memory_order_release);
            }
            return (now_us() - start) / (messages - 1);
        },
        [=] {
            for (unsigned i = 0; i < total; ++i) {
                spin_until([=] { return i - emptied->value.load(std::memory_order_acquire) < kRingChunks; });
                std::memcpy(ring + i % kRingChunks * chunk_bytes, data + i % chunks * chunk_bytes,
                            chunk_bytes);
                filled->value.store(i + 1, std::memory_order_release);
            }
        });
}

// Microseconds a read, or a negative figure where the kernel does not allow it.
double vm_read_us(std::size_t size_bytes, int reads)
{
    const auto [own, other] = two_cores();
    SharedMemory memory(2 * sizeof(Line));
    Line* child = memory.make<Line>();  // its process id, once its source is ready
    Line* finished = memory.make<Line>(sizeof(Line));
    PageBuffer target(size_bytes, 't');
    PageBuffer source(size_bytes, 's');
    const Bytes to = target.bytes(size_bytes);
    const Bytes from = source.bytes(size_bytes);

    return with_child(
        own, other,
        [=] {
            spin_until([=] { return child->value.load(std::memory_order_acquire) != 0; });
            const pid_t pid = static_cast<pid_t>(child->value.load(std::memory_order_relaxed));
            const iovec local{to.data(), to.size()};
            const iovec remote{from.data(), from.size()};
            bool allowed = true;
            double start = 0.0;
            for (int i = 0; i <= reads && allowed; ++i) {
                // The first read pays for looking up the process and its pages.
                if (i == 1)
                    start = now_us();
                allowed = process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size_bytes);
            }
            const double us = (now_us() - start) / reads;
            finished->value.store(1, std::memory_order_release);
            return allowed ? us : -1.0;
        },
        [=] {
            std::memset(from.data(), 'c', from.size());  // a copy of its own, not the parent's pages
            child->value.store(static_cast<unsigned>(getpid()), std::memory_order_release);
            spin_until([=] { return finished->value.load(std::memory_order_acquire) != 0; });
        });
}

}  // namespace

void probe_shared_copy(const TakeFigure& figures, ProbeScale scale)
{
    const auto [own, other] = two_cores();
    for (std::size_t size_bytes = 64; size_bytes <= kLargestBytes; size_bytes *= 4) {
        SharedMemory memory(size_bytes + sizeof(Line));
        Line* ready = memory.make<Line>(size_bytes);
        std::byte* from = memory.bytes().data();
        PageBuffer target(size_bytes, 't');
        std::byte* to = target.bytes(size_bytes).data();
        const int copies = copies_of(size_bytes, scale);
        // Written by the other core, then read again and again: what a receiver meets whose sender reuses its
        // buffer.
        const double us = with_child(
            own, other,
            [=] {
                spin_until([=] { return ready->value.load(std::memory_order_acquire) != 0; });
                std::memcpy(to, from, size_bytes);
                const double start = now_us();
                for (int i = 0; i < copies; ++i) {
                    std::memcpy(to, from, size_bytes);
                    asm volatile("" : : "r"(to) : "memory");  // every copy counts
                }
                return (now_us() - start) / copies;
            },
            [=] {
                std::memset(from, 's', size_bytes);
                ready->value.store(1, std::memory_order_release);
            });
        // Bytes a microsecond are MB/s.
        figures("memory copy", static_cast<double>(size_bytes), static_cast<double>(size_bytes) / us, "MB/s");
    }
}

// One core, whose caches and memory nobody else uses. Bytes read and written.
void probe_combining(const TakeFigure& figures, ProbeScale scale)
{
    const auto [own, other] = two_cores();
    for (std::size_t size_bytes = 8192; size_bytes <= 32 * kMebibyte; size_bytes *= 8) {
        Buffers operands(size_bytes);
        const Bytes in = operands.out.bytes(size_bytes);
        const Bytes inout = operands.in.bytes(size_bytes);
        const int calls = copies_of(size_bytes, scale);
        const double us = with_child(
            own, other,
            [=] {
                combine_words(inout.data(), in.data(), size_bytes);
                const double start = now_us();
                for (int i = 0; i < calls; ++i)
                    combine_words(inout.data(), in.data(), size_bytes);
                return (now_us() - start) / calls;
            },
            [] {});
        figures("combining", static_cast<double>(size_bytes),
                static_cast<double>(combined_bytes(size_bytes)) / us, "MB/s");
    }
}

void probe_copy_pipeline(const TakeFigure& figures, ProbeScale scale)
{
    for (std::size_t size_bytes = 4096; size_bytes <= kLargestBytes; size_bytes *= 4) {
        double best_us = std::numeric_limits<double>::infinity();
        for (const std::size_t chunk_bytes : {4096ul, 16384ul, 65536ul}) {
            if (chunk_bytes <= size_bytes)
                best_us = std::min(
                    best_us, pipeline_us(size_bytes, chunk_bytes, copies_of(size_bytes, scale) / 2 + 2));
        }
        figures("two copies", static_cast<double>(size_bytes), static_cast<double>(size_bytes) / best_us,
                "MB/s");
    }
}

void probe_process_vm_readv(const TakeFigure& figures, ProbeScale scale)
{
    for (std::size_t size_bytes = 1024; size_bytes <= kLargestBytes; size_bytes *= 4) {
        const double us = vm_read_us(size_bytes, copies_of(size_bytes, scale) / 4 + 1);
        if (us < 0) {
            fmt::print("# cma: process_vm_readv is not allowed here\n");
            return;
        }
        figures("cma", static_cast<double>(size_bytes), static_cast<double>(size_bytes) / us, "MB/s");
    }
}

}  // namespace tutti::bench
