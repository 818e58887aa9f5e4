// Frames that the kernel has not taken yet: the peer is not connected, or the socket buffer is full.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "transports/tcp/tcp_frame.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::tcp {

/// Small payloads are copied one behind the other, so that many of them go out in few system calls; larger
/// ones stay in place. Both are bounded.
class SendQueue {
public:
    /// Shorter payloads are copied when they have to wait.
    static constexpr std::size_t kCopyBelow = (64u << 10) + 1;

    enum class Flush { empty, blocked, failed };

    bool empty() const noexcept { return segments_.empty(); }

    /// Takes over a frame, of which `sent` bytes are already sent. `sent` may be nonzero only when the queue
    /// is empty; then it never answers `again`.
    SendResult push(const Head& head, Parts payload, std::size_t sent, Completion& completion);
    /// push() for the transport's own frame, which is always taken.
    void push_own(const Head& head);

    /// Sends what the kernel takes. Appends what is sent to `finished`. On failure errno tells why.
    Flush flush(int fd, std::vector<Completion*>& finished);

    /// Copies the unsent bytes of the payloads that are kept for `completion`. Throws std::bad_alloc.
    void release_payload(const Completion& completion);

    /// Drops all frames. Appends their completions to `unfinished`.
    void clear(std::vector<Completion*>& unfinished) noexcept;

private:
    // Our own bytes: whole frames, except that the payload of the last, or a part of it, may be the caller's.
    struct Segment {
        std::vector<std::byte> own;
        std::span<const std::byte> payload;
        Completion* completion = nullptr;
        std::size_t sent = 0;

        std::size_t size() const noexcept { return own.size() + payload.size(); }
    };

    Segment& open_segment(std::size_t more_bytes);
    void count_sent(std::size_t bytes, std::vector<Completion*>& finished);

    std::deque<Segment> segments_;
    std::size_t own_bytes_ = 0;
    std::size_t kept_payloads_ = 0;
};

}  // namespace tutti::transport::tcp
