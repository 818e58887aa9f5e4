#include "lib/engine/protocol/peers.hpp"

#include <algorithm>

#include "lib/foundation/base/error_detail.hpp"
#include "tutti/error.hpp"

namespace tutti::protocol {

transport::Completion nobody_waits{[](transport::Completion&, ErrorCode) {}};

void Peers::make(std::unique_ptr<Peer>& slot, int rank)
{
    slot = std::make_unique<Peer>(rank, options_.unexpected_bytes);
}

Peer& Peers::connected(int rank)
{
    Peer& to = peer(rank);
    if (to.transport == nullptr) [[unlikely]] {
        transport::Transport& transport = connect_(rank);
        to.memory = transport.memory();
        static_cast<PeerTraits&>(to) = PeerTraits::of(transport.capabilities(), to.memory != nullptr,
                                                      to.memory != nullptr && to.memory->views(), options_);
        to.transport = &transport;
        to.choice = &choices_[&transport];
    }
    return to;
}

Peer& Peers::connected_or_lost(int rank)
{
    Peer& to = peer(rank);
    if (to.transport != nullptr || to.lost) [[likely]]
        return to;
    try {
        return connected(rank);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::peer_lost)
            throw;
        losses_.peer_lost(rank, {std::string(base::detail_of(error)), true});
        return to;
    }
}

void Peers::send_control(Peer& to, std::span<const std::byte> header, std::span<const std::byte> payload,
                         Departure departure)
{
    if (to.lost)
        return;
    const auto send = [&] {
        return departure == Departure::soon ? to.transport->send_soon(to.rank, header, payload, nobody_waits)
                                            : to.transport->send(to.rank, header, payload, nobody_waits);
    };
    if (to.control.empty() && send() != transport::SendResult::again)
        return;
    to.control.push_back({{header.begin(), header.end()}, {payload.begin(), payload.end()}});
    note_pending(to);
}

}  // namespace tutti::protocol
