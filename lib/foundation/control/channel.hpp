// A rank's end of the control channel from its daemon. It needs no PMIx server; plain statements of the rank
// need no answer of the daemon.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/control/packet.hpp"

namespace tutti::control {

/// The wait for the daemon to read a stack. It needs tens of milliseconds, and gives up a little earlier.
inline constexpr std::chrono::milliseconds kStackPatience{2000};

/// The value of kVariable for a rank whose end is `descriptor`.
std::string channel_variable(int descriptor, std::string_view job, int rank);

/// Any thread. Not for forked children: there all calls do nothing.
class Channel {
public:
    /// The channel of rank `rank` of `job`, from the environment; nullptr when there is none, or its
    /// descriptor was closed. Programs that this one executes do not inherit it.
    static std::unique_ptr<Channel> inherited(std::string_view job, int rank);

    explicit Channel(base::UniqueFd socket) noexcept;

    /// All of these return false when the daemon is gone.
    /// `leaving_call` is the call by which the program leaves the job, for the launcher's messages; empty:
    /// the launcher says "finalize". A program that has another one joins again to name it.
    bool joined(std::string_view leaving_call = {}) noexcept;
    bool left() noexcept;
    /// Waits until the daemon has seen where this thread is, if it may look.
    bool abort(int status, std::string_view message) noexcept;
    /// Gives the daemon a duplicate of `descriptor`, the memory of this rank's status page.
    bool show_status(int descriptor) noexcept;
    /// Gives it a duplicate of the memory of this rank's profile.
    bool show_profile(int descriptor) noexcept;

    /// From now on the daemon may look into this process as a debugger does, and does so when a thread aborts
    /// or crashes.
    void let_daemon_look() noexcept;
    /// For signal handlers: says how this thread crashes, and waits until the daemon has seen where.
    void crash(const Crash& crash) noexcept;

    /// Gives the daemon `bytes`, and a duplicate of `descriptor` if that is not -1. Others can fetch them as
    /// `name` of this rank until they are withdrawn. The bytes stay after this rank has ended, the descriptor
    /// does not.
    bool deposit(std::string_view name, std::string_view bytes, int descriptor = -1) noexcept;
    bool withdraw(std::string_view name) noexcept;

    struct Fetched {
        enum class State {
            found,
            missing,  // not deposited yet, withdrawn, or no answer in time
            gone      // the rank has ended, or there is no daemon
        } state = State::gone;
        std::string bytes = {};
        base::UniqueFd descriptor = {};  // only of a rank of this node
    };
    /// What `rank` has deposited as `name` so far. Waits for the daemon's answer, not for the rank.
    Fetched fetch(int rank, std::string_view name,
                  std::chrono::milliseconds patience = std::chrono::milliseconds(2000));

private:
    bool say(const Packet& packet, int descriptor = -1) noexcept;

    base::UniqueFd socket_;
    const pid_t owner_;
    std::atomic<bool> daemon_looks_{false};  // relaxed: only decides whether to wait
    std::mutex asking_;                      // one question at a time
    std::uint32_t last_serial_ = 0;
};

}  // namespace tutti::control
