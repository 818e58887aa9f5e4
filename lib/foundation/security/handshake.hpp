// The two ends of a stream connection prove to each other that they know the job's key, before they trust
// anything else from the other end.
//
//   dialer    -> listener   hello   who I am, which peer and which job I want, a nonce
//   listener  -> dialer     reply   a nonce, and the proof: a MAC with the key over both nonces, both ends
//                                   and the listener's role; or the reason of a refusal
//   dialer    -> listener   proof   the same with the dialer's role
//
// Nonces are new for each connection, so recorded messages prove nothing later. The role in the MAC keeps an
// end from using the other end's proof. Later data is neither encrypted nor authenticated: an attacker who
// can change packets between two hosts can still do harm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "lib/foundation/security/key.hpp"

namespace tutti::security {

/// One end of a connection.
struct Identity {
    enum class Kind : std::uint32_t { rank = 1, head, daemon };

    Kind kind;
    std::uint32_t number;  // the rank in the job, the daemon's number; 0 for the head

    bool operator==(const Identity&) const = default;
};

/// One end of the handshake, as a state machine over bytes: it does no reads or writes itself, holds a
/// bounded number of bytes, and accepts any bytes.
class Handshake {
public:
    /// Larger than any message of either side.
    static constexpr std::size_t kMostBytes = 128;

    enum class State { under_way, proved, failed };
    enum class Failure : std::uint32_t {
        none,
        not_tutti,      // the bytes are not of this protocol
        other_version,  // of Tutti, or of the protocol after the handshake
        other_job,      // it belongs to another job
        other_end,      // it is not the expected end, or it looks for another one
        wrong_proof     // it claims this job, but does not know the key
    };

    /// The end that has connected and knows its peer. `version` names the protocol after the handshake; it
    /// must be the same at both ends.
    static Handshake dial(const Key& key, std::uint32_t version, Identity self, Identity peer);
    /// The end that was connected to. Its caller decides whether it accepts the proved peer().
    static Handshake listen(const Key& key, std::uint32_t version, Identity self);

    State state() const noexcept { return state_; }
    Failure failure() const noexcept { return failure_; }
    /// The meaning of failure(), to append to the other end's name: "it does not know the job's key".
    std::string_view reason() const noexcept;

    /// The other end. For a listener it is only a claim before State::proved; unset before has_hello().
    Identity peer() const noexcept { return peer_; }
    /// Whether a listener has received a hello of its job. Such a peer may have a reason to be slow.
    bool has_hello() const noexcept { return has_hello_; }

    /// Takes arrived bytes, and returns how many it took: bytes behind the handshake stay with the caller.
    /// Reads of at most wanted() bytes avoid them.
    std::size_t take(std::span<const std::byte> bytes);
    std::size_t wanted() const noexcept;

    /// The bytes to send, also after a failure: they tell the other end why. Valid until the next call.
    std::span<const std::byte> outgoing() const noexcept;
    void sent(std::size_t bytes) noexcept { out_sent_ += bytes; }

private:
    enum class Role : std::uint32_t { dialer = 1, listener };
    using Nonce = std::array<std::byte, 32>;
    using Proof = std::array<std::byte, 32>;
    struct Hello;
    struct Reply;

    Handshake(const Key& key, std::uint32_t version, Role role, Identity self);

    void on_hello();
    void on_reply();
    void on_proof();
    void refuse(Failure failure);
    void fail(Failure failure) noexcept;
    Proof proof_of(Role role) const noexcept;
    void put(std::span<const std::byte> message) noexcept;

    Key key_;
    std::uint32_t version_;
    Role role_;
    Identity self_;
    Identity peer_{Identity::Kind::rank, 0};
    State state_ = State::under_way;
    Failure failure_ = Failure::none;
    bool has_hello_ = false;
    bool refused_ = false;  // the other end reported the failure
    Nonce dialer_nonce_{};
    Nonce listener_nonce_{};

    std::array<std::byte, kMostBytes> in_{};
    std::size_t in_size_ = 0;
    std::size_t in_wanted_ = 0;  // bytes of the next message
    std::array<std::byte, kMostBytes> out_{};
    std::size_t out_size_ = 0;
    std::size_t out_sent_ = 0;
};

}  // namespace tutti::security
