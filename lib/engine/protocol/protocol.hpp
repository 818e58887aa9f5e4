// The message protocol: turns sends and receives into frames and back.
//
// Eager: the message travels at once; what finds no receive is kept. Each sender has a credit of bytes that
// it may have kept at a receiver; when it is used up, and for large or synchronous messages, rendezvous: only
// the envelope travels (rts), and the data when a receive has matched (cts). So a flood of unexpected
// messages costs the receiver its bounded credit and an envelope for each request that the sender still
// holds: a blocking sender waits. See frames.hpp for the frames, docs/developing/protocol.md for the reasons.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/engine/matching/matcher.hpp"
#include "lib/engine/protocol/frames.hpp"
#include "lib/engine/protocol/id_table.hpp"
#include "lib/engine/protocol/peer.hpp"
#include "lib/engine/protocol/rendezvous_choice.hpp"
#include "lib/engine/protocol/requests.hpp"
#include "lib/foundation/base/pool.hpp"
#include "transports/transport.hpp"

namespace tutti::protocol {

struct ProtocolOptions {
    // Larger messages go by rendezvous: docs/developing/protocol.md. Without it: as each transport wishes.
    std::optional<std::size_t> eager_limit_bytes;
    std::size_t unexpected_bytes = 1u << 20;  // credit of each sender; the same at all ranks
    // Data that the receiver can read in place goes by rendezvous from here on: one copy instead of two costs
    // less than the envelope's trip.
    std::size_t view_from_bytes = 1u << 10;
};

/// Of transports that wish no other.
inline constexpr std::size_t kEagerLimitBytes = 8u << 10;

/// Of sends that ask to be copied, where no limit is set by hand: longer ones are read in place all the same.
inline constexpr std::size_t kCopiedLimitBytes = 32u << 10;

/// What an unexpected message costs on top of its bytes: the request that keeps it takes memory, too.
inline constexpr std::size_t kEagerOverheadBytes = 384;

/// From here on it is worth a system call to place a message where it belongs as it arrives.
inline constexpr std::size_t kLongBytes = 16u << 10;

/// Below this a remote read costs more than the frames.
inline constexpr std::size_t kPullFromBytes = 4096;

/// For frames that are never `pending`: the transport has copied them.
inline transport::Completion nobody_waits{[](transport::Completion&, ErrorCode) {}};

/// Hears of the frames by which ranks compare their collective calls.
class CallListener {
public:
    /// Within progress(); may send. What it throws ends all progress.
    virtual void heard(int peer, const CallHeader& call) = 0;
    virtual void heard(int peer, const CallWaitHeader& wait) = 0;

protected:
    ~CallListener() = default;
};

/// All calls are made under the engine's lock; none blocks. Requests are the caller's and must live until
/// done or withdrawn.
class Protocol final : public transport::Sink {
public:
    /// Returns the transport to `peer`, connected. May throw tutti::Error, may take a while.
    using Connect = std::function<transport::Transport&(int peer)>;

    Protocol(int ranks, ProtocolOptions options, Connect connect);
    ~Protocol();

    /// Sends a short message at once, without a request. False where it cannot go like that: send() it.
    bool inject(const matching::MatchKey& envelope, int peer_rank, std::span<const std::byte> data)
    {
        Peer& to = peer(peer_rank);
        const std::size_t cost = data.size() + kEagerOverheadBytes;
        if (data.size() >= to.inject_below || cost > to.credit || !to.starts.empty()) [[unlikely]]
            return false;
        const EagerHeader header = EagerHeader::of(FrameKind::eager, envelope);
        if (to.transport->send(peer_rank, bytes_of(header), data, nobody_waits) ==
            transport::SendResult::again) [[unlikely]]
            return false;
        to.credit -= cost;
        return true;
    }

    /// Whether messages to that peer may be sent from so many places without a copy. Throws where it cannot
    /// be reached.
    bool gathers(int peer_rank, std::size_t parts)
    {
        return connected_or_lost_peer(peer_rank).gathers && parts <= transport::kMostParts;
    }

    /// Starts a send; request.done tells whether it is complete already. Throws where the peer cannot be
    /// reached.
    void send(SendRequest& request);

    /// Starts a receive: takes the earliest unexpected message that fits, else posts it.
    void receive(ReceiveRequest& request)
    {
        if (matcher_.unexpected_count() == 0 && !has_lost_peers()) [[likely]]
            post(request);
        else
            receive_or_post(request);
    }
    /// Takes a posted receive back; false when it has matched.
    bool cancel(ReceiveRequest& request) noexcept;

    /// Fails the awaited receives from any source in this context with ErrorCode::peer_lost: nobody is left.
    void fail_awaited_from_anybody(std::uint64_t context);

    /// The earliest unexpected message that fits, left in its place.
    UnexpectedRequest* probe(const matching::MatchKey& pattern);
    /// Takes `message`, found by probe(), out of matching: it is now the caller's, for receive_matched or
    /// drop.
    void extract(UnexpectedRequest& message) noexcept;
    void receive_matched(ReceiveRequest& request, UnexpectedRequest& message);
    void drop(UnexpectedRequest& message);

    /// Takes a request, in whatever stage, out of all that refers to it: for a caller that gives up because
    /// the engine does. No transport may hold a frame of it, and the peer is told nothing.
    void forget(SendRequest& request) noexcept;
    void forget(ReceiveRequest& request) noexcept;

    /// Fails what is still under way with any peer: for the end, once no transport moves anything. What an
    /// abandoned operation left behind is then given back.
    void fail_all();

    /// Sends what a transport had refused. Returns the number of frames that went out.
    std::size_t retry();
    bool has_pending() noexcept { return !pending_peers_.empty(); }

    /// Who hears of other ranks' calls from now on; nullptr: nobody.
    void set_call_listener(CallListener* listener) noexcept { call_listener_ = listener; }
    /// Sends a frame of one of the call_ kinds. Throws where the peer cannot be reached.
    template <class Header>
    void tell_call(int peer, const Header& call)
    {
        send_control(connected_peer(peer), bytes_of(call));
    }

    /// For who gives up, and keeps the request until it is done. Its memory is not used from here on: of a
    /// send the caller has put a copy in place, and a receive takes nothing any more. Throws std::bad_alloc.
    void let_go(SendRequest& request);
    void let_go(ReceiveRequest& request);

    /// Gives the memory back that a receive in place has shown: its `sender` may change it.
    void end_view(int sender, std::uint64_t sender_id);

    /// Copies `from`, memory of this rank, to the buffer of `request`, which is as long and is posted
    /// nowhere. request.peer_rank, who waits for this rank, may have a part in it.
    void copy_own(ReceiveRequest& request, std::span<const std::byte> from);

    /// What is still waited for, for rare questions: calls visit(key or envelope, peer's rank in the job) for
    /// each posted receive and each send whose receiver has not asked for the data.
    template <class Visit>
    void for_each_waiting(Visit&& visit)
    {
        matcher_.for_each_posted([&](matching::PostedReceive& posted) {
            visit(posted.key, static_cast<ReceiveRequest&>(posted).peer_rank);
        });
        awaiting_cts_.for_each([&](SendRequest& send) { visit(send.envelope, send.peer_rank); });
    }
    /// Calls visit(const UnexpectedRequest&) for the oldest `most` messages that no receive has asked for.
    template <class Visit>
    void for_each_unexpected(std::size_t most, Visit&& visit)
    {
        matcher_.for_each_unexpected(most, [&](const matching::UnexpectedMessage& message) {
            visit(static_cast<const UnexpectedRequest&>(message));
        });
    }

    std::size_t unexpected_count() const noexcept { return matcher_.unexpected_count(); }
    bool is_lost(int peer) const noexcept;
    /// Whether any peer is. May be asked without the lock.
    bool has_lost_peers() const noexcept { return any_lost_.load(std::memory_order_relaxed); }
    /// As protocol::why_lost. Valid as long as this.
    std::string_view why_lost(int peer) const noexcept;

    // transport::Sink
    bool expects_long(int peer) const noexcept override
    {
        const auto& known = peers_[static_cast<std::size_t>(peer)];
        return known != nullptr && known->long_to_come != 0;
    }
    void frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload) override;
    void peer_lost(int peer, std::string_view reason) override;
    std::span<std::byte> destination(int peer, std::span<const std::byte> header,
                                     std::size_t payload_bytes) override;
    void placed(int peer, std::span<const std::byte> header, std::size_t payload_bytes) override;

private:
    // Sending (send.cpp)
    Peer& peer(int rank)
    {
        const auto& known = peers_[static_cast<std::size_t>(rank)];
        return known != nullptr ? *known : new_peer(rank);
    }
    Peer& new_peer(int rank);
    Peer& connected_peer(int rank);
    Peer& connected_or_lost_peer(int rank);
    bool start(SendRequest& request, Peer& to);
    bool stream(SendRequest& request, Peer& to);
    bool pass(SendRequest& request, Peer& to, std::span<const std::byte> header, std::size_t payload_bytes);
    bool pass_rts(SendRequest& request, Peer& to, std::span<const std::byte> header);
    static bool lend(SendRequest& request, Peer& to);
    void answered(SendRequest& request) noexcept;
    static void settle(SendRequest& request) noexcept;
    void send_control(Peer& to, std::span<const std::byte> header);
    bool retry_peer(Peer& to, std::size_t& sent);
    void note_pending(Peer& to);
    void on_cts(int from, const CtsHeader& cts);
    void on_fin(int from, const FinHeader& fin);
    void on_credit(Peer& from, const CreditHeader& credit);

    // Receiving (receive.cpp)
    void post(ReceiveRequest& request)
    {
        // Found before, as that may throw: a request that is posted stays so.
        Peer* const announced =
            request.exact && request.capacity >= kLongBytes ? &peer(request.peer_rank) : nullptr;
        matcher_.post(request);
        if (announced != nullptr) [[unlikely]] {
            request.announced = announced;
            ++announced->long_to_come;
        }
    }
    static void unannounce(ReceiveRequest& request) noexcept
    {
        if (request.announced != nullptr) [[unlikely]]
            --std::exchange(request.announced, nullptr)->long_to_come;
    }
    void receive_or_post(ReceiveRequest& request);
    void on_eager(Peer& from, const EagerHeader& header, std::span<const std::byte> payload);
    void on_eager_first(Peer& from, const EagerFirstHeader& header, std::span<const std::byte> payload);
    void on_segment(Peer& from, std::span<const std::byte> payload);
    void on_rts(Peer& from, const RtsHeader& header, std::span<const std::byte> payload);
    UnexpectedRequest& keep_unexpected(Peer& from, const matching::MatchKey& envelope,
                                       std::size_t total_bytes);
    void accept(ReceiveRequest& request, UnexpectedRequest& message);

    // The data of a matched rendezvous (rendezvous.cpp)
    void fetch_data(ReceiveRequest& request, int sender, std::uint64_t sender_id, std::size_t total_bytes,
                    const std::optional<transport::RemoteRegion>& region);
    bool take_in_place(ReceiveRequest& request, Peer& from, std::uint64_t sender_id,
                       const transport::RemoteRegion& region);
    bool try_pull(ReceiveRequest& request, Peer& from, std::uint64_t sender_id,
                  const transport::RemoteRegion& region);
    void finish_pull(ReceiveRequest& request);
    void give_up_pull(ReceiveRequest& request, ErrorCode result);
    void clear_to_send(ReceiveRequest& request, Peer& from, std::uint64_t sender_id);
    ReceiveRequest* data_receiver(int from, const DataHeader& header, std::size_t payload_bytes) noexcept;
    void on_data(int from, const DataHeader& header, std::span<const std::byte> payload);
    void data_arrived(ReceiveRequest& request, std::size_t bytes);

    void consumed(Peer& from, std::size_t message_bytes);
    static void matched(ReceiveRequest& request, const matching::MatchKey& envelope, int sender,
                        std::size_t total);
    static void finish(ReceiveRequest& request) noexcept;
    static void fail(ReceiveRequest& request, const Peer& lost) noexcept;
    [[noreturn]] static void corrupt(int from, std::string_view what);

    ProtocolOptions options_;
    Connect connect_;
    matching::Matcher matcher_;
    std::vector<std::unique_ptr<Peer>> peers_;  // by rank in the job
    base::IntrusiveList<Peer, PendingPeerTag> pending_peers_;
    IdTable<SendRequest> awaiting_cts_;
    IdTable<ReceiveRequest> awaiting_data_;
    base::Pool<UnexpectedRequest> unexpected_pool_;
    std::map<const transport::Transport*, RendezvousChoice> choices_;  // memory and networks differ
    CallListener* call_listener_ = nullptr;
    std::atomic<bool> any_lost_{false};
};

}  // namespace tutti::protocol
