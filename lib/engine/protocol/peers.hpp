// The other ranks of the job: connected when first needed, sent control frames, and marked when lost.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lib/engine/protocol/choose_protocol.hpp"
#include "lib/engine/protocol/credit.hpp"
#include "lib/engine/protocol/pull_or_stream.hpp"
#include "lib/engine/protocol/requests.hpp"
#include "lib/foundation/observe/profile_writer.hpp"
#include "lib/foundation/observe/status_page.hpp"

namespace tutti::protocol {

struct PendingPeerTag;

/// A control frame (cts, fin, credit, or a service's) that the transport refused: it is tried again.
struct ControlFrame {
    std::vector<std::byte> header;
    std::vector<std::byte> payload;
};

/// What a rank keeps about one other rank that it has sent to or heard from.
struct Peer : base::ListHook<PendingPeerTag>, PeerTraits {
    Peer(int job_rank, std::size_t unexpected_bytes) noexcept : rank(job_rank), credit(unexpected_bytes) {}

    bool views(const transport::RemoteRegion& region) const noexcept
    {
        return maps_memory && region.key != 0;
    }
    bool has_pending() noexcept { return !control.empty() || !starts.empty() || !streams.empty(); }

    // First what inject() and on_eager() need, which then lies together.
    int rank;
    bool lost = false;
    transport::Transport* transport = nullptr;  // nullptr: not connected yet
    Credit credit;
    // Envelopes that are still to go. They keep their order, so a start waits behind earlier ones. Control
    // frames and the data of matched messages may overtake.
    base::IntrusiveList<SendRequest, OutgoingTag> starts;
    // Matched to an eager message whose header the transport has shown and whose payload is still to come.
    ReceiveRequest* header_receive = nullptr;

    base::IntrusiveList<SendRequest, OutgoingTag> streams;
    std::deque<ControlFrame> control;
    transport::RemoteMemory* memory = nullptr;  // of its transport, if that has remote memory
    PullOrStream* choice = nullptr;             // shared by all peers over that transport
    unsigned offered = 0;                       // messages that it has not answered
    WindowRun window_run;                       // of its timed messages
    transport::Loss loss;                       // if it is lost

    // The message that is arriving: who gets its unasked bytes, a matched receive or an unexpected message.
    // Both nullptr: the receive is done or given up.
    struct Arriving {
        ReceiveRequest* receive = nullptr;
        UnexpectedRequest* unexpected = nullptr;
        std::size_t total_bytes = 0;  // 0: there is none
        std::size_t received_bytes = 0;
    } arriving;
    unsigned long_to_come = 0;  // posted receives that expect a long message from it
};

/// Why a peer is lost, as text to follow a colon. nullptr: it was never connected.
inline std::string_view why_lost(const Peer* peer) noexcept
{
    return peer != nullptr && !peer->loss.reason.empty() ? std::string_view(peer->loss.reason)
                                                         : "its process has ended or its connection broke";
}

/// The completion of frames that are never `pending`, as the transport has copied them.
extern transport::Completion nobody_waits;

class Peers {
public:
    /// Returns the transport to `peer`, connected. May throw tutti::Error and may take a while.
    using Connect = std::function<transport::Transport&(int peer)>;

    /// `losses` learns of peers that have left before they were needed.
    Peers(int ranks, ProtocolOptions options, Connect connect, transport::Sink& losses)
        : options_(options),
          connect_(std::move(connect)),
          losses_(losses),
          traffic_(options.traffic != nullptr ? *options.traffic : own_traffic_),
          profile_(options_.profile),
          peers_(static_cast<std::size_t>(ranks))
    {
    }

    int size() const noexcept { return static_cast<int>(peers_.size()); }
    const ProtocolOptions& options() const noexcept { return options_; }

    [[gnu::always_inline]] Peer& peer(int rank)
    {
        auto& slot = peers_[static_cast<std::size_t>(rank)];
        if (slot == nullptr) [[unlikely]]
            make(slot, rank);
        return *slot;
    }
    const Peer* known(int rank) const noexcept { return peers_[static_cast<std::size_t>(rank)].get(); }
    /// Throws if the peer cannot be reached.
    Peer& connected(int rank);
    /// connected(), but a peer that has left before it was needed counts as lost: the request reports that.
    Peer& connected_or_lost(int rank);
    /// Notes a loss; false if it was known.
    bool lose(Peer& lost, const transport::Loss& loss);
    bool is_lost(int rank) const noexcept { return known(rank) != nullptr && known(rank)->lost; }
    /// Whether it is lost as it has left the job in good order.
    bool has_left(int rank) const noexcept { return is_lost(rank) && known(rank)->loss.has_left; }
    /// Whether any peer is lost. Works without the lock.
    bool has_lost_peers() const noexcept { return any_lost_.load(std::memory_order_relaxed); }
    /// As protocol::why_lost. Valid while this object lives.
    std::string_view why_lost(int rank) const noexcept { return protocol::why_lost(known(rank)); }

    /// Counts a message of this rank, and one that has arrived with its envelope at least.
    void count_sent(int peer_rank, const matching::MatchKey& envelope, std::size_t bytes) noexcept
    {
        traffic_.sent.add(bytes);
        if (profile_ != nullptr) [[unlikely]]
            profile_->sent(peer_rank, envelope.context, envelope.tag(), bytes, std::nullopt, profile_->now());
    }
    /// Counts a message that went by `inject`; inject_and_note() tells the profile.
    void count_injected(std::size_t bytes) noexcept { traffic_.sent.add_short(bytes); }
    observe::ProfileWriter* profile() const noexcept { return profile_; }
    void count_arrived(const Peer& from, const matching::MatchKey& envelope, std::size_t bytes,
                       MessageProtocol offered) noexcept
    {
        traffic_.arrived.add(bytes);
        if (profile_ != nullptr) [[unlikely]]
            profile_->arrived(from.rank, envelope.context, envelope.tag(), bytes, offered);
    }
    /// Counts a message of this rank by the protocol that it took in the end.
    void count(MessageProtocol protocol, std::size_t bytes) noexcept
    {
        if (profile_ != nullptr) [[unlikely]]
            profile_->took(protocol, bytes);
    }
    /// Counts any other step of a message.
    void count_piece() noexcept { observe::add_to(traffic_.pieces, 1); }

    /// Sends a copied frame that needs no request. Frames to one peer keep their order. The caller flushes
    /// the transport after those that leave soon, whose payloads have less than kCopiedSoonBelow bytes.
    void send_control(Peer& to, std::span<const std::byte> header, std::span<const std::byte> payload = {},
                      Departure departure = Departure::at_once);

    /// Adds `to` to the peers with frames to send.
    void note_pending(Peer& to) noexcept
    {
        if (!to.linked())
            pending_.push_back(to);
    }
    bool has_pending() noexcept { return !pending_.empty(); }
    base::IntrusiveList<Peer, PendingPeerTag>& pending() noexcept { return pending_; }

private:
    void make(std::unique_ptr<Peer>& slot, int rank);

    ProtocolOptions options_;
    Connect connect_;
    transport::Sink& losses_;
    observe::StatusTraffic own_traffic_{};
    observe::StatusTraffic& traffic_;
    observe::ProfileWriter* const profile_;
    std::vector<std::unique_ptr<Peer>> peers_;                     // by rank in the job
    std::map<const transport::Transport*, PullOrStream> choices_;  // memory and networks differ
    base::IntrusiveList<Peer, PendingPeerTag> pending_;
    std::atomic<bool> any_lost_{false};
};

}  // namespace tutti::protocol
