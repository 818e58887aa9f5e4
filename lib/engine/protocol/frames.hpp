// The headers of the frames between two ranks, in host byte order: all ranks have one architecture.
//
//   eager          the whole message                             -> taken at once, or kept as unexpected
//   eager_first    the message's start; `segment` frames bring the rest, in order, one message at a time
//   rts            "ready to send": the envelope of a large or synchronous message, or of any when the
//                  receiver has no more room for unexpected ones -> cts or fin when a receive has matched.
//                  Its payload may be the place of the data, which the receiver then reads itself
//   rts_early      the same, and the data's first bytes follow at once in `segment` frames
//   cts            "clear to send", with how much is wanted      -> data frames, behind the early bytes
//   data           a part of that message
//   fin            the receiver has read the data itself, or wants no more than the early bytes
//   credit         room for unexpected messages, given back to the sender
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
    eager_first,
    segment,
    rts,
    rts_early,
    cts,
    data,
    fin,
    credit,
    // Of services
    call_inquiry,  // and the next two: lib/core/calls/call_diagnosis.hpp
    call_differs,
    call_wait,
    check_arrived,  // and the next: lib/core/check/meeting.hpp
    check_all_arrived,
    window_call,  // and the next: lib/core/windows/window_service.hpp
    window_answer,
    call_lost,  // and the next two: lib/core/calls/absent_ranks.hpp
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

struct EagerFirstHeader {
    EagerHeader envelope;
    std::uint64_t total_bytes;
};

using SegmentHeader = Lead;

struct RtsHeader {
    EagerHeader envelope;
    std::uint64_t total_bytes;
    std::uint64_t sender_id;
};

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

// Payloads of rts frames. A RemoteRegion alone names memory that the receiver can view.
struct LentRegion {
    transport::RemoteRegion region;
    StartTime started;
};
struct EarlyPart {
    std::uint64_t bytes;
    StartTime started;
};

// In the answers to an rts the lead has, in place of a context, the receiver's advice: a Way, or 0.

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
