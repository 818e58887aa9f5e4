// A stream connection beside the fabric, one for each pair of ranks that talk: over it both prove that they
// know the job's key before either takes the other's frames, and by it either sees the other's end. A process
// that dies closes it, and the kernels at both ends keep asking whether the other host is there, whatever the
// ranks compute meanwhile. Fabrics can do neither.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/network/candidates.hpp"
#include "lib/foundation/security/handshake.hpp"

namespace tutti::transport::ofi {

/// What goes over a link that is proved.
struct LinkMessage {
    enum class Kind : std::uint32_t {
        grant = 1,  // value: the token that your frames to me must carry
        leaving,    // value: how many frames I have sent you; I wait for
        left,       // I have had all of your frames, or want no more
        ping,
        pong  // value: how many frames I have had from you
    };

    Kind kind;
    std::uint32_t zero = 0;
    std::uint64_t value = 0;
};
static_assert(sizeof(LinkMessage) == 16);

/// Where a rank listens for links.
struct Door {
    network::HostAddress at;
    std::uint16_t port;
};

/// A pair of addresses to try, and the port.
struct Way {
    network::Candidate candidate;
    std::uint16_t port;

    std::string describe() const;
};

/// What the links of a rank have in common.
struct LinkSettings {
    security::Key key;
    int rank;
    std::int64_t timeout_ns;  // for a connection, for a stranger's first words, for a host that is silent
};

/// One end. Owned by Links, which calls it when its descriptor is ready.
class Link {
public:
    enum class State { connecting, proving, proved, ended };

    /// Tries one way after the other until the rank `peer` has proved itself. At least one way. Who closes
    /// without a word may have had too many strangers: it is asked again until the timeout is over, and after
    /// that where this rank, which computed, has not said hello to it.
    Link(const LinkSettings& settings, int peer, std::vector<Way> ways);
    /// Of somebody who has connected.
    Link(const LinkSettings& settings, base::UniqueFd connection, std::string where);

    State state() const noexcept { return state_; }
    bool dialed() const noexcept { return dialed_; }
    /// A claim until State::proved, -1 while nobody is known.
    int peer() const noexcept;
    /// The address of the other end.
    const std::string& where() const noexcept { return where_; }
    /// Why it has ended: a part of a sentence that names the address.
    const std::string& reason() const noexcept { return reason_; }
    /// Also of one that has ended since.
    bool was_proved() const noexcept { return handshake_.state() == security::Handshake::State::proved; }
    /// Whether, before it was proved, somebody said at every address that nothing listens there.
    bool was_refused() const noexcept { return refused_ != 0 && refused_ == ways_.size(); }
    /// -1 between two connections.
    int descriptor() const noexcept { return connection_.get(); }
    /// Changes with each descriptor that it had.
    unsigned attempt() const noexcept { return attempt_; }
    bool wants_to_write() const noexcept { return state_ == State::connecting || !out_.empty(); }
    /// When it ends unless something happens; nothing when it may take its time.
    std::optional<std::int64_t> deadline_ns() const noexcept { return deadline_ns_; }

    /// Reads and writes what can be; does not block.
    void ready();
    void on_deadline();
    void send(const LinkMessage& message);
    /// The next message that has come.
    std::optional<LinkMessage> take();
    void end(std::string reason);

private:
    void try_ways();
    void on_connected();
    void give_up_way(const std::string& why);
    void was_left(const std::string& why);
    void read_some();
    void feed(std::span<const std::byte> bytes);
    void look_at_handshake();
    void write_some();
    void watch_peer() noexcept;

    const LinkSettings& settings_;
    const bool dialed_;
    const int wanted_peer_ = -1;
    std::vector<Way> ways_;
    std::size_t way_ = 0;
    std::size_t refused_ = 0;              // of the ways
    std::int64_t try_again_until_ns_ = 0;  // 0: nobody has closed without a word, but while we computed
    std::int64_t silent_since_ns_ = 0;     // when it last dialed; 0: has said hello there
    unsigned attempt_ = 0;
    std::string where_;
    std::string reason_;
    State state_;
    base::UniqueFd connection_;
    security::Handshake handshake_;
    std::optional<std::int64_t> deadline_ns_;
    std::vector<std::byte> in_;
    std::vector<std::byte> out_;
};

}  // namespace tutti::transport::ofi
