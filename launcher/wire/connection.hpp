// One end of the stream between head and daemon, or between two daemons: sends frames without ever blocking,
// hands out what arrives.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "launcher/base/event_loop.hpp"
#include "launcher/base/unique_fd.hpp"
#include "launcher/wire/wire.hpp"

namespace tutti::launcher {

class Connection {
public:
    using FrameHandler = std::function<void(const Frame& frame)>;
    /// `reason` is a part of a sentence, "it closed the connection".
    using ClosedHandler = std::function<void(const std::string& reason)>;

    /// `on_closed` is called at most once, when the peer is gone or sends what no tuttirun sends.
    Connection(EventLoop& loop, UniqueFd fd, FrameHandler on_frame, ClosedHandler on_closed);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Queues the frame and writes as much as the kernel takes now. Frames to a closed peer go nowhere.
    void send(const Frame& frame);
    /// Hands out all that has arrived by now, from outside a handler of this connection.
    void receive_all();
    /// Hangs up; on_closed is not called.
    void hang_up();
    bool open() const noexcept { return open_; }

private:
    void handle(std::uint32_t epoll_events);
    bool receive();
    void flush();
    void close(const std::string& reason);
    void watch_link();

    EventLoop& loop_;
    UniqueFd fd_;
    FrameHandler on_frame_;
    ClosedHandler on_closed_;
    FrameParser parser_;
    std::string pending_;
    std::size_t written_bytes_ = 0;  // of pending_
    bool waits_for_room_ = false;
    bool open_ = true;
    EventLoop::TimerId link_timer_ = 0;
};

/// A daemon's way to the head: its frames say which node they come from.
class Uplink {
public:
    Uplink(Connection& connection, int node)
        : connection_(connection), node_(static_cast<std::uint16_t>(node))
    {
    }

    void send(FrameType type, std::string_view payload = {}) { connection_.send({type, node_, payload}); }
    std::uint16_t node() const noexcept { return node_; }

private:
    Connection& connection_;
    std::uint16_t node_;
};

}  // namespace tutti::launcher
