// Receiving: an arriving message matches a posted receive, or waits as an unexpected message for a later one.
// The data of one that was only offered is then fetched.
#pragma once

#include "lib/engine/protocol/frames.hpp"
#include "lib/engine/protocol/id_table.hpp"
#include "lib/engine/protocol/peers.hpp"
#include "lib/foundation/base/pool.hpp"

namespace tutti::protocol {

/// From this size on, placing a message directly in its buffer is worth a system call.
inline constexpr std::size_t kLongBytes = 16u << 10;

class Sender;

class Receiver {
public:
    /// `sender` has the messages of this rank to itself.
    Receiver(Peers& peers, const Sender& sender) noexcept : peers_(peers), sender_(sender) {}
    ~Receiver();

    /// Starts a receive: takes the earliest unexpected message that fits, else posts it. Its status reports a
    /// lost peer.
    void receive(ReceiveRequest& request)
    {
        if (matcher_.unexpected_count() == 0 && !peers_.has_lost_peers()) [[likely]]
            post(request);
        else
            receive_or_post(request);
    }
    /// Withdraws a posted receive; false if it has matched.
    bool cancel(ReceiveRequest& request) noexcept;
    /// Fails the awaited receives from any source in this context with ErrorCode::peer_lost: no peer is left.
    void fail_awaited_from_anybody(std::uint64_t context);
    void forget(ReceiveRequest& request) noexcept;
    void let_go(ReceiveRequest& request);
    void lose(Peer& lost);

    /// The earliest unexpected message that fits. It stays in the queue.
    UnexpectedRequest* probe(const matching::MatchKey& pattern)
    {
        return static_cast<UnexpectedRequest*>(matcher_.find_unexpected(pattern));
    }
    /// Takes `message`, found by probe(), out of matching. It is then the caller's, for receive_matched() or
    /// drop().
    void extract(UnexpectedRequest& message) noexcept { matcher_.remove_unexpected(message); }
    void receive_matched(ReceiveRequest& request, UnexpectedRequest& message);
    void drop(UnexpectedRequest& message);
    std::size_t unexpected_count() const noexcept { return matcher_.unexpected_count(); }

    /// Calls visit(key, source's rank in the job) for each posted receive.
    template <class Visit>
    void for_each_posted(Visit&& visit)
    {
        matcher_.for_each_posted(
            [&](auto& posted) { visit(posted.key, static_cast<ReceiveRequest&>(posted).peer_rank); });
    }
    /// Calls visit(const UnexpectedRequest&) for the oldest `most` unexpected messages.
    template <class Visit>
    void for_each_unexpected(std::size_t most, Visit&& visit)
    {
        matcher_.for_each_unexpected(
            most, [&](const auto& message) { visit(static_cast<const UnexpectedRequest&>(message)); });
    }

    /// Returns memory that a receive has shown in place: its `sender` may change it afterwards.
    void end_view(int sender, std::uint64_t sender_id) { end_view(peers_.peer(sender), sender_id); }
    /// Copies `from`, memory of this rank, to the buffer of `request`, which has the same length and is not
    /// posted. The rank request.peer_rank waits for this rank and may copy a part.
    void copy_own(ReceiveRequest& request, std::span<const std::byte> from);

    void on_eager(int from_rank, const std::byte* header, std::span<const std::byte> payload);
    void on_first(Peer& from, const LongHeader& header, std::span<const std::byte> payload);
    void on_segment(Peer& from, std::span<const std::byte> payload);
    void on_rts(Peer& from, const LongHeader& header, std::span<const std::byte> payload);
    void on_data(Peer& from, const DataHeader& header, std::span<const std::byte> payload);
    /// The receive that a data frame is for; nullptr if none asked for it.
    ReceiveRequest* data_receiver(const Peer& from, const DataHeader& header,
                                  std::size_t payload_bytes) const noexcept;
    void data_arrived(ReceiveRequest& request, std::size_t bytes);
    /// The receive of an eager message whose payload is still to come, matched in the order of headers.
    /// nullptr: none fits yet; the complete message may still match.
    ReceiveRequest* match_header(Peer& from, const EagerHeader& header, std::size_t payload_bytes) noexcept
    {
        return from.header_receive = match(header.envelope(), from, payload_bytes);
    }
    /// The payload is in its place. False: there is no such message.
    bool payload_placed(Peer& from, std::size_t payload_bytes);

private:
    ReceiveRequest* match(matching::MatchKey envelope, const Peer& from, std::size_t total) noexcept
    {
        auto* const request = static_cast<ReceiveRequest*>(matcher_.match_arrival(envelope));
        if (request != nullptr) [[likely]]
            request->match(envelope, from.rank, total);
        return request;
    }
    void post(ReceiveRequest& request)
    {
        // First, as it may throw: a posted request stays posted.
        Peer* const from =
            request.exact && request.capacity >= kLongBytes ? &peers_.peer(request.peer_rank) : nullptr;
        matcher_.post(request);
        if (from != nullptr) [[unlikely]]
            ++*(request.announced = &from->long_to_come);
    }
    void receive_or_post(ReceiveRequest& request);
    void arrive(Peer& from, const LongHeader& header, const Offer& offer, std::span<const std::byte> payload);
    UnexpectedRequest& keep(Peer& from, matching::MatchKey envelope, std::size_t total_bytes,
                            std::span<const std::byte> payload);
    void consumed(Peer& from, std::size_t message_bytes)
    {
        if (const std::size_t bytes = from.credit.taken(message_bytes); bytes != 0) [[unlikely]]
            give_credit(from, bytes);
    }
    void give_credit(Peer& from, std::size_t bytes);

    // rendezvous.cpp
    void fetch(ReceiveRequest& request, const Offer& offer, std::size_t received_bytes);
    void end_view(Peer& sender, std::uint64_t sender_id, std::uint64_t advice = 0);
    void complete(ReceiveRequest& request, Peer& from);
    void fail(ReceiveRequest& request, Peer& from, ErrorCode code);
    // read_in_place.cpp
    bool take_own(ReceiveRequest& request, Peer& self);
    bool take_in_place(ReceiveRequest& request, Peer& from, const transport::RemoteRegion& region);
    // pull.cpp
    bool try_pull(ReceiveRequest& request, Peer& from, const transport::RemoteRegion& region);
    void pulled(ReceiveRequest& request, ErrorCode result);
    static void begin_timing(ReceiveRequest& request, const Peer& from, const Offer& offer) noexcept;
    static std::uint64_t end_timing(Peer& from, const ReceiveRequest& request, MessageProtocol protocol);
    static std::uint64_t advice(const Peer& from, const ReceiveRequest& request) noexcept;
    // stream.cpp
    void ask_for_data(ReceiveRequest& request, Peer& from, const Offer& offer);

    Peers& peers_;
    const Sender& sender_;
    IdTable<ReceiveRequest> awaiting_data_;
    matching::Matcher matcher_;
    base::Pool<UnexpectedRequest> unexpected_pool_;
};

}  // namespace tutti::protocol
