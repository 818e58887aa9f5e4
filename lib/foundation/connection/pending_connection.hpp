// A connection whose ends are still proving who they are.
#pragma once

#include <cstdint>
#include <string>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/connection/poller.hpp"
#include "lib/foundation/security/handshake.hpp"

namespace tutti::connection {

class Dialer;

/// One byte behind the handshake of two ranks: the lower rank says whether this is the pair's connection, or
/// another one is.
enum class Verdict : std::uint8_t { accepted = 'A', duplicate = 'D' };

/// Never blocks, and never reads bytes behind the handshake and the verdict.
class PendingConnection : public Watched {
public:
    enum class State {
        handshake,  // is under way
        proved,     // the peer is who it claims to be; no verdict yet
        accepted,   // this is the pair's connection
        duplicate,  // another one is
        failed      // failure() has the reason
    };

    /// `dialer`: the one that made it; nullptr if the other end did.
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
    /// The other end: only a claim before State::proved; unset before has_hello().
    security::Identity peer() const noexcept { return handshake_.peer(); }
    bool has_hello() const noexcept { return handshake_.has_hello(); }
    bool has_received_anything() const noexcept { return received_; }

    /// Continues as far as bytes have arrived. Returns whether anything happened. A dialer starts with it. In
    /// State::proved it waits for the other end's verdict. The side that gives the verdict calls decide()
    /// instead; a side that wants none calls neither.
    bool advance();
    /// Sends the verdict: this connection, or another.
    void decide(Verdict verdict);

    /// Why it failed, to append to "it was dropped: " or similar.
    std::string failure() const;
    /// Whether it failed because the other end went away without an error in the protocol.
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
    bool received_ = false;
};

}  // namespace tutti::connection
