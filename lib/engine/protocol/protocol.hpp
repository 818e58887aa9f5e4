// The message protocol: turns sends and receives into frames and back.
//
// Its parts: frames and service (what travels), peers and credit (the state of another rank, and how much
// this rank may send without a match), sender and receiver (how a message leaves and arrives), rendezvous
// (how the data of a large message reaches its receive), and loss (operations that end without their
// message). Reasons: docs/developing/protocol.md.
#pragma once

#include "lib/engine/protocol/receiver.hpp"
#include "lib/engine/protocol/sender.hpp"
#include "lib/engine/protocol/service.hpp"

namespace tutti::protocol {

/// All parts as one: what the layers above call, and what the transports deliver to. All calls are made under
/// the engine's lock; none blocks. The caller owns requests and keeps them until done or withdrawn.
class Protocol final : public transport::Sink, Peers, Services, Rendezvous, Sender, Receiver {
public:
    using Peers::Connect;

    Protocol(int ranks, ProtocolOptions options, Connect connect)
        : Peers(ranks, options, std::move(connect), *this),
          Rendezvous(static_cast<Peers&>(*this)),
          Sender(*this, *this),
          Receiver(*this, *this)
    {
    }

    bool inject(const matching::MatchKey& envelope, int peer_rank, std::span<const std::byte> data)
    {
        if (profile() != nullptr) [[unlikely]]
            return inject_and_note(envelope, peer_rank, data);
        const bool sent = Sender::inject(peer(peer_rank), envelope, data);
        if (sent) [[likely]]
            count_injected(data.size());
        return sent;
    }
    using Peers::has_pending, Sender::gathers, Sender::reads_in_place, Sender::retry, Sender::send;
    using Receiver::drop, Receiver::extract, Receiver::probe, Receiver::receive_matched;
    using Receiver::fail_awaited_from_anybody, Receiver::receive;
    using Receiver::for_each_unexpected, Receiver::unexpected_count;
    using Rendezvous::copy_own, Rendezvous::end_view;

    using Receiver::cancel;
    /// Withdraws a message of this rank to itself that nobody has received yet: it is received by nobody, and
    /// its status says so. False: it has been received, or goes to another rank.
    bool cancel(SendRequest& request);

    /// Removes all references to a request in any stage, for a caller that gives up because the engine
    /// failed. No transport may hold a frame of it. The peer does not learn of it.
    using Receiver::forget, Sender::forget;
    /// For a caller that gives up but keeps the request until it is done. The buffer is not used afterwards:
    /// for a send the caller has put a copy in place, and a receive discards its data. Throws std::bad_alloc.
    using Receiver::let_go, Sender::let_go;

    /// Calls visit(key or envelope, peer's rank in the job, send) for each posted receive, with nullptr, and
    /// for each send whose receiver has not asked for the data. For rare questions.
    template <class Visit>
    void for_each_waiting(Visit&& visit)
    {
        for_each_posted([&](const matching::MatchKey& key, int peer) {
            visit(key, peer, static_cast<const SendRequest*>(nullptr));
        });
        for_each_offered([&](const SendRequest& send) { visit(send.envelope, send.peer_rank, &send); });
    }

    using Peers::has_left, Peers::has_lost_peers, Peers::is_lost, Peers::why_lost;
    /// Fails all operations with any peer, at the end, when no transport moves data any more. Frees what
    /// abandoned operations left behind.
    void fail_all(std::string_view reason = {});
    /// fail_all(), and no operation with any rank begins from here on.
    void lose_all(std::string_view reason);

    using Services::serve;
    /// Sends a frame of a service. Frames to one peer keep their order but overtake messages. The payload is
    /// copied and shorter than Capabilities::inject_below. Throws if the peer cannot be reached.
    template <class Header>
    void tell(int peer_rank, const Header& header, std::span<const std::byte> payload = {})
    {
        static_assert(sizeof header == transport::kMaxHeaderBytes, "so that its length is always checked");
        send_control(connected(peer_rank), bytes_of(header), payload);
    }
    /// tell() for news that no peer depends on: a peer that has left or cannot be reached gets none, and a
    /// payload that is too long is cut.
    template <class Header>
    void tell_if_reachable(int peer_rank, const Header& header, std::span<const std::byte> payload = {})
    {
        try {
            tell(peer_rank, header, payload.first(std::min(payload.size(), most_service_bytes(peer_rank))));
        } catch (const Error&) {
            // Operations that need the peer fail by themselves.
        }
    }

    /// Throws if the peer cannot be reached.
    void connect_to(int peer_rank) { connected(peer_rank); }
    /// Remote memory of the transport to this peer; nullptr if that has none. Throws if the peer cannot be
    /// reached.
    transport::RemoteMemory* memory_of(int peer_rank) { return connected(peer_rank).memory; }

    /// The largest payload of tell() to this peer. Throws if it cannot be reached.
    std::size_t most_service_bytes(int peer_rank)
    {
        return connected(peer_rank).transport->capabilities().inject_below - 1;
    }

    // transport::Sink
    bool expects_long(int peer_rank) const noexcept override
    {
        return known(peer_rank) != nullptr && known(peer_rank)->long_to_come != 0;
    }
    void frame(int peer_rank, std::span<const std::byte> header, std::span<const std::byte> payload) override;
    void peer_lost(int peer_rank, const transport::Loss& loss) override;
    std::span<std::byte> destination(int peer_rank, std::span<const std::byte> header,
                                     std::size_t payload_bytes) override;
    void placed(int peer_rank, std::span<const std::byte> header, std::size_t payload_bytes) override;

private:
    // inject() with a profile.
    bool inject_and_note(const matching::MatchKey& envelope, int peer_rank, std::span<const std::byte> data);
    // frame() for all but short messages.
    void other_frame(int peer_rank, std::span<const std::byte> header, std::span<const std::byte> payload);
};

}  // namespace tutti::protocol
