// The receiving half of a connection that stands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/connection/poller.hpp"
#include "transports/tcp/frame.hpp"
#include "transports/tcp/socket.hpp"

namespace tutti::transport::tcp {

/// Memory that all connections of a rank receive through. It stays in the cache, which one a connection would
/// not.
class ReceiveBuffers {
public:
    /// What one system call may bring at most. Of a frame that does not fit, the rest is read to where it
    /// belongs.
    static constexpr std::size_t kArrivalBytes = 64u << 10;

    std::byte* arrivals() noexcept { return arrivals_.get(); }

    /// Memory for a payload that the sink has no place for.
    std::unique_ptr<std::byte[]> take();
    void give_back(std::unique_ptr<std::byte[]> buffer);

private:
    static constexpr std::size_t kMostKept = 4;

    std::unique_ptr<std::byte[]> arrivals_ = std::make_unique_for_overwrite<std::byte[]>(kArrivalBytes);
    std::vector<std::unique_ptr<std::byte[]>> kept_;
};

class Stream : public connection::Watched {
public:
    /// Why nothing more will come.
    enum class End { none, goodbye, closed, failed, garbage };

    Stream(base::UniqueFd fd, int peer, std::string remote)
        : Watched(Kind::owned), fd_(std::move(fd)), peer_(peer), remote_(std::move(remote))
    {
    }

    int fd() const noexcept { return fd_.get(); }
    int peer() const noexcept { return peer_; }
    /// The address and port of the other end, and the name of its host once it has told it.
    const std::string& remote() const noexcept { return remote_; }
    const std::string& host() const noexcept { return host_; }

    /// One system call: hands what it brought to the sink. 0: there was nothing. end() tells whether that was
    /// the last.
    std::size_t receive(ReceiveBuffers& buffers, Sink& sink);

    /// The rest of a payload that is arriving at its destination() goes to memory of our own.
    void release_place(ReceiveBuffers& buffers);

    End end() const noexcept { return end_; }
    /// Of a failed receive or send, in words.
    std::string error() const;
    /// Sending has failed. What has arrived before is still to be received, and then the end is found.
    void send_failed(int error) noexcept { error_ = error; }
    bool has_failed_to_send() const noexcept { return error_ != 0; }

    // The transport's own notes.
    AckTimer ack_timer;
    bool watched_for_silence = false;  // something is on its way
    bool watched_for_room = false;     // epoll tells when the kernel takes more
    bool watched = false;              // epoll tells when something comes
    unsigned arrivals_watched = 0;     // since epoll watches it, or the last sleep
    bool acknowledged_at_once = false;
    bool answered = false;  // something was sent since something came
    int turns = 0;          // how often that was so lately
    // While it is hot:
    unsigned idle_reads = 0;  // since something came
    std::int64_t due_ns = 0;  // when to read it again

private:
    std::size_t take(std::span<const std::byte> bytes, ReceiveBuffers& buffers, Sink& sink);
    void begin_payload(std::span<const std::byte> header, std::size_t payload_bytes,
                       std::span<const std::byte> arrived, ReceiveBuffers& buffers, Sink& sink);
    void finish_payload(ReceiveBuffers& buffers, Sink& sink);

    base::UniqueFd fd_;
    int peer_;
    std::string remote_;
    std::string host_;
    End end_ = End::none;
    int error_ = 0;

    // A prefix or header that is not whole, or, behind a payload that is, the header of that payload.
    std::array<std::byte, sizeof(Head)> head_{};
    std::size_t head_size_ = 0;
    // The payload that is arriving; nullptr: none is.
    std::byte* target_ = nullptr;
    std::size_t target_size_ = 0;
    std::size_t target_filled_ = 0;
    std::unique_ptr<std::byte[]> own_;  // the target where the sink had no place
};

}  // namespace tutti::transport::tcp
