// One epoll for all descriptors of its user, with one alarm clock.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::connection {

/// What epoll's events point to. It must not move while its descriptor is watched.
struct Watched {
    enum class Kind { alarm, listener, pending, owned };  // owned: by the Poller's user
    explicit Watched(Kind watched_kind) noexcept : kind(watched_kind) {}
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    const Kind kind;
};

class Poller {
public:
    /// Throws ErrorCode::system.
    Poller();

    /// Readable while a watched descriptor has an event.
    int fd() const noexcept { return epoll_.get(); }

    /// False, with errno, where the kernel has no room for it.
    bool watch(int fd, std::uint32_t events, Watched& watched) noexcept;
    void change(int fd, std::uint32_t events, Watched& watched) noexcept;
    void forget(int fd) noexcept;

    /// The events, after at most `timeout_ms`; -1: no limit. Valid until the next call.
    std::span<const epoll_event> wait(int timeout_ms) noexcept;

    /// Sets Watched::Kind::alarm for this time of base::now_ns(); an earlier alarm stays.
    void wake_at(std::int64_t ns) noexcept;
    /// The alarm has gone off.
    void clear_alarm() noexcept;

private:
    Watched alarm_{Watched::Kind::alarm};
    base::UniqueFd epoll_;
    base::UniqueFd timer_;
    std::array<epoll_event, 64> room_;
    std::int64_t alarm_ns_ = 0;  // 0: none is set
};

}  // namespace tutti::connection
