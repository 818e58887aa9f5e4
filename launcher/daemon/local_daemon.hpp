// The daemon of this machine, forked from the head.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "launcher/base/descriptors.hpp"
#include "launcher/ranks/session_directory.hpp"
#include "launcher/ranks/spawn.hpp"
#include "lib/foundation/security/key.hpp"

namespace tutti::launcher {

class LocalDaemon {
public:
    /// Forks the daemon of the job's node `node`. To be called early: a small process forks quickly, and
    /// libpmix starts while the head looks at the machine. Throws std::system_error.
    LocalDaemon(int node, const security::Key& key, const InheritedState& inherited);
    ~LocalDaemon() { wait(kDaemonEndTimeout); }

    /// Closes the stream, which ends the daemon, and waits until it and all its processes are gone. A
    /// daemon that does not end within `timeout` is killed.
    void wait(std::chrono::milliseconds timeout) noexcept;
    /// The head's end of the stream, once.
    UniqueFd take_stream() noexcept { return std::move(stream_); }

private:
    /// A daemon needs less to end its ranks, unless it is stopped.
    static constexpr std::chrono::milliseconds kDaemonEndTimeout{10'000};

    const std::string session_directory_ = choose_session_directory();
    UniqueFd stream_;
    pid_t watchdog_ = -1;  // the daemon's parent
};

}  // namespace tutti::launcher
