// A rank's end of the control channel that its daemon gave it: needs no PMIx server, and no help of the
// daemon's for what a rank only has to say.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/control/packet.hpp"

namespace tutti::control {

/// The value of kVariable for a rank whose end is `descriptor`.
std::string channel_variable(int descriptor, std::string_view job, int rank);

/// Any thread. A forked child has no part in it: there all calls do nothing.
class Channel {
public:
    /// That of rank `rank` of `job`, as the environment tells; nullptr where there is none, or its descriptor
    /// was closed on the way. Programs that this one executes do not get it.
    static std::unique_ptr<Channel> inherited(std::string_view job, int rank);

    explicit Channel(base::UniqueFd socket) noexcept;

    /// All of these are false where the daemon is gone.
    bool joined() noexcept;
    bool left() noexcept;
    bool abort(int status, std::string_view message) noexcept;

    /// Leaves `bytes`, and a duplicate of `descriptor` where that is not -1, with the daemon for whoever
    /// fetches `name` of this rank, until it is withdrawn. Bytes stay after this rank has ended, the
    /// descriptor does not.
    bool deposit(std::string_view name, std::string_view bytes, int descriptor = -1) noexcept;
    bool withdraw(std::string_view name) noexcept;

    struct Fetched {
        enum class State {
            found,
            missing,  // not deposited yet, withdrawn, or no answer within the time
            gone      // the rank has ended, or there is no daemon to ask
        } state = State::gone;
        std::string bytes = {};
        base::UniqueFd descriptor = {};  // only of a rank of this node
    };
    /// What `rank` has deposited as `name` by now. Waits for the daemon's answer, not for the rank.
    Fetched fetch(int rank, std::string_view name,
                  std::chrono::milliseconds patience = std::chrono::milliseconds(2000));

private:
    bool say(const Packet& packet, int descriptor = -1) noexcept;

    base::UniqueFd socket_;
    const pid_t owner_;
    std::mutex asking_;  // one question at a time
    std::uint32_t last_serial_ = 0;
};

}  // namespace tutti::control
