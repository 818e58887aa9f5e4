// How the two ends of a stream connection prove to each other that they know the job's key, before either
// believes anything else that the other says.
//
//   dialer    -> listener   hello   who I am, whom I want, of which job, a nonce
//   listener  -> dialer     reply   a nonce, and the proof: a MAC with the key over both nonces, both ends
//   and
//                                   the listener's role. Or why not
//   dialer    -> listener   proof   the same with the dialer's role
//
// Nonces are new for each connection, so nothing that was recorded proves anything later, and the role in the
// MAC keeps an end from proving with what the other end said. What follows on the connection is neither
// encrypted nor authenticated: who can change packets on their way between two hosts can still do harm.
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

/// One end's side of the conversation, as a state machine over bytes: it never reads or writes itself, holds
/// a bounded number of bytes, and may be fed any bytes.
class Handshake {
public:
    /// Larger than any message of either side.
    static constexpr std::size_t kMostBytes = 128;

    enum class State { under_way, proved, failed };
    enum class Failure : std::uint32_t {
        none,
        not_tutti,      // the bytes are not of this protocol
        other_version,  // of Tutti, or of what is spoken afterwards
        other_job,      // it belongs to another job
        other_end,      // it is not, or does not look for, whom it was taken for
        wrong_proof     // it says that it belongs to this job, and does not know the key
    };

    /// The end that has connected, and knows whom it wants. `version` names what is spoken afterwards; it
    /// must be the same at both ends.
    static Handshake dial(const Key& key, std::uint32_t version, Identity self, Identity peer);
    /// The end that was connected to. Whether it wants the peer() that has been proved is its own business.
    static Handshake listen(const Key& key, std::uint32_t version, Identity self);

    State state() const noexcept { return state_; }
    Failure failure() const noexcept { return failure_; }
    /// What failure() means, to be put behind the name of the other end: "it does not know the job's key".
    std::string_view reason() const noexcept;

    /// The other end. To a listener it is just a claim before State::proved, and nobody before has_hello().
    Identity peer() const noexcept { return peer_; }
    /// Whether a listener has got a hello of its job. Who sends one may have reason to take long.
    bool has_hello() const noexcept { return has_hello_; }

    /// Takes what has arrived, and returns how much of it: bytes behind the handshake are left to the caller.
    /// Reading at most wanted() bytes keeps them out of the way.
    std::size_t take(std::span<const std::byte> bytes);
    std::size_t wanted() const noexcept;

    /// What is still to be sent, also after a failure: it tells the other end why. Valid until the next call.
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
    bool refused_ = false;  // the failure is what the other end said
    Nonce dialer_nonce_{};
    Nonce listener_nonce_{};

    std::array<std::byte, kMostBytes> in_{};
    std::size_t in_size_ = 0;
    std::size_t in_wanted_ = 0;  // bytes of the message that is awaited
    std::array<std::byte, kMostBytes> out_{};
    std::size_t out_size_ = 0;
    std::size_t out_sent_ = 0;
};

}  // namespace tutti::security
