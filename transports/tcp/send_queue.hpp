// Frames to one peer that the kernel has not taken yet: the connection does not stand, or its buffer is full.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "transports/tcp/frame.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::tcp {

/// Small payloads are copied, one behind the other, so that a flood of them goes out in few system calls;
/// larger ones stay where they are. Both are bounded.
class SendQueue {
public:
    /// Payloads shorter than this are copied when they have to wait.
    static constexpr std::size_t kCopyBelow = (64u << 10) + 1;

    enum class Flush { empty, blocked, failed };

    bool empty() const noexcept { return segments_.empty(); }

    /// Takes over a frame, of which the first `sent` bytes have gone out already: only where the queue is
    /// empty, and then it never answers `again`.
    SendResult push(const Head& head, Parts payload, std::size_t sent, Completion& completion);
    /// The same for a frame of the transport's own, which is taken in any case.
    void push_own(const Head& head);

    /// Sends what the kernel takes. What has gone out is appended to `finished`. errno tells why it failed.
    Flush flush(int fd, std::vector<Completion*>& finished);

    /// Copies what has not gone out of the payloads kept for `completion`. Throws std::bad_alloc.
    void release_payload(const Completion& completion);

    /// Forgets all. Completions that will not come to pass are appended to `unfinished`.
    void clear(std::vector<Completion*>& unfinished) noexcept;

private:
    // Bytes of our own, whole frames but for the last, whose payload, or a part of it, may be the caller's.
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
