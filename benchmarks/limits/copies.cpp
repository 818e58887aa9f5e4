// Copies: of a shared source by one core, through a ring by two cores at once, and by the kernel across
// processes.
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/limits/pair.hpp"
#include "benchmarks/suite/buffers.hpp"
#include "benchmarks/suite/clock.hpp"

namespace tutti::bench {

namespace {

constexpr std::size_t kMiB = 1024 * 1024;
constexpr std::size_t kLargestBytes = 4 * kMiB;

// Repetitions that move about as much memory at every size.
int copies_of(std::size_t size_bytes, Effort effort)
{
    return effort.loops(static_cast<int>(512 * kMiB / std::max<std::size_t>(size_bytes, 16384)));
}

// GB = 10^9 bytes.
double gigabytes_a_second(std::size_t size_bytes, double us)
{
    return static_cast<double>(size_bytes) / us / 1000;
}

// The message leaves through a ring of `kRingChunks` chunks: the sender copies in while the receiver copies
// out.
// Enough that neither side waits for the other's last line, few enough to stay in a cache of 1 MiB.
constexpr unsigned kRingChunks = 8;

double pipeline_us(std::size_t chunk_bytes, int messages)
{
    const auto [own, other] = two_cores();
    SharedMemory memory(2 * sizeof(Line) + kRingChunks * chunk_bytes);
    Line* filled = memory.make<Line>();
    Line* emptied = memory.make<Line>(sizeof(Line));
    std::byte* ring = memory.bytes().data() + 2 * sizeof(Line);
    const unsigned chunks = static_cast<unsigned>(kLargestBytes / chunk_bytes);
    const unsigned total = chunks * static_cast<unsigned>(messages);
    Buffer buffer(kLargestBytes, 'p');
    std::byte* data = buffer.bytes(kLargestBytes).data();

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
    Buffer target(size_bytes, 't');
    Buffer source(size_bytes, 's');
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

void probe_shared_copy(const Figures& figures, Effort effort)
{
    const auto [own, other] = two_cores();
    for (const std::size_t size_bytes : {4096ul, 65536ul, kLargestBytes}) {
        SharedMemory memory(size_bytes + sizeof(Line));
        Line* ready = memory.make<Line>(size_bytes);
        std::byte* from = memory.bytes().data();
        Buffer target(size_bytes, 't');
        std::byte* to = target.bytes(size_bytes).data();
        const int copies = copies_of(size_bytes, effort);
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
        figures("copy of a shared source", std::to_string(size_bytes), gigabytes_a_second(size_bytes, us),
                "GB/s");
    }
}

void probe_copy_pipeline(const Figures& figures, Effort effort)
{
    for (const std::size_t chunk_bytes : {4096u, 16384u, 65536u})
        figures("two copies at once of 4 MiB, in chunks", std::to_string(chunk_bytes),
                gigabytes_a_second(kLargestBytes, pipeline_us(chunk_bytes, effort.loops(200))), "GB/s");
}

void probe_process_vm_readv(const Figures& figures, Effort effort)
{
    for (const std::size_t size_bytes : {4096ul, 65536ul, kMiB, kLargestBytes}) {
        const double us = vm_read_us(size_bytes, copies_of(size_bytes, effort) / 4 + 1);
        if (us < 0) {
            fmt::print("# process_vm_readv is not allowed here\n");
            return;
        }
        figures("process_vm_readv", std::to_string(size_bytes), us, "us");
    }
}

}  // namespace tutti::bench
