// How well two hosts reach each other: each daemon answers probes, and sends those that the head asks for.
//
// After the handshake of daemons the asking side sends single bytes that come back, then a stream that is
// answered by its length.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <thread>

#include "launcher/doctor/doctor_messages.hpp"
#include "lib/foundation/connection/listener.hpp"

namespace tutti::launcher::doctor {

/// Names what is spoken after the handshake.
inline constexpr std::uint32_t kProbeProtocol = 0x74700001;

/// Answers probes, one at a time, in a thread of its own.
class ProbeServer final : connection::Listener::User {
public:
    /// `node` is this daemon's. Throws when no port can be opened.
    ProbeServer(const security::Key& key, int node);
    /// Waits for the probe that is being answered, a few seconds at most.
    ~ProbeServer();

    std::uint16_t port() const noexcept { return listener_.port(); }

private:
    void serve();
    void arrived(connection::PendingConnection& pending) override;
    void dropped(const std::string&, std::string_view) override {}  // the daemon that asked reports it

    const connection::ConnectionOptions options_;
    connection::Poller poller_;
    connection::Listener listener_;
    base::UniqueFd stop_;  // an eventfd that the destructor makes readable
    connection::Watched stop_watch_{connection::Watched::Kind::owned};
    std::thread thread_;
};

/// Tries all ways from `mine` to the peer's addresses until one leads to the peer, and measures it. Blocks
/// for some seconds at most.
ProbeResult probe(const security::Key& key, int node, std::span<const network::LocalAddress> mine,
                  const ProbeTask& task);

}  // namespace tutti::launcher::doctor
