// The message protocol: turns sends and receives into frames and back.
//
// Its parts: peers (the state of another rank, and how much this rank may send without a match), services
// (frames that are no message's), sender and receiver (how a message leaves and arrives). Sender and receiver
// know the peers; the receiver also knows the sender, for messages of a rank to itself. Nothing else is
// called from part to part. Reasons: docs/developing/protocol.md.
#pragma once

#include "lib/engine/protocol/receiver.hpp"
#include "lib/engine/protocol/sender.hpp"
#include "lib/engine/protocol/service.hpp"

namespace tutti::protocol {

/// All parts as one: what the layers above call, and what the transports deliver to. All calls are made under
/// the engine's lock; none blocks. The caller owns requests and keeps them until done or withdrawn. What has
/// no contract here has it at the part.
class Protocol final : public transport::Sink {
public:
    using Connect = Peers::Connect;

    Protocol(int ranks, ProtocolOptions options, Connect connect)
        : peers_(ranks, options, std::move(connect), *this), sender_(peers_), receiver_(peers_, sender_)
    {
    }

    bool inject(const matching::MatchKey& envelope, int peer_rank, std::span<const std::byte> data,
                Departure departure = Departure::at_once)
    {
        if (peers_.profile() != nullptr) [[unlikely]]
            return inject_and_note(envelope, peer_rank, data, departure);
        const bool sent = Sender::inject(peers_.peer(peer_rank), envelope, data, departure);
        if (sent) [[likely]]
            peers_.count_injected(data.size());
        return sent;
    }
    void send(SendRequest& request) { sender_.send(request); }
    bool gathers(int peer_rank, std::size_t parts) { return sender_.gathers(peer_rank, parts); }
    bool reads_in_place(int peer_rank, std::span<const std::byte> data)
    {
        return sender_.reads_in_place(peer_rank, data);
    }
    /// Whether there are frames to send again, with retry().
    bool has_pending() noexcept { return peers_.has_pending(); }
    std::size_t retry() { return sender_.retry(); }

    void receive(ReceiveRequest& request) { receiver_.receive(request); }
    void end_view(int sender, std::uint64_t sender_id) { receiver_.end_view(sender, sender_id); }
    void copy_own(ReceiveRequest& request, std::span<const std::byte> from)
    {
        receiver_.copy_own(request, from);
    }
    UnexpectedRequest* probe(const matching::MatchKey& pattern) { return receiver_.probe(pattern); }
    void extract(UnexpectedRequest& message) noexcept { receiver_.extract(message); }
    void receive_matched(ReceiveRequest& request, UnexpectedRequest& message)
    {
        receiver_.receive_matched(request, message);
    }
    void drop(UnexpectedRequest& message) { receiver_.drop(message); }
    std::size_t unexpected_count() const noexcept { return receiver_.unexpected_count(); }
    template <class Visit>
    void for_each_unexpected(std::size_t most, Visit&& visit)
    {
        receiver_.for_each_unexpected(most, visit);
    }

    bool cancel(ReceiveRequest& request) noexcept { return receiver_.cancel(request); }
    /// Withdraws a message of this rank to itself that nobody has received yet: it is received by nobody, and
    /// its status says so. False: it has been received, or goes to another rank.
    bool cancel(SendRequest& request);

    /// Removes all references to a request in any stage, for a caller that gives up because the engine
    /// failed. No transport may hold a frame of it. The peer does not learn of it.
    void forget(SendRequest& request) noexcept { sender_.forget(request); }
    void forget(ReceiveRequest& request) noexcept { receiver_.forget(request); }
    /// For a caller that gives up but keeps the request until it is done. The buffer is not used afterwards:
    /// for a send the caller has put a copy in place, and a receive discards its data. Throws std::bad_alloc.
    void let_go(SendRequest& request) { Sender::let_go(request); }
    /// For a caller that does not wait for a send that it let leave soon.
    void hurry(SendRequest& request) { Sender::hurry(request); }
    void let_go(ReceiveRequest& request) { receiver_.let_go(request); }

    /// Calls visit(key or envelope, peer's rank in the job, send) for each posted receive, with nullptr, and
    /// for each send whose receiver has not asked for the data. For rare questions.
    template <class Visit>
    void for_each_waiting(Visit&& visit)
    {
        receiver_.for_each_posted([&](const matching::MatchKey& key, int peer) {
            visit(key, peer, static_cast<const SendRequest*>(nullptr));
        });
        sender_.for_each_offered(
            [&](const SendRequest& send) { visit(send.envelope, send.peer_rank, &send); });
    }

    bool is_lost(int rank) const noexcept { return peers_.is_lost(rank); }
    bool has_left(int rank) const noexcept { return peers_.has_left(rank); }
    bool has_lost_peers() const noexcept { return peers_.has_lost_peers(); }
    std::string_view why_lost(int rank) const noexcept { return peers_.why_lost(rank); }
    void fail_awaited_from_anybody(std::uint64_t context) { receiver_.fail_awaited_from_anybody(context); }
    /// Fails all operations with any peer, at the end, when no transport moves data any more. Frees what
    /// abandoned operations left behind.
    void fail_all(std::string_view reason = {});
    /// fail_all(), and no operation with any rank begins from here on.
    void lose_all(std::string_view reason);

    void serve(FrameKind first, FrameKind last, const Services::Handler& handler)
    {
        services_.serve(first, last, handler);
    }
    /// Payloads of frames of a service go where they belong at once.
    void place(FrameKind kind, Services::Places places) { services_.place(kind, std::move(places)); }
    /// For a service that needs its memory back: the transport writes no more to the place of a payload of
    /// that peer's, which goes to its handler then. Throws std::bad_alloc.
    void release_place(int peer_rank)
    {
        if (!peers_.is_lost(peer_rank))
            peers_.connected(peer_rank).transport->release_place(peer_rank);
    }
    /// Counts payloads of kLongBytes or more that come soon from that peer.
    unsigned& long_to_come(int peer_rank) { return peers_.peer(peer_rank).long_to_come; }
    /// Sends a frame of a service. Frames to one peer keep their order but overtake messages. The payload is
    /// copied and shorter than Capabilities::inject_below. Throws if the peer cannot be reached.
    template <class Header>
    void send_frame(int peer_rank, const Header& header, std::span<const std::byte> payload = {})
    {
        static_assert(sizeof header == transport::kMaxHeaderBytes, "so that its length is always checked");
        peers_.send_control(peers_.connected(peer_rank), bytes_of(header), payload);
    }
    /// send_frame() for one of several frames that leave together, with the next flush(). A long payload
    /// leaves at once.
    template <class Header>
    void send_frame_soon(int peer_rank, const Header& header, std::span<const std::byte> payload)
    {
        static_assert(sizeof header == transport::kMaxHeaderBytes);
        const bool is_short = payload.size() < transport::kCopiedSoonBelow;
        peers_.send_control(peers_.connected(peer_rank), bytes_of(header), payload,
                            is_short ? Departure::soon : Departure::at_once);
    }
    void flush(int peer_rank)
    {
        if (!peers_.is_lost(peer_rank))
            peers_.connected(peer_rank).transport->flush();
    }
    /// send_frame() for news that no peer depends on: a peer that has left or cannot be reached gets none,
    /// and a payload that is too long is cut.
    template <class Header>
    void notify_if_reachable(int peer_rank, const Header& header, std::span<const std::byte> payload = {})
    {
        try {
            send_frame(peer_rank, header,
                       payload.first(std::min(payload.size(), most_service_bytes(peer_rank))));
        } catch (const Error&) {
            // Operations that need the peer fail by themselves.
        }
    }

    /// Whether the last frame of a service to the peer waits here, as its transport takes no more for now.
    bool has_unsent_frames(int peer_rank) const noexcept
    {
        return peers_.known(peer_rank) != nullptr && !peers_.known(peer_rank)->control.empty();
    }

    /// Throws if the peer cannot be reached.
    void connect_to(int peer_rank) { peers_.connected(peer_rank); }
    /// Remote memory of the transport to this peer; nullptr if that has none. Throws if the peer cannot be
    /// reached.
    transport::RemoteMemory* memory_of(int peer_rank) { return peers_.connected(peer_rank).memory; }

    /// The largest payload of send_frame() to this peer. Throws if it cannot be reached.
    std::size_t most_service_bytes(int peer_rank)
    {
        return peers_.connected(peer_rank).transport->capabilities().inject_below - 1;
    }

    // transport::Sink
    bool expects_long(int peer_rank) const noexcept override
    {
        const Peer* const peer = peers_.known(peer_rank);
        return peer != nullptr && peer->long_to_come != 0;
    }
    void frame(int peer_rank, std::span<const std::byte> header, std::span<const std::byte> payload) override;
    void peer_lost(int peer_rank, const transport::Loss& loss) override;
    std::span<std::byte> destination(int peer_rank, std::span<const std::byte> header,
                                     std::size_t payload_bytes) override;
    void placed(int peer_rank, std::span<const std::byte> header, std::size_t payload_bytes) override;

private:
    // inject() with a profile.
    bool inject_and_note(const matching::MatchKey& envelope, int peer_rank, std::span<const std::byte> data,
                         Departure departure);
    // frame() for all but short messages.
    void other_frame(int peer_rank, std::span<const std::byte> header, std::span<const std::byte> payload);

    Peers peers_;
    Services services_;
    Sender sender_;
    Receiver receiver_;
};

}  // namespace tutti::protocol
