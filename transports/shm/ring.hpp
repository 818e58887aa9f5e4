// A single-producer single-consumer ring of frames in shared memory.
//
// Memory is cut into lines of 64 bytes. A frame is a record of whole lines: a word, the header, the payload.
// The word says how long both are and doubles as the flag that the record is complete, so a small frame costs
// one cache line's trip from core to core and nothing else. Before the producer publishes a record it clears
// the word behind it: what lies there is payload of an earlier lap and could read like a word. That line must
// be free, too, hence the one line more that every write needs.
//
// Positions are 64-bit byte counts that never wrap (2^63 bytes at 100 GB/s last 2.9 years), so full and empty
// cannot be confused. The consumer reports how far it is only every quarter of the ring: the report's line is
// read by the producer only when it believes the ring full. A record is at most an eighth of the ring, so
// with everything consumed there is always room for one, whatever is unreported or skipped at the ring's end.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/base/copy.hpp"

namespace tutti::transport::shm {

inline constexpr std::size_t kLine = 64;

/// The words of a ring that both sides write, each on a line of its own. Zero-filled memory is a valid start.
struct RingControl {
    // Written by the consumer (release), read by the producer (acquire): all bytes before it are free again.
    alignas(kLine) std::atomic<std::uint64_t> consumed;
    // Set by a producer that is about to sleep because the ring is full; the consumer clears it and wakes it.
    alignas(kLine) std::atomic<std::uint32_t> producer_waits;
};

namespace record {

enum Kind : std::uint64_t { frame = 1, skip_to_start = 2 };

// Payloads from here on start on a line of their own: copies of whole lines, and for powers of two no line
// more.
inline constexpr std::size_t kAlignedFrom = 256;

constexpr std::uint64_t word(Kind kind, std::size_t header_bytes, std::size_t payload_bytes) noexcept
{
    return static_cast<std::uint64_t>(kind) << 40 | static_cast<std::uint64_t>(header_bytes) << 32 |
           payload_bytes;
}
constexpr Kind kind(std::uint64_t word) noexcept
{
    return static_cast<Kind>(word >> 40);
}
constexpr std::size_t header_bytes(std::uint64_t word) noexcept
{
    return (word >> 32) & 0xff;
}
constexpr std::size_t payload_bytes(std::uint64_t word) noexcept
{
    return word & 0xffffffff;
}

constexpr std::size_t payload_offset(std::size_t header_bytes, std::size_t payload_bytes) noexcept
{
    return payload_bytes < kAlignedFrom ? sizeof(std::uint64_t) + header_bytes : kLine;
}
constexpr std::size_t record_bytes(std::size_t header_bytes, std::size_t payload_bytes) noexcept
{
    const std::size_t end = payload_offset(header_bytes, payload_bytes) + payload_bytes;
    return (end + kLine - 1) / kLine * kLine;
}

}  // namespace record

/// What both sides know: where the memory is. `size` is a power of two.
struct RingMemory {
    std::byte* base = nullptr;
    std::size_t size = 0;
    RingControl* control = nullptr;

    std::atomic<std::uint64_t>& word_at(std::uint64_t position) const noexcept
    {
        return *reinterpret_cast<std::atomic<std::uint64_t>*>(base + (position & (size - 1)));
    }
    std::size_t bytes_to_end(std::uint64_t position) const noexcept { return size - (position & (size - 1)); }
    std::size_t max_payload() const noexcept { return size / 8 - kLine; }
};

/// The producer's end: one thread at a time.
class RingProducer {
public:
    RingProducer() = default;
    explicit RingProducer(RingMemory memory) noexcept : memory_(memory) {}

    /// Appends a frame and publishes it; false when there is no room now. payload.size() <= max_payload().
    bool try_write(std::span<const std::byte> header, std::span<const std::byte> payload) noexcept
    {
        const std::size_t bytes = record::record_bytes(header.size(), payload.size());
        const std::size_t to_end = memory_.bytes_to_end(position_);
        const bool skip = bytes > to_end;
        if (!has_room(bytes + kLine + (skip ? to_end : 0)))
            return false;
        if (skip) {
            clear_word_behind(to_end);
            publish(record::word(record::skip_to_start, 0, 0), to_end);
        }

        // First of all stores: it may have to fetch its line from the consumer, and whatever was written to
        // the record's own line before it would be taken away meanwhile by the consumer, who polls that line.
        clear_word_behind(bytes);
        std::byte* start = memory_.base + (position_ & (memory_.size - 1));
        // The record's first line last, in one go, for the same reason.
        const std::size_t offset = record::payload_offset(header.size(), payload.size());
        const std::size_t in_first_line = std::min(payload.size(), kLine - std::min(kLine, offset));
        base::copy_bytes(start + offset + in_first_line, payload.data() + in_first_line,
                         payload.size() - in_first_line);
        std::atomic_signal_fence(std::memory_order_release);
        base::copy_bytes(start + sizeof(std::uint64_t), header.data(), header.size());
        base::copy_bytes(start + offset, payload.data(), in_first_line);
        publish(record::word(record::frame, header.size(), payload.size()), bytes);
        return true;
    }

    RingControl& control() const noexcept { return *memory_.control; }

private:
    bool has_room(std::size_t bytes) noexcept
    {
        if (position_ + bytes - consumed_ <= memory_.size) [[likely]]
            return true;
        consumed_ = memory_.control->consumed.load(std::memory_order_acquire);
        return position_ + bytes - consumed_ <= memory_.size;
    }

    void clear_word_behind(std::size_t bytes) noexcept
    {
        memory_.word_at(position_ + bytes).store(0, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_release);
    }

    void publish(std::uint64_t word, std::size_t bytes) noexcept
    {
        memory_.word_at(position_).store(word, std::memory_order_release);  // pairs with RingConsumer::poll
        position_ += bytes;
    }

    RingMemory memory_;
    std::uint64_t position_ = 0;
    std::uint64_t consumed_ = 0;  // the last report that was read
};

/// The consumer's end: one thread at a time.
class RingConsumer {
public:
    enum class Poll { empty, frame, corrupt };

    RingConsumer() = default;
    explicit RingConsumer(RingMemory memory) noexcept : memory_(memory) {}

    /// Hands the next frame, if there is one, to take(header, payload): views that die with the call.
    template <class Take>
    Poll poll(Take&& take)
    {
        std::uint64_t word = memory_.word_at(position_).load(std::memory_order_acquire);
        if (word == 0) [[likely]] {
            // A frame of several lines is then on its way as a whole when its word changes.
            const std::byte* next = memory_.base + (position_ & (memory_.size - 1)) + kLine;
            for (std::size_t line = 0; line < kLinesAhead; ++line)
                __builtin_prefetch(next + line * kLine);
            return Poll::empty;
        }
        if (record::kind(word) == record::skip_to_start) [[unlikely]] {
            position_ += memory_.bytes_to_end(position_);
            word = memory_.word_at(position_).load(std::memory_order_acquire);
            if (word == 0)
                return Poll::empty;
        }
        const std::size_t header_bytes = record::header_bytes(word);
        const std::size_t payload_bytes = record::payload_bytes(word);
        const std::size_t bytes = record::record_bytes(header_bytes, payload_bytes);
        if (record::kind(word) != record::frame || header_bytes > kLine - sizeof(word) ||
            bytes > memory_.bytes_to_end(position_)) [[unlikely]]
            return Poll::corrupt;

        const std::byte* start = memory_.base + (position_ & (memory_.size - 1));
        take(std::span(start + sizeof(word), header_bytes),
             std::span(start + record::payload_offset(header_bytes, payload_bytes), payload_bytes));
        position_ += bytes;
        return Poll::frame;
    }

    /// Reports what was consumed once it is a quarter of the ring; true when it did.
    bool report() noexcept
    {
        if (position_ - reported_ < memory_.size / 4) [[likely]]
            return false;
        reported_ = position_;
        memory_.control->consumed.store(position_, std::memory_order_release);  // pairs with has_room
        return true;
    }

    RingControl& control() const noexcept { return *memory_.control; }

private:
    // Measured with `tutti-bench latency` and `rate`: none costs 64 bytes a trip, more take lines away from a
    // producer that still writes them.
    static constexpr std::size_t kLinesAhead = 3;

    RingMemory memory_;
    std::uint64_t position_ = 0;
    std::uint64_t reported_ = 0;
};

}  // namespace tutti::transport::shm
