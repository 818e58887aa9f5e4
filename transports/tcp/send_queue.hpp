// Frames that the kernel has not got yet: the peer is not connected, the socket buffer is full, or they wait
// for the next ones, so that all go by one system call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/foundation/base/fifo.hpp"
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

    bool empty() const noexcept { return pieces_.empty(); }
    /// How many bytes wait.
    std::size_t size_bytes() const noexcept { return static_cast<std::size_t>(pushed_ - sent_); }

    /// Takes over a frame, of which `sent` bytes are already sent. `sent` may be nonzero only when the queue
    /// is empty; then it never answers `again`.
    SendResult push(const Head& head, Parts payload, std::size_t sent, Completion& completion);
    /// push() for the transport's own frame, which is always taken.
    void push_own(const Head& head);
    /// push() for a frame whose completion fires when it has been sent: its payload is not copied if it is
    /// long enough for a place of its own in the system call. Always taken: the caller looks at size_bytes().
    void keep(const Head& head, std::span<const std::byte> payload, Completion& completion);

    /// Sends what the kernel takes. Appends what is sent to `finished`. On failure errno tells why.
    Flush flush(int fd, std::vector<Completion*>& finished);

    /// Copies the unsent bytes of the payloads that are kept for `completion`. Throws std::bad_alloc.
    void release_payload(const Completion& completion);

    /// Drops all frames. Appends their completions to `unfinished`.
    void clear(std::vector<Completion*>& unfinished) noexcept;

private:
    // Our own bytes, of whole frames or of the last one's beginning; then a payload of the caller's, or a
    // part of it.
    struct Piece {
        std::size_t own_bytes;
        std::span<const std::byte> payload;
    };
    struct End {
        std::uint64_t position;  // in all bytes that were ever pushed
        Completion* completion;
        bool counts;  // among the kept payloads
    };

    void append(std::span<const std::byte> bytes);
    void refer_to(std::span<const std::byte> payload);
    void count_sent(std::size_t bytes, std::vector<Completion*>& finished);

    base::Fifo<std::byte> own_;
    base::Fifo<Piece> pieces_;
    base::Fifo<End> ends_;  // of the frames with a completion
    std::uint64_t pushed_ = 0;
    std::uint64_t sent_ = 0;
    std::size_t kept_payloads_ = 0;
};

}  // namespace tutti::transport::tcp
