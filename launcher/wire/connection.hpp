// One end of the stream between head and daemon, or between two daemons. Sends frames without blocking, and
// hands out those that arrive.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/base/descriptors.hpp"
#include "launcher/base/event_loop.hpp"
#include "launcher/wire/wire.hpp"

namespace tutti::launcher {

class Connection {
public:
    using FrameHandler = std::function<void(const Frame& frame)>;
    /// `reason` is a part of a sentence, "it closed the connection".
    using ClosedHandler = std::function<void(const std::string& reason)>;

    /// `on_closed` is called at most once, when the peer is gone or sends bytes that are no frames.
    Connection(EventLoop& loop, UniqueFd fd, FrameHandler on_frame, ClosedHandler on_closed);
    ~Connection();

    /// Queues the frame and writes as much as the kernel takes now. Frames to a closed peer are dropped.
    void send(const Frame& frame);
    /// Hands out all frames that have arrived. Not to be called in a handler of this connection.
    void receive_all();
    /// Closes the connection; on_closed is not called.
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

/// A daemon's connection to the head: it marks frames with the daemon's node.
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

/// A TCP connection whose other end does not answer for so long is lost, whether it has something to send or
/// not. The kernels ask and answer, so that a process that is stopped, or gets no processor, is not taken for
/// dead.
inline constexpr int kLinkTimeoutSeconds = 8;

/// Whether `fd` is such a connection, and not the stream to the daemon of this machine.
bool is_link(int fd) noexcept;

/// Whether the other end has been silent for so long although it was to answer. To be asked every second or
/// so.
bool link_is_dead(int fd) noexcept;

/// What a socket needs that frames travel on: it is not delayed, and notices that its other end is gone.
void prepare_link(int fd) noexcept;

/// The numeric address of the other end of a connected socket; empty when it is gone already.
std::string peer_address(int fd);

/// Numeric addresses under which other hosts may reach this one, the likely ones first; those of `interface`,
/// as lib/foundation/network reads it, or of TUTTI_INTERFACE where that is empty. Loopback comes last: a
/// daemon may have been started on this machine under another name. Throws tutti::Error when what was named
/// is not there.
std::vector<std::string> own_addresses(const std::string& interface);

}  // namespace tutti::launcher
