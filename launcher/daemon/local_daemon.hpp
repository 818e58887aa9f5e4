// The daemon of this machine, forked from the head.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "launcher/base/unique_fd.hpp"
#include "launcher/ranks/session_directory.hpp"
#include "launcher/ranks/spawn.hpp"
#include "lib/foundation/security/key.hpp"

namespace tutti::launcher {

class LocalDaemon {
public:
    /// Forks it, as the job's node `node`. To be called early: a small process forks quickly, and libpmix
    /// then starts while the head still looks at the machine. Throws std::system_error.
    LocalDaemon(int node, const security::Key& key, const InheritedState& inherited);
    ~LocalDaemon() { wait(kPatience); }
    LocalDaemon(const LocalDaemon&) = delete;
    LocalDaemon& operator=(const LocalDaemon&) = delete;

    /// Waits until it and what it left behind is gone. It ends by itself when the stream to it is closed; one
    /// that does not within `patience` is killed.
    void wait(std::chrono::milliseconds patience) noexcept;
    /// The head's end of the stream, once.
    UniqueFd take_stream() noexcept { return std::move(stream_); }

private:
    /// A daemon needs less to end its ranks. One that is stopped does not end at all.
    static constexpr std::chrono::milliseconds kPatience{10'000};

    const std::string session_directory_ = choose_session_directory();
    UniqueFd stream_;
    pid_t watchdog_ = -1;  // the daemon's parent
};

}  // namespace tutti::launcher
