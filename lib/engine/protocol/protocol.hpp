// The message protocol: turns sends and receives into frames and back.
//
// Its parts: frames and service (what travels), peers and credit (what is known of another rank, and how much
// it may be sent unasked), sender and receiver (how a message leaves and arrives), rendezvous (how the data
// of a large one gets to its receive), and loss (what ends without its message). docs/developing/protocol.md
// has the reasons.
#pragma once

#include "lib/engine/protocol/receiver.hpp"
#include "lib/engine/protocol/sender.hpp"
#include "lib/engine/protocol/service.hpp"

namespace tutti::protocol {

/// The parts as one: what the layers above call, and what the transports deliver to. All calls are made under
/// the engine's lock; none blocks. Requests are the caller's and must live until done or withdrawn.
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
        return Sender::inject(peer(peer_rank), envelope, data);
    }
    using Peers::has_pending, Sender::gathers, Sender::retry, Sender::send;
    using Receiver::cancel, Receiver::fail_awaited_from_anybody, Receiver::receive;
    using Receiver::drop, Receiver::extract, Receiver::probe, Receiver::receive_matched;
    using Receiver::for_each_unexpected, Receiver::unexpected_count;
    using Rendezvous::copy_own, Rendezvous::end_view;

    /// Takes a request, in whatever stage, out of all that refers to it: for a caller that gives up because
    /// the engine does. No transport may hold a frame of it, and the peer is told nothing.
    using Receiver::forget, Sender::forget;
    /// For who gives up, and keeps the request until it is done. Its memory is not used from here on: of a
    /// send the caller has put a copy in place, and a receive takes nothing any more. Throws std::bad_alloc.
    using Receiver::let_go, Sender::let_go;

    /// What is still waited for, for rare questions: calls visit(key or envelope, peer's rank in the job) for
    /// each posted receive and each send whose receiver has not asked for the data.
    template <class Visit>
    void for_each_waiting(Visit&& visit)
    {
        for_each_posted(visit);
        for_each_offered(visit);
    }

    using Peers::has_lost_peers, Peers::is_lost, Peers::why_lost;
    /// Fails what is still under way with any peer: for the end, once no transport moves anything. What an
    /// abandoned operation left behind is then given back.
    void fail_all();

    using Services::serve;
    /// Sends a frame of a service. Those to one peer arrive in order, but overtake messages. The payload is
    /// copied and shorter than Capabilities::inject_below. Throws where the peer cannot be reached.
    template <class Header>
    void tell(int peer_rank, const Header& header, std::span<const std::byte> payload = {})
    {
        static_assert(sizeof header == transport::kMaxHeaderBytes, "so that its length is always checked");
        send_control(connected(peer_rank), bytes_of(header), payload);
    }

    // transport::Sink
    bool expects_long(int peer_rank) const noexcept override
    {
        return known(peer_rank) != nullptr && known(peer_rank)->long_to_come != 0;
    }
    void frame(int peer_rank, std::span<const std::byte> header, std::span<const std::byte> payload) override;
    void peer_lost(int peer_rank, std::string_view reason) override;
    std::span<std::byte> destination(int peer_rank, std::span<const std::byte> header,
                                     std::size_t payload_bytes) override;
    void placed(int peer_rank, std::span<const std::byte> header, std::size_t payload_bytes) override;
};

}  // namespace tutti::protocol
