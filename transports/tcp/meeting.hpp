// A connection on which both ends still prove who they are, and agree that it is the one.
#pragma once

#include <cstdint>
#include <string>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/security/handshake.hpp"
#include "transports/tcp/frame.hpp"
#include "transports/tcp/poller.hpp"

namespace tutti::transport::tcp {

/// Never blocks, and never reads a byte of the frames that follow.
class Meeting : public Watched {
public:
    enum class State {
        greeting,   // the handshake is under way
        proved,     // the peer is who it says; no verdict yet
        accepted,   // this is the pair's connection
        duplicate,  // another one is
        failed      // failure() tells
    };

    /// `kind` is guest for who came to us, dial where we went to them.
    Meeting(Kind meeting_kind, base::UniqueFd fd, security::Handshake handshake, std::string remote)
        : Watched(meeting_kind),
          fd_(std::move(fd)),
          handshake_(std::move(handshake)),
          remote_(std::move(remote))
    {
    }

    int fd() const noexcept { return fd_.get(); }
    base::UniqueFd release() noexcept { return std::move(fd_); }
    const std::string& remote() const noexcept { return remote_; }
    const security::Handshake& handshake() const noexcept { return handshake_; }
    State state() const noexcept { return state_; }

    /// Goes on as far as bytes have arrived. Returns whether anything happened. A dialer begins by it.
    /// In State::proved it waits for the other end's verdict: whoever gives it calls decide() instead.
    bool advance();
    /// Tells the other end: this one, or another.
    void decide(Verdict verdict);

    /// Why it failed, to be put behind "it was dropped: " or the like.
    std::string failure() const;
    /// It came to nothing because the other end went away without saying anything wrong.
    bool was_left() const noexcept { return left_; }
    bool has_heard_anything() const noexcept { return heard_; }

    // The transport's own notes.
    std::int64_t since_ns = 0;
    int peer = -1;  // of a dial

private:
    bool send_all(std::span<const std::byte> bytes) noexcept;
    void fail(int error) noexcept;

    base::UniqueFd fd_;
    security::Handshake handshake_;
    std::string remote_;
    State state_ = State::greeting;
    int error_ = 0;
    bool left_ = false;
    bool heard_ = false;
};

}  // namespace tutti::transport::tcp
