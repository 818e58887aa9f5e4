// A connection on which both ends still prove who they are.
#pragma once

#include <cstdint>
#include <string>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/connection/poller.hpp"
#include "lib/foundation/security/handshake.hpp"

namespace tutti::connection {

class Dialer;

/// One byte behind the handshake of two ranks: the lower one says whether this is the pair's connection, or
/// another one is.
enum class Verdict : std::uint8_t { accepted = 'A', duplicate = 'D' };

/// Never blocks, and never reads a byte of what follows.
class PendingConnection : public Watched {
public:
    enum class State {
        handshake,  // is under way
        proved,     // the peer is who it says; no verdict yet
        accepted,   // this is the pair's connection
        duplicate,  // another one is
        failed      // failure() tells
    };

    /// `dialer`: who has made it; nullptr where the other end has.
    PendingConnection(base::UniqueFd fd, security::Handshake handshake, std::string remote, Dialer* dialer)
        : Watched(Kind::pending),
          fd_(std::move(fd)),
          handshake_(std::move(handshake)),
          remote_(std::move(remote)),
          dialer_(dialer)
    {
    }

    int fd() const noexcept { return fd_.get(); }
    base::UniqueFd release() noexcept { return std::move(fd_); }
    /// The address and port of the other end.
    const std::string& remote() const noexcept { return remote_; }
    Dialer* dialer() const noexcept { return dialer_; }
    State state() const noexcept { return state_; }
    /// A claim before State::proved, and nobody before has_hello().
    security::Identity peer() const noexcept { return handshake_.peer(); }
    bool has_hello() const noexcept { return handshake_.has_hello(); }
    bool has_heard_anything() const noexcept { return heard_; }

    /// Goes on as far as bytes have arrived. Returns whether anything happened. A dialer begins by it.
    /// In State::proved it waits for the other end's verdict: whoever gives it calls decide() instead, and
    /// who wants none calls neither.
    bool advance();
    /// Tells the other end: this one, or another.
    void decide(Verdict verdict);

    /// Why it failed, to be put behind "it was dropped: " or the like.
    std::string failure() const;
    /// It came to nothing because the other end went away without saying anything wrong.
    bool was_left() const noexcept { return left_; }

private:
    bool send_all(std::span<const std::byte> bytes) noexcept;
    void fail(int error) noexcept;

    base::UniqueFd fd_;
    security::Handshake handshake_;
    std::string remote_;
    Dialer* dialer_;
    State state_ = State::handshake;
    int error_ = 0;
    bool left_ = false;
    bool heard_ = false;
};

}  // namespace tutti::connection
