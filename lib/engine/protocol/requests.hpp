// Sends, receives and unexpected messages in the protocol. All fields belong to the protocol, except those
// that are marked "caller".
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "lib/engine/matching/matcher.hpp"
#include "lib/engine/protocol/choose_protocol.hpp"
#include "lib/engine/protocol/frames.hpp"
#include "lib/engine/request/request_state.hpp"
#include "lib/foundation/base/copy.hpp"
#include "transports/transport.hpp"

namespace tutti::protocol {

class Receiver;
struct Peer;
struct OutgoingTag;

/// An outgoing message. Its data is borrowed until the state is done.
struct SendRequest : detail::RequestState, base::ListHook<OutgoingTag>, transport::Completion {
    SendRequest() noexcept : RequestState(Kind::send) {}

    /// Copies bytes [offset, offset + out.size()) of the message to `out`.
    using Collect = void (*)(const SendRequest&, std::size_t offset, std::span<std::byte> out);

    matching::MatchKey envelope;      // caller; source is the sender's rank in the communicator
    int peer_rank;                    // caller; in the job
    bool synchronous = false;         // caller; complete only when matched
    std::span<const std::byte> data;  // caller; with `collect`, only its size is used
    Collect collect = nullptr;        // caller; for a message in several pieces
    const void* context = nullptr;    // caller; for collect
    transport::Parts
        parts{};  // caller; data in several places, which collect() copies if the transport does not gather
    Departure departure = Departure::at_once;  // caller
    bool copied = false;  // caller; copy the data rather than keep it until the receiver has read it

    std::optional<MessageProtocol> protocol;  // as the sender chose, once it is its turn to be sent
    enum class Stage : unsigned char { start, segments, awaiting_cts, data };
    Stage stage = Stage::start;
    std::size_t sent = 0;         // bytes handed to the transport
    std::size_t unasked = 0;      // bytes that go without a cts: all of an eager message, the early ones else
    std::size_t wanted = 0;       // bytes to send, as far as is known: at least the unasked ones
    unsigned frames_pending = 0;  // frames that the transport still reads from
    std::uint64_t id = 0;         // while awaiting_cts
    std::uint64_t receiver_id = 0;
    Peer* peer = nullptr;
    OfferedRegion offered{};                 // the payload of an rts: the data's place
    EarlyPart early{};                       // the payload of a `first` that wants an answer
    bool registered = false;                 // the transport lets the peer read that region
    std::unique_ptr<std::byte[]> collected;  // the current piece, for collect
    std::size_t collected_end = 0;           // end of that piece in the message

    bool lies_together() const noexcept { return collect == nullptr && parts.empty(); }

    /// Finishes if all frames are handed over, unless the transport still reads or an answer must come.
    void settle() noexcept
    {
        if (stage != Stage::awaiting_cts && sent == wanted && frames_pending == 0)
            finish(status.code);
    }
};

/// A receive, posted or matched.
struct ReceiveRequest : detail::RequestState, matching::PostedReceive, transport::Completion {
    ReceiveRequest() noexcept : RequestState(Kind::receive) {}

    /// Takes bytes [offset, offset + bytes.size()) of the message; nullptr: copy them to `buffer`.
    using Deliver = void (*)(ReceiveRequest&, std::size_t offset, std::span<const std::byte> bytes);

    // caller: key (of PostedReceive), and:
    std::byte* buffer;
    std::size_t capacity;  // in bytes
    int peer_rank;         // the source's rank in the job, -1 for any_source
    int sender = -1;       // rank in the job, once matched
    // Zeros from here on, which together take few instructions.
    bool in_place =
        false;  // caller; show the sender's memory as `viewed` if possible; the caller then calls end_view()
    bool exact = false;      // caller; a message of `capacity` bytes will come soon
    bool awaited = false;    // caller; its thread waits for it and sends nothing meanwhile
    bool exchange = false;   // while its rendezvous is timed: this rank had offered its sender a message, too
    bool in_window = false;  // likewise; other messages of its sender's were in flight
    bool pulling = false;    // the transport writes to `buffer` until its completion fires
    Deliver deliver = nullptr;      // caller
    const void* context = nullptr;  // caller; for deliver
    std::uint64_t id = 0;           // while data frames are expected
    std::size_t expected = 0;       // bytes that data frames will bring
    std::size_t received = 0;
    std::uint64_t sender_id = 0;        // id of the sender's request while its data is pulled or viewed
    std::span<const std::byte> viewed;  // the message in the sender's memory
    unsigned* announced = nullptr;      // counter of the sender's announced long messages that includes it
    Receiver* receiver = nullptr;       // while its data is pulled
    std::int64_t started_ns = 0;        // when a rendezvous that is timed began
    const Peer* lost = nullptr;  // the peer that failed it, with ErrorCode::peer_lost; nullptr: all peers

    void take(std::size_t offset, std::span<const std::byte> bytes)
    {
        if (offset >= capacity) [[unlikely]]
            return;
        bytes = bytes.first(std::min(bytes.size(), capacity - offset));
        if (deliver != nullptr)
            deliver(*this, offset, bytes);
        else
            base::copy_bytes(buffer + offset, bytes.data(), bytes.size());
    }

    /// Notes the message that matches.
    void match(const matching::MatchKey& envelope, int sender_rank, std::size_t total_bytes) noexcept
    {
        status.source = envelope.source();
        status.tag = envelope.tag();
        status.size_bytes = total_bytes;
        sender = sender_rank;
        unannounce();
    }

    using RequestState::finish;
    /// The whole message has arrived.
    void finish() noexcept
    {
        finish(status.size_bytes > capacity ? ErrorCode::truncated : ErrorCode::success);
    }
    /// The rest never comes.
    void fail(const Peer& from, ErrorCode code = ErrorCode::peer_lost) noexcept
    {
        lost = &from;
        unannounce();
        finish(code);
    }
    void unannounce() noexcept
    {
        if (announced != nullptr) [[unlikely]]
            --*std::exchange(announced, nullptr);
    }
};

/// What the envelope of a message in several steps says about its data.
struct Offer {
    std::uint64_t sender_id = 0;  // of the sender's request; 0: it is eager, and awaits no answer
    std::optional<transport::RemoteRegion> region{};  // to be read by the receiver
    std::size_t unasked_bytes = 0;                    // come at once, as segments
    StartTime started{};                            // when the send began
    MessageProtocol protocol = MessageProtocol::stream;  // as the sender has chosen
};

/// A message that arrived before its receive: its envelope, and the bytes that come unasked.
struct UnexpectedRequest : matching::UnexpectedMessage {
    static constexpr std::size_t kInlineBytes = 128;

    UnexpectedRequest() noexcept {}  // leaves inline_bytes uninitialised

    std::byte* data() noexcept { return heap ? heap.get() : inline_bytes; }
    Status status() const noexcept
    {
        return {envelope.source(), envelope.tag(), total_bytes, ErrorCode::success, false};
    }

    int sender = -1;  // rank in the job
    std::size_t total_bytes = 0;
    std::size_t received = 0;  // less than those bytes while segments are to come
    Offer offer;               // if the sender awaits an answer
    std::unique_ptr<std::byte[]> heap;
    std::byte inline_bytes[kInlineBytes];
};

}  // namespace tutti::protocol
