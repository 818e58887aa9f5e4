// A single-producer single-consumer ring of frames in shared memory.
//
// Memory is cut into lines of 64 bytes; a frame is a record of whole lines (record.hpp). The record's word
// holds the lengths of header and payload. It is also the flag that the record is complete: it contains the
// lap, which counts how often the ring was written round, so a word from an earlier lap is not valid. A small
// frame thus costs the transfer of one cache line between cores, and neither side cleans up. Only payload
// bytes from an earlier lap could look like a word of this lap. If such bytes lie behind a record's end, the
// producer zeroes them before it publishes the record. It knows them from its own map (word_map.hpp). It
// needs that line free, so every write needs one line more.
//
// Positions are 64-bit byte counts, so full and empty differ. The consumer reports its position only every
// quarter of the ring, and after a skip; the producer reads the report only when it believes that the ring is
// full. A record is at most an eighth of the ring, so an empty ring always has room for one, whatever is
// unreported or skipped at its end.
//
// Two ranks that answer each other use the same few lines again, which their caches hold: each record says
// how many of the other ring's records its writer has consumed (a credit). A producer that knows by a credit
// that all its records are consumed begins the next lap at once, without a mark. The consumer looks at the
// ring's start, too, when it has given credit for all. Until it has seen the new lap, it looks where the old
// one ended. So no payload is written over that line: the first record of the new lap is no longer than the
// old lap was, and one that would reach across begins there, behind a skip. Without all this, 256 B to 8 KiB
// take a fifth to two thirds longer.
//
// A ring costs only the memory that it uses. The producer begins with a part at the ring's start, and skips
// from the end of the part to the start while the consumer keeps up. When the consumer falls behind, or a
// record is too long for the part, the producer asks for more pages and then uses twice as much. The consumer
// sees how far records reach, and reports every quarter of that. A large ring is used as a whole for long
// records alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/foundation/base/copy.hpp"
#include "transports/shm/record.hpp"
#include "transports/shm/ring_memory.hpp"
#include "transports/shm/word_map.hpp"

namespace tutti::transport::shm {

/// The credits of the two rings between a pair of ranks. Each rank has its own, for the thread that uses its
/// rings.
struct Credits {
    std::uint16_t consumed = 0;  // records of the peer's, by this rank
    std::uint16_t offered = 0;   // of them, those that the last record to the peer gave credit for
    std::uint16_t returned = 0;  // records of ours that the peer's last record gave credit for
};

/// The producer's end: one thread at a time.
class RingProducer {
public:
    RingProducer() = default;
    RingProducer(RingMemory memory, Credits& credits)
        : memory_(memory), credits_(&credits), words_(memory.size / kLine), part_(memory.first_part)
    {
        set_room();
    }

    /// Appends a frame and publishes it; false when there is no room now. payload.size() <= max_payload().
    bool try_write(std::span<const std::byte> header, std::span<const std::byte> payload) noexcept
    {
        return record::is_short(header.size(), payload.size()) ? write_short(header.data(), payload)
                                                               : write_any(header, payload);
    }

    /// After a write that found no room: how many bytes of the ring, from its start, need pages before the
    /// next try can succeed. 0: only the consumer can make room.
    std::size_t wanted_part() const noexcept { return wants_part_ ? memory_.larger_part(part_) : 0; }
    /// Call it when the part has its pages.
    void use_part(std::size_t bytes) noexcept
    {
        part_ = bytes;
        wants_part_ = was_full_ = false;
        set_room();
    }

    RingControl& control() const noexcept { return *memory_.control; }

private:
    // write_any() for a record of one line with a header of two words, in fewer instructions.
    bool write_short(const std::byte* header, std::span<const std::byte> payload) noexcept
    {
        if (2 * kLine > room_ && !make_room(kLine)) [[unlikely]]
            return false;
        note_lines(kLine);
        std::byte* const start = memory_.at(position_);
        base::copy_words(start + sizeof(std::uint64_t), header);
        base::copy_few_bytes(start + sizeof(std::uint64_t) + record::kShortHeader, payload.data(),
                             payload.size());
        publish(record::frame, record::kShortHeader, payload.size(), kLine);
        ++written_;
        own_ahead();
        return true;
    }

    [[gnu::noinline]] bool write_any(std::span<const std::byte> header,
                                     std::span<const std::byte> payload) noexcept
    {
        const std::size_t bytes = memory_.record_bytes(header.size(), payload.size());
        const std::uint64_t to_watched = watched_ - position_;
        record::Kind kind = record::frame;
        if (bytes > kLine && bytes <= kFitsCache && credits_->returned == written_ &&
            bytes <= memory_.offset(position_)) {
            start_again();  // there is room: something of this length or longer lay there
            kind = record::first_again;
        } else if (to_watched != 0 && to_watched < bytes && !skip_to_watched()) [[unlikely]] {
            return false;
        }
        if (bytes + kLine > room_ && !make_room(bytes)) [[unlikely]]
            return false;

        note_lines(bytes);
        std::byte* start = memory_.at(position_);
        // The record's first line is written last and at once: the consumer polls this line, and would fetch
        // it while the others are written.
        const std::size_t offset = record::payload_offset(header.size(), payload.size());
        const std::size_t in_first_line = std::min(payload.size(), kLine - std::min(kLine, offset));
        base::copy_bytes(start + offset + in_first_line, payload.data() + in_first_line,
                         payload.size() - in_first_line);
        std::atomic_signal_fence(std::memory_order_release);
        base::copy_bytes(start + sizeof(std::uint64_t), header.data(), header.size());
        base::copy_bytes(start + offset, payload.data(), in_first_line);
        publish(kind, header.size(), payload.size(), bytes);
        ++written_;
        own_ahead();
        return true;
    }

    // The write needs the consumer's report, a skip to the start, or more of the ring.
    [[gnu::noinline]] bool make_room(std::size_t bytes) noexcept
    {
        const std::uint64_t reported = memory_.control->consumed.load(std::memory_order_acquire);
        if (position_ - reported < position_ - consumed_)
            consumed_ = reported;
        const bool whole = part_ == memory_.size;
        const bool to_start = memory_.offset(position_) + bytes + (whole ? 0 : kLine) > part_;
        const std::size_t to_end = to_start ? memory_.bytes_to_end(position_) : 0;
        const bool room = position_ + to_end + bytes + kLine - consumed_ <= memory_.size;
        wants_part_ = to_start && memory_.grows(part_, bytes) && (was_full_ || !room);
        // Unread records lie behind this position. A larger part helps only once the end of the current part
        // is reached.
        was_full_ = was_full_ || (!whole && !room);
        if (!room || wants_part_)
            return false;
        if (to_start)
            skip(to_end);
        set_room();
        return true;
    }

    void skip(std::size_t bytes) noexcept
    {
        note_lines(bytes);
        publish(record::skip, 0, bytes / kLine, bytes);
    }

    // False when there is no room.
    bool skip_to_watched() noexcept
    {
        const std::uint64_t gap = watched_ - position_;
        if (gap + kLine > room_ && !make_room(gap))
            return false;
        if (watched_ - position_ == gap)
            skip(gap);
        return true;
    }

    // The consumer has given credit for everything, so it looks at the ring's start.
    void start_again() noexcept
    {
        const std::size_t end = memory_.offset(position_);
        position_ += memory_.bytes_to_end(position_);
        watched_ = position_ + end;
        consumed_ = position_;
        set_room();
    }

    void publish(record::Kind kind, std::size_t header_bytes, std::size_t payload_bytes,
                 std::size_t bytes) noexcept
    {
        credits_->offered = credits_->consumed;
        memory_.word_at(position_).store(
            record::word(kind, header_bytes, payload_bytes, credits_->consumed, memory_.lap(position_)),
            std::memory_order_release);  // pairs with RingConsumer::poll
        position_ += bytes;
        room_ -= bytes;
    }

    // A record and the line behind it must end before the part's end and before unread bytes. In the whole
    // ring a record may end at the part's end; then the line behind is the ring's first.
    void set_room() noexcept
    {
        const std::size_t to_unread = memory_.size - static_cast<std::size_t>(position_ - consumed_);
        const std::size_t end = part_ == memory_.size ? part_ + kLine : part_;
        room_ = std::min(to_unread, end - memory_.offset(position_));
        // Lap numbers begin anew: words from the last time must not pass for words of these laps.
        if (memory_.offset(position_) == 0 && memory_.lap(position_) == 0 && position_ != 0)
            words_.clear(1, memory_.size / kLine);
    }

    // Called before a record of `bytes` is written. Its first line begins with a word, the others do not. The
    // line behind must not begin with old bytes when the consumer looks there.
    void note_lines(std::size_t bytes) noexcept
    {
        const std::size_t line = memory_.offset(position_) / kLine;
        if (bytes > kLine)
            words_.clear(line + 1, line + bytes / kLine);
        const std::size_t behind = memory_.offset(position_ + bytes) / kLine;
        if (!words_.has_word(behind)) {
            words_.set_word(behind);
            memory_.word_at(position_ + bytes).store(0, std::memory_order_relaxed);
            std::atomic_signal_fence(std::memory_order_release);
        }
    }

    // Fetches a later line for writing: a core has few stores in flight, so without this only one or two
    // lines would be on their way from the consumer's cache.
    void own_ahead() const noexcept
    {
#if defined(__x86_64__)
        asm volatile("prefetchw %0" : : "m"(*memory_.at(position_ + kOwnedAhead * kLine)));
#else
        __builtin_prefetch(memory_.at(position_ + kOwnedAhead * kLine), 1);
#endif
    }

    // Measured with `tutti-bench rate`, as kStreamedAhead: it is further than the consumer looks.
    static constexpr std::size_t kOwnedAhead = 5;

    // Larger ones leave no room in a first-level cache of 32 KiB for the program's own buffers.
    static constexpr std::size_t kFitsCache = 12u << 10;

    RingMemory memory_;
    Credits* credits_ = nullptr;
    WordMap words_;
    std::uint64_t position_ = 0;
    std::size_t room_ = 0;        // a record and the line behind it take no more without make_room()
    std::uint64_t consumed_ = 0;  // as far as the producer knows
    std::uint64_t watched_ = 0;   // where the last lap ended: the consumer may still look there
    std::size_t part_ = 0;        // the part in use
    std::uint16_t written_ = 0;   // records
    bool was_full_ = false;       // since the part is in use
    bool wants_part_ = false;     // a larger part
};

/// The consumer's end: one thread at a time.
class RingConsumer {
public:
    enum class Poll { empty, frame, corrupt };

    RingConsumer() = default;
    RingConsumer(RingMemory memory, Credits& credits) noexcept
        : memory_(memory), credits_(&credits), part_(memory.first_part), report_every_(part_ / 4)
    {
    }

    /// Gives the next frame, if any, to take(header, payload): views that are valid during the call.
    template <class Take>
    Poll poll(Take&& take)
    {
        std::uint64_t word = memory_.word_at(position_).load(std::memory_order_acquire);
        if (!record::is_of(word, memory_.lap(position_))) [[likely]] {
            // A producer that knows that all is consumed may start again.
            const bool all_known = credits_->offered == credits_->consumed;
            if (!all_known || !has_started_again(word)) {
                if (++empty_polls_ > kPatience)
                    fetch_ahead(all_known ? memory_.base : memory_.at(position_));
                return Poll::empty;
            }
        }
        empty_polls_ = 0;
        while (record::kind(word) == record::skip) {
            const std::size_t bytes = record::payload_bytes(word) * kLine;
            if (bytes == 0 || bytes > memory_.bytes_to_end(position_))
                return Poll::corrupt;
            position_ += bytes;
            unreported_ += bytes;  // a producer that uses a part of the ring has little room until it knows
            word = memory_.word_at(position_).load(std::memory_order_acquire);
            if (!record::is_of(word, memory_.lap(position_)))
                return Poll::empty;
        }
        const std::size_t header_bytes = record::header_bytes(word);
        const std::size_t payload_bytes = record::payload_bytes(word);
        const std::size_t bytes = memory_.record_bytes(header_bytes, payload_bytes);
        if (header_bytes > kLine - sizeof(word) || bytes > memory_.bytes_to_end(position_)) [[unlikely]]
            return Poll::corrupt;

        const std::byte* start = memory_.at(position_);
        __builtin_prefetch(start + bytes + kStreamedAhead * kLine);
        credits_->returned = record::credit(word);
        take(std::span(start + sizeof(word), header_bytes),
             std::span(start + record::payload_offset(header_bytes, payload_bytes), payload_bytes));
        position_ += bytes;
        unreported_ += bytes;
        ++credits_->consumed;  // not before: take() may send, and still reads
        return Poll::frame;
    }

    /// Reports the position after each quarter of the used part; true when it did.
    bool report() noexcept
    {
        if (unreported_ < report_every_) [[likely]]
            return false;
        while (memory_.offset(position_) > part_)
            part_ = memory_.larger_part(part_);
        report_every_ = part_ / 4;
        unreported_ = 0;
        memory_.control->consumed.store(position_, std::memory_order_release);  // pairs with has_room
        return true;
    }

    RingControl& control() const noexcept { return *memory_.control; }

private:
    // Measured with `tutti-bench latency` and `rate`: without it each line costs a trip; more lines, or
    // fetching at once in a stream, take lines from a producer that still writes them.
    static constexpr std::size_t kLinesAhead = 3;
    static constexpr unsigned kPatience = 8;
    static constexpr std::size_t kStreamedAhead = 2;

    // If so, `word` is that of the first record.
    bool has_started_again(std::uint64_t& word) noexcept
    {
        const std::uint64_t next = position_ + memory_.bytes_to_end(position_);
        const std::uint64_t first = memory_.word_at(next).load(std::memory_order_acquire);
        if (!record::is_of(first, memory_.lap(next)) || record::kind(first) != record::first_again) [[likely]]
            return false;
        position_ = next;
        word = first;
        return true;
    }

    // Fetches lines, so that a frame of several is on its way as a whole when its word changes.
    static void fetch_ahead(const std::byte* first) noexcept
    {
        for (std::size_t line = 1; line <= kLinesAhead; ++line)
            __builtin_prefetch(first + line * kLine);
    }

    RingMemory memory_;
    Credits* credits_ = nullptr;
    std::uint64_t position_ = 0;
    std::size_t unreported_ = 0;
    std::size_t part_ = 0;  // how far records have reached
    std::size_t report_every_ = 0;
    unsigned empty_polls_ = 0;
};

}  // namespace tutti::transport::shm
