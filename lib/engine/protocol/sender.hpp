// Sending: chooses the protocol of a message, sends it eagerly or offers it, and keeps frames that the
// transport refuses, in order.
#pragma once

#include "lib/engine/protocol/frames.hpp"
#include "lib/engine/protocol/id_table.hpp"
#include "lib/engine/protocol/peers.hpp"

namespace tutti::protocol {

class Sender {
public:
    explicit Sender(Peers& peers) noexcept : peers_(peers) {}

    /// Protocol `inject`: sends a short message at once, without a request. False if that is not possible:
    /// use send().
    static bool inject(Peer& to, const matching::MatchKey& envelope, std::span<const std::byte> data,
                       Departure departure)
    {
        const std::size_t below = departure == Departure::soon ? to.inject_soon_below : to.inject_below;
        if (data.size() >= below || !to.credit.covers(data.size()) || !to.starts.empty())
            [[unlikely]]
            return false;
        const EagerHeader header = EagerHeader::of(FrameKind::eager, envelope);
        if (to.transport->send(to.rank, bytes_of(header), data, nobody_waits) == transport::SendResult::again)
            [[unlikely]]
            return false;
        to.credit.use(data.size());
        return true;
    }
    /// Starts a send. request.done tells whether it is complete already; the status tells that the peer is
    /// lost. Throws if the peer cannot be reached.
    void send(SendRequest& request);
    /// Whether a message in `parts` places may go to that peer without a copy. Throws like send().
    bool gathers(int peer_rank, std::size_t parts)
    {
        return peers_.connected_or_lost(peer_rank).gathers && parts <= transport::kMostParts;
    }
    /// Whether that peer reads such data where it lies. Throws like send().
    bool reads_in_place(int peer_rank, std::span<const std::byte> data)
    {
        const Peer& to = peers_.connected_or_lost(peer_rank);
        return data.size() >= to.view_from && to.maps_memory && to.views(to.memory->expose(data));
    }
    /// Sends frames that a transport has refused. Returns the number of frames sent.
    std::size_t retry();
    void forget(SendRequest& request) noexcept;
    static void hurry(SendRequest& request)
    {
        if (request.frames_pending != 0)
            request.peer->transport->flush();
    }
    static void let_go(SendRequest& request)
    {
        if (request.frames_pending != 0)
            request.peer->transport->release_payload(request.peer_rank, request);
    }

    void lose(Peer& lost);

    /// The message that awaits its receiver's answer under this id; nullptr: none does.
    SendRequest* offered(std::uint64_t id) const noexcept { return awaiting_cts_.find(id); }
    /// Calls visit(const SendRequest&) for each send whose receiver has not answered.
    template <class Visit>
    void for_each_offered(Visit&& visit)
    {
        awaiting_cts_.for_each([&](const SendRequest& send) { visit(send); });
    }

    void on_cts(Peer& from, const CtsHeader& cts);
    void on_fin(Peer& from, const FinHeader& fin);
    static void on_credit(Peer& from, const CreditHeader& credit)
    {
        if (credit.bytes > from.credit.used())
            corrupt(from.rank, "more credit than was ever used");
        from.credit.refill(credit.bytes);
    }

private:
    static MessageProtocol choose(SendRequest& request);
    bool start(SendRequest& request);
    static bool send_segments(SendRequest& request);
    void resume(Peer& to, std::size_t& sent);
    // eager.cpp
    bool start_eagerly(SendRequest& request);
    // rendezvous.cpp
    bool offer(SendRequest& request);
    void answered(SendRequest& request) noexcept;
    SendRequest& answer(Peer& from, Lead lead, std::uint64_t sender_id, std::size_t wanted_bytes,
                        std::string_view wrong);
    // pull.cpp
    static MessageProtocol pull_or_stream(SendRequest& request);
    // stream.cpp
    static bool stream(SendRequest& request);
    std::size_t early_bytes(const SendRequest& request) const noexcept;

    Peers& peers_;
    IdTable<SendRequest> awaiting_cts_;
};

}  // namespace tutti::protocol
