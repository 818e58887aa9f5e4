// A connection that stands.
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
#include "transports/tcp/frame.hpp"

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

    /// `poller` outlives it, and does not watch it before watch().
    Stream(connection::Poller& poller, base::UniqueFd fd, int peer, std::string remote)
        : Watched(Kind::owned), poller_(poller), fd_(std::move(fd)), peer_(peer), remote_(std::move(remote))
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

    /// One system call, answered as send() does.
    ssize_t write(const Head& head, Parts payload) noexcept;
    /// Sending has failed. What has arrived before is still to be received, and then the end is found.
    void send_failed(int error) noexcept { error_ = error; }
    bool has_failed_to_send() const noexcept { return error_ != 0; }

    /// epoll tells of arrivals, of a single byte, too. False where it has no room for it: all stays as it is.
    bool watch() noexcept;
    /// epoll tells also when the kernel takes more. Of one that is watched.
    void watch_for_room(bool wanted) noexcept;
    /// It has been read without being asked for, and something came or did not: finds out how to wait for it
    /// (HotStreams).
    void note_read(bool came, bool somebody_sleeps) noexcept;
    /// It is read in the next pass.
    void read_soon() noexcept;
    unsigned idle_reads() const noexcept { return idle_reads_; }
    std::int64_t due_ns() const noexcept { return due_ns_; }

    /// Something is on its way. Returns whether nothing was before.
    bool await_acknowledgement() noexcept { return !std::exchange(awaits_acknowledgement_, true); }
    /// Whether something still is, when it was last looked at.
    bool awaits_acknowledgement() const noexcept { return awaits_acknowledgement_; }
    /// For how long the other end's host has acknowledged nothing of it. To be asked now and then.
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

    // A prefix or header that is not whole, or, behind a payload that is, the header of that payload.
    std::array<std::byte, sizeof(Head)> head_{};
    std::size_t head_size_ = 0;
    // The payload that is arriving; nullptr: none is.
    std::byte* target_ = nullptr;
    std::size_t target_size_ = 0;
    std::size_t target_filled_ = 0;
    std::unique_ptr<std::byte[]> own_;  // the target where the sink had no place

    // How it is waited for.
    bool watched_ = false;           // epoll tells when something comes
    bool watched_for_room_ = false;  // and when the kernel takes more
    bool acknowledged_at_once_ = false;
    bool answered_ = false;          // something was sent since something came
    int turns_ = 0;                  // how often that was so lately
    unsigned arrivals_watched_ = 0;  // since epoll watches it, or the last sleep
    unsigned idle_reads_ = 0;        // since something came
    std::int64_t due_ns_ = 0;        // when to read it again

    // Whether the other end's host answers.
    bool awaits_acknowledgement_ = false;
    std::int64_t unacknowledged_since_ns_ = 0;  // 0: nothing is on its way
};

}  // namespace tutti::transport::tcp
