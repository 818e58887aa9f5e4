// The headers of the frames between two ranks, in host byte order: all ranks have one architecture.
//
//   eager     the whole message                              -> taken at once, or kept as unexpected
//   first     the envelope of a message whose first bytes, or all, come unasked: in `segment` frames, in
//             order, one message at a time. Eager: it carries the first ones itself, and the rest follows. By
//             rendezvous: it says how many come                -> cts or fin when a receive has matched
//   rts       "ready to send": the envelope of a message of which nothing comes unasked; it may say where the
//             data lies, which the receiver then reads itself  -> cts or fin when a receive has matched
//   cts       "clear to send", with how much is wanted         -> data frames, after the segments
//   data      a part of that message
//   fin       the receiver has read the data itself, or wants no more than came unasked
//   credit    room for unexpected messages, given back to the sender
//
// The frames behind them are those of services (service.hpp), whose headers the service describes.
#pragma once

#include <cstring>
#include <string_view>
#include <type_traits>

#include "lib/engine/matching/match_table.hpp"
#include "transports/transport.hpp"

namespace tutti::protocol {

/// All kinds of frames, so that no two share a number.
enum class FrameKind : std::uint8_t {
    eager = 1,
    first,
    segment,
    rts,
    cts,
    data,
    fin,
    credit,
    // Of services
    call_inquiry,  // and the next two: lib/core/diagnosis/call_diagnosis.hpp
    call_differs,
    call_wait,
    check_arrived,  // and the next: lib/core/check/timed_barrier.hpp
    check_all_arrived,
    window_call,  // and the next: lib/core/windows/window_frames.hpp
    window_answer,
    call_lost,  // and the next two: lib/core/diagnosis/absent_ranks.hpp
    call_presence_inquiry,
    call_presence,
    last = call_presence
};

/// The first word of every header: the kind in the low byte; in envelopes, the context id above it.
struct Lead {
    std::uint64_t bits;

    static Lead of(FrameKind kind, std::uint64_t context = 0) noexcept
    {
        return {context << 8 | static_cast<std::uint8_t>(kind)};
    }
    FrameKind kind() const noexcept { return static_cast<FrameKind>(bits & 0xff); }
    std::uint64_t context() const noexcept { return bits >> 8; }
};

struct EagerHeader {
    Lead lead;
    std::uint64_t source_and_tag;

    static EagerHeader of(FrameKind kind, const matching::MatchKey& envelope) noexcept
    {
        return {Lead::of(kind, envelope.context), envelope.source_and_tag};
    }
    /// Word by word: it stays in registers.
    static EagerHeader at(const std::byte* bytes) noexcept
    {
        EagerHeader header;
        std::memcpy(&header.lead, bytes, sizeof header.lead);
        std::memcpy(&header.source_and_tag, bytes + sizeof header.lead, sizeof header.source_and_tag);
        return header;
    }
    matching::MatchKey envelope() const noexcept
    {
        matching::MatchKey key;
        key.context = lead.context();
        key.source_and_tag = source_and_tag;
        return key;
    }
};

/// Header of `first` and of `rts`.
struct LongHeader {
    EagerHeader envelope;
    std::uint64_t total_bytes;
    std::uint64_t sender_id;  // for the answer; 0 (only in a `first`): it is eager
};

using SegmentHeader = Lead;

/// When a send began, on base::now_ns()'s clock; 0 if the clock is not the receiver's, too. In the lowest
/// bit: whether its sender had offered other messages that were not answered.
struct StartTime {
    std::int64_t bits = 0;

    static StartTime of(std::int64_t ns, bool in_window) noexcept
    {
        return {(ns & ~std::int64_t{1}) | std::int64_t{in_window}};
    }
    std::int64_t ns() const noexcept { return bits & ~std::int64_t{1}; }
    bool in_window() const noexcept { return (bits & 1) != 0; }
};

/// Payload of an rts whose data the receiver reads itself; the region alone if it is to be read in place.
/// Envelope and region then fit into one cache line.
struct OfferedRegion {
    transport::RemoteRegion region;
    StartTime started;
};
/// Payload of a `first` by rendezvous.
struct EarlyPart {
    std::uint64_t bytes;
    StartTime started;
};

// The lead of an answer has the receiver's advice, PullOrStream::advice(), in place of a context.

struct CtsHeader {
    Lead lead;
    std::uint64_t sender_id;
    std::uint64_t receiver_id;
    std::uint64_t wanted_bytes;  // at most the rts's total
};

struct DataHeader {
    Lead lead;
    std::uint64_t receiver_id;
    std::uint64_t offset;
};

struct FinHeader {
    Lead lead;
    std::uint64_t sender_id;
};

struct CreditHeader {
    Lead lead;
    std::uint64_t bytes;
};

template <class Header>
std::span<const std::byte> bytes_of(const Header& header) noexcept
{
    static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) <= transport::kMaxHeaderBytes);
    return std::as_bytes(std::span(&header, 1));
}

/// Throws ErrorCode::protocol: rank `from` has sent what no Tutti of this version sends.
[[noreturn]] void corrupt(int from, std::string_view what);

/// The header of a frame from rank `from`.
template <class Header>
Header header_in(std::span<const std::byte> bytes, int from)
{
    Header header;
    if (bytes.size() != sizeof header) [[unlikely]]
        corrupt(from, "a header of the wrong length");
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
}

/// The kind; 0, which no kind has, if the header is too short.
inline FrameKind kind_of(std::span<const std::byte> header) noexcept
{
    Lead lead{};
    if (header.size() >= sizeof lead) [[likely]]
        std::memcpy(&lead, header.data(), sizeof lead);
    return lead.kind();
}

}  // namespace tutti::protocol
