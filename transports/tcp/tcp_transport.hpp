// Frames between ranks of different nodes over TCP sockets.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/foundation/connection/peer_connector.hpp"
#include "lib/foundation/network/interface_choice.hpp"
#include "lib/foundation/security/key.hpp"
#include "transports/tcp/hot_streams.hpp"
#include "transports/tcp/send_queue.hpp"
#include "transports/tcp/send_run.hpp"
#include "transports/tcp/stream.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::tcp {

struct TcpOptions {
    int rank;
    int ranks;  // in the job
    security::Key key;
    std::string host;  // the name of this rank's host, for messages
    network::InterfaceChoice interfaces;
    /// A peer whose host does not answer for so long is lost, also within close(), which waits for accepted
    /// frames to arrive. The same time bounds the wait for an address and for a connection's first bytes.
    std::chrono::milliseconds timeout{10'000};
    int socket_buffer_bytes = 0;       // 0: the kernel's default
    std::string congestion_control{};  // as choose_congestion_control() takes it
    bool prints_addresses = false;     // prints the pair of addresses that leads to each other host on stderr
};

/// One connection for each pair of ranks and both directions, made when one of them first sends. A frame is
/// written to the socket within send().
class TcpTransport final : public Transport, public Doorbell, connection::PeerConnector::User {
public:
    /// Starts to listen. Throws tutti::Error when no interface is usable, or no file descriptor is left.
    explicit TcpTransport(TcpOptions options);
    ~TcpTransport() override { close(); }

    std::string_view name() const noexcept override { return "tcp"; }
    Capabilities capabilities() const noexcept override;
    std::vector<std::byte> address() const override { return connector_.contact().to_bytes(); }
    bool reach(int peer, std::span<const std::byte> contact) const noexcept override;
    void connect(int peer, std::span<const std::byte> contact) override;
    SendResult send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                    Completion& completion) override;
    SendResult send_parts(int peer, std::span<const std::byte> header, Parts payload,
                          Completion& completion) override;
    SendResult send_soon(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                         Completion& completion) override;
    void flush() override;
    void release_payload(int peer, const Completion& completion) override;
    void release_place(int peer) override;
    Presence look_after(int peer, std::span<const std::byte> contact) override;
    std::string silent_at(int peer) const override { return connector_.silent_at(peer); }
    std::size_t progress(Sink& sink) override;
    Doorbell* doorbell() noexcept override { return this; }
    void arm() override;
    void disarm() noexcept override { armed_ = false; }
    int wait_fd() noexcept override { return poller_.fd(); }
    void close() noexcept override;

    /// The addresses that this rank publishes, for messages: "eth0 10.0.0.1/24".
    std::string chosen_addresses() const { return network::describe(connector_.contact().addresses); }
    /// Whether frames can flow to and from this rank.
    bool is_connected(int peer) const noexcept;

private:
    enum class PeerState { living, departed, lost };
    struct Peer {
        PeerState state = PeerState::living;
        SendQueue queue;
        std::unique_ptr<Stream> stream;
        SendRun run;
        bool in_blocked = false;  // listed in blocked_
    };
    Peer& peer(int rank);

    // Frames (tcp_transport.cpp)
    SendResult send_frame(int peer, const Head& head, Parts payload, Completion& completion);
    SendResult enqueue(Peer& to, const Head& head, Parts payload, std::size_t sent, Completion& completion);
    void note_blocked(Peer& to);
    SendQueue::Flush flush(Peer& to);
    void flush_kept(Peer& to);
    std::size_t end_runs(std::int64_t now_ns);
    std::size_t flush_blocked();
    std::size_t receive(Stream& stream, Sink& sink);
    std::size_t on_stream(Stream& stream, Sink& sink);
    std::size_t receive_hot(Sink& sink, std::int64_t now_ns);
    std::size_t poll(Sink& sink, int timeout_ms);
    void watch_for_silence(Stream& stream) noexcept;
    static std::size_t fire(std::vector<Completion*>& completions, ErrorCode result);
    std::size_t report_losses(Sink& sink);
    bool has_to_poll() const noexcept;

    // Connections (tcp_connections.cpp)
    bool wants(int rank) override;
    void connected(int rank, base::UniqueFd fd, std::string remote) override;
    void lost(int rank, std::string reason, bool may_have_left) override
    {
        lose(rank, {std::move(reason), may_have_left});
    }
    void dropped(const std::string& remote, std::string_view why) override;
    void note(const std::string& text) override { log_once(text, text); }
    void look_at_streams(std::int64_t now_ns);
    void stream_ended(Stream& stream);
    void lose(int rank, Loss loss);
    void lose_for_bad_memory(int rank);
    void end_stream(Peer& of) noexcept;
    std::string place_of(const Stream& stream);
    std::string own_name() const;
    void log_once(const std::string& key, const std::string& text);
    void print_addresses(int rank);
    std::int64_t timeout_ns() const noexcept { return options_.timeout.count() * 1'000'000; }

    // The end (tcp_close.cpp)
    void send_rest();
    void say_goodbye();
    void await_arrival();

    TcpOptions options_;
    std::vector<network::LocalAddress> local_addresses_;
    connection::Poller poller_;
    connection::PeerConnector connector_;
    ReceiveBuffers buffers_;

    std::vector<std::unique_ptr<Peer>> peers_;  // by rank; nullptr: unknown
    std::size_t streams_ = 0;
    HotStreams hot_;
    std::vector<Peer*> blocked_;  // connected peers whose queue the kernel does not take
    std::vector<Peer*> runs_;     // those to which send_soon() has sent since the last pass
    // Completions to fire before progress() returns.
    std::vector<Completion*> finished_;
    std::vector<Completion*> failed_;
    std::vector<std::pair<int, Loss>> losses_;  // by rank, to report
    // Ended within a pass of progress, whose events may still name them.
    std::vector<std::unique_ptr<Stream>> old_streams_;

    std::set<std::string> logged_;
    std::set<std::string> reported_hosts_;
    std::int64_t poll_again_ns_ = 0;
    bool armed_ = false;
    bool closed_ = false;
};

}  // namespace tutti::transport::tcp
