// What the transport keeps about one other rank.
#pragma once

#include <rdma/fabric.h>

#include <cstdint>
#include <optional>
#include <string>

#include "transports/ofi/link.hpp"
#include "transports/ofi/reorder_queue.hpp"

namespace tutti::transport::ofi {

/// Frames that may be on their way to a peer that has not said that it has them.
inline constexpr std::uint32_t kWindow = 128;

struct Peer {
    // Who it is; known once we have its card.
    fi_addr_t address = FI_ADDR_UNSPEC;
    std::string host;
    std::string endpoint_place;
    std::string where;  // its end of the link

    Link* link = nullptr;
    std::uint64_t token = 0;                  // that its frames must carry; 0: none
    std::optional<std::uint64_t> send_token;  // that ours must carry

    // Sending.
    std::uint32_t sent = 0;          // frames
    std::uint32_t acknowledged = 0;  // of them, known to have arrived
    bool refused = false;            // the fabric has answered "later", and nothing has gone since

    // Receiving.
    ReorderQueue incoming{kWindow};
    std::uint32_t told = 0;  // how many received frames the peer knows of

    // Patience: since when something is owed, and how often it has shown meanwhile that it is there.
    std::int64_t owed_since_ns = 0;  // 0: nothing is
    std::int64_t asked_ns = 0;
    bool asked = false;  // and not answered yet
    unsigned answers = 0;

    // The end. Who leaves the job is not missed, unless something is sent to it afterwards.
    enum class State { living, leaving, departed, lost, reported } state = State::living;
    std::uint32_t leaves_after = 0;  // frames that a leaving one has sent in all
    bool took_all = false;           // it has said that it wants no more
    std::int64_t ends_ns = 0;        // when it began to leave, or was lost
    std::string reason;

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

}  // namespace tutti::transport::ofi
