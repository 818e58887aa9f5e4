// Where daemons connect to the process that has started them, and how they do. Other connections are refused.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "launcher/base/descriptors.hpp"
#include "launcher/base/event_loop.hpp"
#include "launcher/job/daemon_record.hpp"
#include "lib/foundation/connection/listener.hpp"

namespace tutti::launcher {

class DaemonListener final : connection::Listener::User {
public:
    struct Events {
        /// The daemon `number` has proved to belong to the job; `stream` does not block.
        std::function<void(std::uint32_t number, UniqueFd stream)> joined;
        /// A connection was refused: its address and why, "it does not know the job's key".
        std::function<void(const std::string& address, std::string_view reason)> refused;
    };

    /// Listens on all addresses of this machine, at a port of the system's choice. `self` is what this
    /// process proves to be. Its events end it no sooner than they have returned. Throws tutti::Error.
    DaemonListener(EventLoop& loop, const security::Key& key, security::Identity self, Events events);
    ~DaemonListener();
    DaemonListener(const DaemonListener&) = delete;
    DaemonListener& operator=(const DaemonListener&) = delete;

    std::uint16_t port() const noexcept { return listener_.port(); }

private:
    void arrived(connection::PendingConnection& pending) override;
    void dropped(const std::string& remote, std::string_view why) override;

    EventLoop& loop_;
    Events events_;
    const connection::ConnectionOptions options_;
    connection::Poller poller_;
    connection::Listener listener_;
};

/// Connects to the parent that `record` names, as the daemon of `node`, and exchanges proofs with it. Tries
/// the address from which ssh came first, then those of the record, a new one every moment while the others
/// still wait. Blocks for some seconds at most. The result does not block, and what comes next on it is a
/// frame. Throws std::runtime_error with all addresses and what was wrong with each.
UniqueFd join_job(const DaemonRecord& record, int node);

}  // namespace tutti::launcher
