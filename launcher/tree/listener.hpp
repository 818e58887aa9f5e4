// Where daemons connect to the process that has started them. Whoever else comes is sent away.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>

#include "launcher/base/event_loop.hpp"
#include "launcher/base/unique_fd.hpp"
#include "lib/foundation/security/handshake.hpp"

namespace tutti::launcher {

class Listener {
public:
    struct Events {
        /// The daemon `number` has proved to belong to the job; `stream` does not block.
        std::function<void(std::uint32_t number, UniqueFd stream)> joined;
        /// Somebody was sent away: the address and why, "it does not know the job's key".
        std::function<void(const std::string& address, const std::string& reason)> refused;
    };

    /// Listens on all addresses of this machine, at a port of the system's choice. `self` is what this
    /// process proves to be. Throws std::system_error.
    Listener(EventLoop& loop, const security::Key& key, security::Identity self, Events events);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    std::uint16_t port() const noexcept { return port_; }

private:
    /// Somebody who has not proved anything yet.
    struct Guest {
        UniqueFd fd;
        security::Handshake handshake;
        std::string address;
        EventLoop::TimerId timer = 0;
    };
    using Guests = std::list<Guest>;

    void open();
    void accept();
    void talk(Guests::iterator guest);
    void send(Guest& guest);
    void refuse(Guests::iterator guest, const std::string& reason);
    void dismiss(Guests::iterator guest);

    EventLoop& loop_;
    security::Key key_;
    security::Identity self_;
    Events events_;
    UniqueFd socket_;
    EventLoop::TimerId pause_ = 0;
    std::uint16_t port_ = 0;
    Guests guests_;  // in the order in which they came
};

}  // namespace tutti::launcher
