// What the transport keeps about other ranks.
#pragma once

#include <rdma/fabric.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transports/ofi/link.hpp"
#include "transports/ofi/reorder_queue.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::ofi {

/// Frames that may be sent to a peer before it acknowledges them.
inline constexpr std::uint32_t kWindow = 128;

struct Peer {
    // The peer's identity, known once we have its contact.
    fi_addr_t address = FI_ADDR_UNSPEC;
    std::string host;
    std::string endpoint_place;
    std::string where;  // the peer's end of the link

    Link* link = nullptr;
    std::uint64_t token = 0;                  // the peer's frames must carry it; 0: none
    std::optional<std::uint64_t> send_token;  // our frames must carry it

    // Sending.
    std::uint32_t sent = 0;          // frames
    std::uint32_t acknowledged = 0;  // number of frames that are known to have arrived
    bool refused = false;            // the fabric has answered "later", and nothing was sent since

    // Receiving.
    ReorderQueue incoming{kWindow};
    std::uint32_t reported = 0;  // how many received frames the peer knows of

    // Timeouts: since when the peer owes something, and how often it has answered since then.
    std::int64_t owed_since_ns = 0;  // 0: nothing is owed
    std::int64_t asked_ns = 0;
    bool asked = false;  // and the peer has not answered yet
    unsigned answers = 0;

    // The end. A peer that leaves the job is no loss, unless something is sent to it afterwards.
    enum class State { living, leaving, departed, lost, reported } state = State::living;
    std::uint32_t leaves_after = 0;  // total number of frames that a leaving peer has sent
    bool took_all = false;           // it has said that it wants no more
    std::int64_t ends_ns = 0;        // when it began to leave, or was lost
    Loss loss;

    /// "host b, 10.0.0.2:4711", as far as it is known.
    std::string place() const
    {
        return host.empty() ? where : "host " + host + (where.empty() ? "" : ", ") + where;
    }
    bool may_send() const noexcept
    {
        return address != FI_ADDR_UNSPEC && send_token && state == State::living;
    }
    bool knows(std::uint64_t carried) const noexcept { return carried != 0 && carried == token; }
};

/// Peers by their rank in the job, from when this rank first has to do with them.
class PeerTable {
public:
    explicit PeerTable(int ranks) : by_rank_(static_cast<std::size_t>(ranks)) {}

    /// Only for a known rank.
    Peer& at(int rank) const noexcept { return *by_rank_[static_cast<std::size_t>(rank)]; }
    /// nullptr: the rank is unknown, or none of the job.
    Peer* find(std::size_t rank) const noexcept
    {
        return rank < by_rank_.size() ? by_rank_[rank].get() : nullptr;
    }
    Peer& make(int rank)
    {
        auto& slot = by_rank_[static_cast<std::size_t>(rank)];
        if (slot == nullptr) {
            slot = std::make_unique<Peer>();
            known_.push_back(rank);
        }
        return *slot;
    }
    const std::vector<int>& known() const noexcept { return known_; }

private:
    std::vector<std::unique_ptr<Peer>> by_rank_;
    std::vector<int> known_;
};

}  // namespace tutti::transport::ofi
