// The connections with the latest traffic, which progress reads without asking epoll first.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "transports/tcp/stream.hpp"

namespace tutti::transport::tcp {

/// How a connection is waited for decides what the kernel does, and where, when something comes
/// (docs/developing/transports.md, short messages): a hot one that brought nothing is left alone for a
/// moment, as a reader in a loop holds the lock that the next packet needs; one that brings much while nobody
/// sleeps is not watched by epoll, which each arrival would have to tell; and where the ends take turns,
/// arrivals are acknowledged at once, in the time of who sends, and not when they are read, in the time of
/// who wants to answer.
class HotStreams {
public:
    static constexpr std::size_t kMost = 4;

    std::size_t size() const noexcept { return count_; }
    bool has(const Stream& stream) const noexcept;
    /// It has just brought something, and is read again in the next pass.
    bool reads_soon(const Stream& stream) const noexcept { return has(stream) && stream.due_ns() == 0; }

    /// Adds a stream that epoll watches, where there is no room in place of the one that was quiet for
    /// longest.
    void add(Stream& stream) noexcept;
    /// Leaves those to epoll that have been quiet for long.
    void cool_quiet() noexcept;
    void remove(const Stream& stream) noexcept;
    void clear() noexcept { count_ = 0; }

    /// Those that it is time to read. Valid until the next call.
    std::span<Stream* const> due(std::int64_t now_ns) noexcept;

    /// Before a sleep: epoll watches all. False where it has no room for one.
    bool watch_all() noexcept;

private:
    std::array<Stream*, kMost> hot_{};
    std::size_t count_ = 0;
    std::array<Stream*, kMost> due_{};
};

}  // namespace tutti::transport::tcp
