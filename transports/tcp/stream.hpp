// An established connection.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/connection/poller.hpp"
#include "transports/tcp/tcp_frame.hpp"

namespace tutti::transport::tcp {

/// Memory through which all connections of a rank receive. It stays in the cache; separate memory for each
/// connection would not.
class ReceiveBuffers {
public:
    /// The most bytes that one system call reads. The rest of a longer frame is read directly to its
    /// destination.
    static constexpr std::size_t kArrivalBytes = 64u << 10;

    std::byte* arrivals() noexcept { return arrivals_.get(); }

    /// Memory for a payload for which the sink has no place.
    std::unique_ptr<std::byte[]> take();
    void give_back(std::unique_ptr<std::byte[]> buffer);

private:
    static constexpr std::size_t kMostKept = 4;

    std::unique_ptr<std::byte[]> arrivals_ = std::make_unique_for_overwrite<std::byte[]>(kArrivalBytes);
    std::vector<std::unique_ptr<std::byte[]>> kept_;
};

class Stream : public connection::Watched {
public:
    /// Why nothing more arrives.
    enum class End { none, goodbye, closed, failed, garbage };

    /// `poller` outlives the stream, and does not watch it before watch().
    Stream(connection::Poller& poller, base::UniqueFd fd, int peer, std::string remote)
        : Watched(Kind::owned), poller_(poller), fd_(std::move(fd)), peer_(peer), remote_(std::move(remote))
    {
    }

    int fd() const noexcept { return fd_.get(); }
    int peer() const noexcept { return peer_; }
    /// The other end's address and port, and its host's name once it is known.
    const std::string& remote() const noexcept { return remote_; }
    const std::string& host() const noexcept { return host_; }

    /// One system call; its bytes go to the sink. 0: there was nothing. end() tells whether that was the
    /// last.
    std::size_t receive(ReceiveBuffers& buffers, Sink& sink);

    /// The rest of a payload that arrives at its destination() goes to our own memory.
    void release_place(ReceiveBuffers& buffers);

    End end() const noexcept { return end_; }
    /// The error of a failed receive or send, in words.
    std::string error() const;

    /// Call it when the stream's bytes are sent by another way than write().
    void note_sent() noexcept { answered_ = true; }
    /// One system call, with the result of send().
    ssize_t write(const Head& head, Parts payload) noexcept;
    /// Call it when sending has failed. Data that arrived before is still received; then the end is found.
    void send_failed(int error) noexcept { error_ = error; }
    bool has_failed_to_send() const noexcept { return error_ != 0; }

    /// epoll reports each arrival, even of a single byte. False when it has no room; then nothing changes.
    bool watch() noexcept;
    /// epoll also reports when the kernel takes more. Only for a watched stream.
    void watch_for_room(bool wanted) noexcept;
    /// Call it after a read without a report from epoll; `came`: there was data. Decides how to wait for the
    /// stream (HotStreams).
    void note_read(bool came, bool somebody_sleeps) noexcept;
    /// Has the stream read in the next pass.
    void read_soon() noexcept;
    unsigned idle_reads() const noexcept { return idle_reads_; }
    std::int64_t due_ns() const noexcept { return due_ns_; }

    /// Call it after a send. Returns whether nothing was unacknowledged before.
    bool await_acknowledgement() noexcept { return !std::exchange(awaits_acknowledgement_, true); }
    /// Whether something was unacknowledged at the last look.
    bool awaits_acknowledgement() const noexcept { return awaits_acknowledgement_; }
    /// For how long the other host has acknowledged nothing. Should be called from time to time.
    std::int64_t silent_ns(std::int64_t now_ns) noexcept;

private:
    std::size_t take(std::span<const std::byte> bytes, ReceiveBuffers& buffers, Sink& sink);
    void begin_payload(std::span<const std::byte> header, std::size_t payload_bytes,
                       std::span<const std::byte> arrived, ReceiveBuffers& buffers, Sink& sink);
    void finish_payload(ReceiveBuffers& buffers, Sink& sink);

    void acknowledge_at_once(bool at_once) noexcept;

    connection::Poller& poller_;
    base::UniqueFd fd_;
    int peer_;
    std::string remote_;
    std::string host_;
    End end_ = End::none;
    int error_ = 0;

    // An incomplete prefix or header; behind a complete one, the header of the payload that is arriving.
    std::array<std::byte, sizeof(Head)> head_{};
    std::size_t head_size_ = 0;
    // The payload that is arriving; nullptr: none is.
    std::byte* target_ = nullptr;
    std::size_t target_size_ = 0;
    std::size_t target_filled_ = 0;
    std::unique_ptr<std::byte[]> own_;  // the target if the sink had no place

    // How the stream is waited for.
    bool watched_ = false;           // epoll reports arrivals
    bool watched_for_room_ = false;  // epoll also reports room to send
    bool acknowledged_at_once_ = false;
    bool answered_ = false;          // something was sent since the last arrival
    int turns_ = 0;                  // number of recent arrivals in turn with sends
    unsigned arrivals_watched_ = 0;  // since epoll watches it, or since the last sleep
    unsigned idle_reads_ = 0;        // since the last arrival
    std::int64_t due_ns_ = 0;        // time of the next read

    // Whether the other end's host answers.
    bool awaits_acknowledgement_ = false;
    std::int64_t unacknowledged_since_ns_ = 0;  // 0: nothing is unacknowledged
};

}  // namespace tutti::transport::tcp
