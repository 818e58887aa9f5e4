// The daemon of this machine, forked from the head.
#pragma once

#include <sys/types.h>

#include "launcher/spawn.hpp"
#include "launcher/unique_fd.hpp"
#include "lib/security/key.hpp"

namespace tutti::launcher {

class LocalDaemon {
public:
    /// Forks it, as the job's node `node`. To be called early: a small process forks quickly, and libpmix
    /// then starts while the head still looks at the machine. Throws std::system_error.
    LocalDaemon(int node, const security::Key& key, const InheritedState& inherited);
    ~LocalDaemon() { wait(); }
    LocalDaemon(const LocalDaemon&) = delete;
    LocalDaemon& operator=(const LocalDaemon&) = delete;

    /// Waits until it and what it left behind is gone. It ends by itself when the stream to it is closed.
    void wait() noexcept;
    /// The head's end of the stream, once.
    UniqueFd take_stream() noexcept { return std::move(stream_); }

private:
    UniqueFd stream_;
    pid_t pid_ = -1;
};

}  // namespace tutti::launcher
