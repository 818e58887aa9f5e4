// What a rank keeps about one other rank that it has sent to or heard from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "lib/engine/protocol/rendezvous_choice.hpp"
#include "lib/engine/protocol/requests.hpp"
#include "lib/foundation/base/intrusive_list.hpp"
#include "transports/transport.hpp"

namespace tutti::protocol {

struct PendingPeerTag;

/// A cts, fin or credit frame that the transport refused: it is tried again.
struct ControlFrame {
    std::array<std::byte, transport::kMaxHeaderBytes> bytes;
    std::size_t size;
};

struct Peer : base::ListHook<PendingPeerTag> {
    explicit Peer(int job_rank) noexcept : rank(job_rank) {}

    bool views(const transport::RemoteRegion& region) const noexcept
    {
        return memory != nullptr && memory->viewable(region);
    }
    bool has_pending() noexcept { return !control.empty() || !starts.empty() || !streams.empty(); }

    int rank;
    bool lost = false;
    std::string loss;                           // why, as its transport says
    transport::Transport* transport = nullptr;  // nullptr: not connected yet
    transport::RemoteMemory* memory = nullptr;  // the transport's, where it has that
    RendezvousChoice* choice = nullptr;         // of all peers over that transport
    std::size_t max_payload = 0;
    std::size_t inject_below = 0;  // messages with fewer bytes need no request; 0: not connected, or lost
    std::size_t eager_limit = 0;   // larger messages go by rendezvous
    bool can_pull = false;         // its memory may be read by remote get
    bool gathers = false;          // its transport sends from several places at once

    // Sending. Envelopes keep their order, so a start waits behind earlier ones; control frames and the data
    // of matched messages need no order and overtake.
    std::deque<ControlFrame> control;
    base::IntrusiveList<SendRequest, OutgoingTag> starts;
    base::IntrusiveList<SendRequest, OutgoingTag> streams;
    std::size_t credit = 0;  // eager bytes that the peer still has room for

    // Receiving.
    std::size_t credit_owed = 0;  // eager bytes taken since the last credit frame
    // The segmented message that is arriving: for a matched receive, or kept as unexpected. One at a time.
    ReceiveRequest* arriving_receive = nullptr;
    UnexpectedRequest* arriving_unexpected = nullptr;
    std::size_t arriving_total = 0;
    std::size_t arriving_received = 0;
    // Of an eager message whose header the transport has shown, and whose payload is still on its way.
    ReceiveRequest* early_receive = nullptr;
    unsigned long_to_come = 0;  // posted receives that are sure to get a long message from it
};

/// Why a lost peer is lost, to go behind a colon. nullptr: one that was never connected to.
inline std::string_view why_lost(const Peer* peer) noexcept
{
    return peer != nullptr && !peer->loss.empty() ? std::string_view(peer->loss)
                                                  : "its process has ended or its connection broke";
}

}  // namespace tutti::protocol
