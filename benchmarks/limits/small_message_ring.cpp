// A bare single-producer single-consumer ring. Header and payload lie side by side, the header's sequence
// number announces the message, and the receiver copies it out. A library's own cost comes on top.
#include <cstring>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/limits/pair.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"

namespace tutti::bench {

namespace {

constexpr std::size_t kHeaderBytes = 16;
constexpr unsigned kSlots = 64;

struct Header {
    std::atomic<unsigned> sequence;
    unsigned size_bytes;
    unsigned long long envelope;
};
static_assert(sizeof(Header) == kHeaderBytes);

/// One direction. Each side makes its own over the same memory, and uses only push() or only pop().
class Ring {
public:
    static std::size_t memory_bytes(std::size_t payload_bytes)
    {
        return sizeof(Line) + kSlots * slot_bytes(payload_bytes);
    }

    Ring(std::byte* memory, std::size_t payload_bytes)
        : consumed_(reinterpret_cast<Line*>(memory)),
          slots_(memory + sizeof(Line)),
          payload_bytes_(payload_bytes)
    {
    }

    void push(const std::byte* payload)
    {
        // The consumer's count is read only when the ring looks full, so its line rarely moves.
        if (position_ - known_consumed_ == kSlots)
            spin_until([this] {
                known_consumed_ = consumed_->value.load(std::memory_order_acquire);
                return position_ - known_consumed_ < kSlots;
            });
        Header* header = slot();
        header->size_bytes = static_cast<unsigned>(payload_bytes_);
        std::memcpy(payload_of(header), payload, payload_bytes_);
        // Release: a reader of the number sees header and payload. It differs from the slot's last number, so
        // nobody clears it.
        header->sequence.store(++position_, std::memory_order_release);
    }

    void pop(std::byte* payload)
    {
        Header* header = slot();
        spin_until([&] { return header->sequence.load(std::memory_order_acquire) == position_ + 1; });
        std::memcpy(payload, payload_of(header), header->size_bytes);
        // The consumer reports in quarters: each report costs the producer a cache miss.
        if (++position_ % (kSlots / 4) == 0)
            consumed_->value.store(position_, std::memory_order_release);
    }

private:
    static std::size_t slot_bytes(std::size_t payload_bytes)
    {
        return (kHeaderBytes + payload_bytes + 63) / 64 * 64;
    }
    static std::byte* payload_of(Header* header)
    {
        return reinterpret_cast<std::byte*>(header) + kHeaderBytes;
    }
    Header* slot() const
    {
        return reinterpret_cast<Header*>(slots_ + position_ % kSlots * slot_bytes(payload_bytes_));
    }

    Line* consumed_;
    std::byte* slots_;
    std::size_t payload_bytes_;
    unsigned position_ = 0;
    unsigned known_consumed_ = 0;
};

constexpr std::size_t kLargestPayload = 2032;

double one_way_us(std::size_t payload_bytes, int rounds)
{
    const auto [own, other] = two_cores();
    const std::size_t each = Ring::memory_bytes(payload_bytes);
    SharedMemory memory(2 * each);
    std::byte* there = memory.bytes().data();
    std::byte* back = there + each;
    return with_child(
        own, other,
        [=] {
            Ring out(there, payload_bytes);
            Ring in(back, payload_bytes);
            std::byte payload[kLargestPayload] = {};
            const double start = now_us();
            for (int i = 0; i < rounds; ++i) {
                out.push(payload);
                in.pop(payload);
            }
            return (now_us() - start) / (2.0 * rounds);
        },
        [=] {
            Ring in(there, payload_bytes);
            Ring out(back, payload_bytes);
            std::byte payload[kLargestPayload] = {};
            for (int i = 0; i < rounds; ++i) {
                in.pop(payload);
                out.push(payload);
            }
        });
}

double messages_a_us(std::size_t payload_bytes, int messages)
{
    const auto [own, other] = two_cores();
    SharedMemory memory(Ring::memory_bytes(payload_bytes));
    std::byte* there = memory.bytes().data();
    return with_child(
        own, other,
        [=] {
            Ring in(there, payload_bytes);
            std::byte payload[kLargestPayload] = {};
            in.pop(payload);  // the clock starts once the other side is ready
            const double start = now_us();
            for (int i = 1; i < messages; ++i)
                in.pop(payload);
            return (messages - 1) / (now_us() - start);
        },
        [=] {
            Ring out(there, payload_bytes);
            const std::byte payload[kLargestPayload] = {};
            for (int i = 0; i < messages; ++i)
                out.push(payload);
        });
}

}  // namespace

void probe_small_message_ring(const TakeFigure& figures, ProbeScale scale)
{
    for (const std::size_t bytes : {8u, 240u, 496u, 1008u, 2032u})
        figures("message through a bare ring", static_cast<double>(bytes),
                one_way_us(bytes, scale.loops(50000)), "us");
    for (const std::size_t bytes : {8u, 48u, 240u, 1008u})
        figures("messages through a bare ring", static_cast<double>(bytes),
                1e6 * messages_a_us(bytes, scale.loops(200000)), "1/s");
}

}  // namespace tutti::bench
