// The connections with the latest traffic, which progress reads without asking epoll first.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "transports/tcp/stream.hpp"

namespace tutti::transport::tcp {

/// How a rank waits for a connection decides what the kernel does on arrival, and on which core
/// (docs/developing/transports.md, short messages). A hot connection without data is not read for a moment,
/// as a reader in a loop holds the lock that the next packet needs. One with much data is not watched by
/// epoll while no thread sleeps, as each arrival would have to notify epoll. When the two ends take turns,
/// arrivals are acknowledged at once, in the sender's time, and not when they are read, in the time of the
/// reader that wants to answer.
class HotStreams {
public:
    static constexpr std::size_t kMost = 4;

    std::size_t size() const noexcept { return count_; }
    bool has(const Stream& stream) const noexcept;
    /// Whether the stream has just received data, and is read again in the next pass.
    bool reads_soon(const Stream& stream) const noexcept { return has(stream) && stream.due_ns() == 0; }

    /// Adds a stream that epoll watches; if there is no room, it replaces the one that was quiet for longest.
    void add(Stream& stream) noexcept;
    /// Returns streams that have been quiet for long to epoll.
    void cool_quiet() noexcept;
    void remove(const Stream& stream) noexcept;
    void clear() noexcept { count_ = 0; }

    /// The streams that it is time to read. Valid until the next call.
    std::span<Stream* const> due(std::int64_t now_ns) noexcept;

    /// Call it before a sleep: then epoll watches all streams. False when it has no room for one.
    bool watch_all() noexcept;

private:
    std::array<Stream*, kMost> hot_{};
    std::size_t count_ = 0;
    std::array<Stream*, kMost> due_{};
};

}  // namespace tutti::transport::tcp
