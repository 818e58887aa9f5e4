// Ranks over TCP on the loopback interface, and peers that are not what they should be.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/security/handshake.hpp"
#include "transports/tcp/tcp_transport.hpp"

namespace tutti::test {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text);
std::string text_of(std::span<const std::byte> bytes);

/// Keeps what comes.
class TcpSink final : public transport::Sink {
public:
    void frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload) override
    {
        frames.push_back({peer, text_of(header), text_of(payload)});
    }
    void peer_lost(int peer, const tutti::transport::Loss& loss) override
    {
        losses.push_back({peer, loss.reason});
    }

    struct Frame {
        int from;
        std::string header;
        std::string payload;
        bool operator==(const Frame&) const = default;
    };
    struct Loss {
        int peer;
        std::string reason;
    };
    std::vector<Frame> frames;
    std::vector<Loss> losses;
};

/// A rank with its sink.
class TcpRank {
public:
    TcpRank(int rank, int ranks, const security::Key& key,
            std::chrono::milliseconds timeout = std::chrono::seconds(20),
            std::string_view interfaces = "127.0.0.0/8", int socket_buffer_bytes = 128 << 10);

    transport::tcp::TcpTransport& operator*() { return *transport_; }
    transport::tcp::TcpTransport* operator->() { return transport_.get(); }
    std::size_t progress() { return transport_->progress(sink); }
    void connect(TcpRank& peer, int rank) { transport_->connect(rank, peer->address()); }
    /// Of a frame whose header is "h"; in bytes that are copied, so it is never `pending`.
    transport::SendResult send(int peer, std::string_view payload);
    std::uint16_t port();

    TcpSink sink;

private:
    std::unique_ptr<transport::tcp::TcpTransport> transport_;
    transport::Completion unused_;
};

/// Connects rank 0 of two to a rank 1 that is gone: nobody listens there any more.
void connect_to_gone(TcpRank& zero, const security::Key& key);

/// Gives this process a network of its own, where it may; it has nothing but a loopback interface, which is
/// down.
bool leave_network();
/// Of this process's network.
bool set_loopback(bool up);

/// Until `done()`, driving all ranks; false when that does not come within 20 s.
bool drive(std::initializer_list<TcpRank*> ranks, const std::function<bool()>& done);

/// A socket in the test's own hands.
class RawPeer {
public:
    /// Connects to the port on the loopback interface. Throws where it is refused.
    explicit RawPeer(std::uint16_t port, const char* address = "127.0.0.1");
    /// Takes a connection of one's own.
    explicit RawPeer(base::UniqueFd fd) : fd_(std::move(fd)) {}

    void write(std::span<const std::byte> bytes) const;
    void write(std::string_view text) const { write(std::as_bytes(std::span(text))); }
    /// What has arrived, at most so much.
    Bytes read(std::size_t most = 4096) const;
    /// Whether the other end has closed the connection. Unread bytes are lost.
    bool is_closed() const;
    /// For who needs the socket itself; nothing else may be called then.
    base::UniqueFd release() { return std::move(fd_); }
    /// Closes it so that the other end is told of an error.
    void reset();
    /// Shakes hands with `with` as rank `rank`, and waits for its verdict or gives one. False when refused.
    bool join(TcpRank& with, int its_rank, const security::Key& key, int rank);

private:
    base::UniqueFd fd_;
};

/// Listens on the loopback interface, in a rank's place or in front of one.
class RawListener {
public:
    /// Port 0: any.
    explicit RawListener(const char* address = "127.0.0.2", std::uint16_t port = 0);

    std::uint16_t port() const noexcept { return port_; }
    /// The next who has connected; nullptr: nobody.
    std::unique_ptr<RawPeer> accept() const;

private:
    base::UniqueFd fd_;
    std::uint16_t port_ = 0;
};

/// The contact of `rank` with this port, and with these addresses of the loopback interface.
Bytes contact_of(TcpRank& rank, std::uint16_t port, std::initializer_list<const char*> addresses);

/// What is written to stderr while it lives.
class CapturedErrors {
public:
    CapturedErrors();
    ~CapturedErrors();
    std::string text() const;

private:
    base::UniqueFd file_;
    base::UniqueFd saved_;
};

std::size_t count(std::string_view text, std::string_view part);

}  // namespace tutti::test
