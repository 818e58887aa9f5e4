// The headers of the frames that two ranks exchange, in host byte order: peers are of one architecture.
//
//   eager          the whole message                             -> taken at once, or kept as unexpected
//   eager_first    the message's start; `segment` frames bring the rest, in order, one message at a time
//   rts            "ready to send": the envelope of a large or synchronous message, or of any when the
//                  receiver has no more room for unexpected ones -> cts or fin when a receive has matched.
//                  Its payload names the data's memory, where the receiver may be able to read it itself
//   cts            "clear to send", with how much is wanted      -> data frames
//   data           a part of that message
//   fin            the receiver has read the data itself
//   credit         room for unexpected messages, given back to the sender
//   call_inquiry   "this is my collective call of that number, what is yours?", asked by a rank that has
//                  waited long -> nothing when it is the same or has not been made yet, else call_differs
//   call_differs   "mine is another"
//   call_wait      "I block in this call, and wait for you", said with call_inquiry, and passed on by ranks
//   that
//                  block in another call
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "lib/engine/matching/match_table.hpp"
#include "transports/transport.hpp"

namespace tutti::protocol {

enum class FrameKind : std::uint8_t {
    eager = 1,
    eager_first,
    segment,
    rts,
    cts,
    data,
    fin,
    credit,
    call_inquiry,
    call_differs,
    call_wait
};

/// First in every header: the kind in the low byte, in envelopes the context id above it.
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

struct SegmentHeader {
    Lead lead;
};

struct RtsHeader {
    EagerHeader envelope;
    std::uint64_t total_bytes;
    std::uint64_t sender_id;
};

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

/// A collective call; what it means is the CallListener's. The context is that of the communicator's
/// collectives.
struct CallHeader {
    Lead lead;
    std::uint32_t rank;  // the sender's, in the communicator
    std::uint32_t number;
    std::array<std::uint64_t, 2> signature;
};

/// A collective call that its sender blocks in, because the receiver has not made it. `origin` began this
/// chain of waits: a rank of the job, which counts its chains.
struct CallWaitHeader {
    Lead lead;
    std::uint32_t rank;  // the sender's, in the communicator
    std::uint32_t number;
    std::uint32_t origin;
    std::uint32_t chain;
    std::uint64_t kind;  // of the call
};

template <class Header>
std::span<const std::byte> bytes_of(const Header& header) noexcept
{
    static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) <= transport::kMaxHeaderBytes);
    return std::as_bytes(std::span(&header, 1));
}

/// False when the bytes are of another length: no frame of this version.
template <class Header>
bool read_header(std::span<const std::byte> bytes, Header& header) noexcept
{
    if (bytes.size() != sizeof header)
        return false;
    std::memcpy(&header, bytes.data(), sizeof header);
    return true;
}

}  // namespace tutti::protocol
