// A stream connection beside the fabric, one for each pair of ranks that talk. Over it both prove that they
// know the job's key before they accept frames, and it shows when the other one ends. A process that dies
// closes it. The kernels at both ends check that the other host is alive, even while the ranks compute.
// Fabrics can do neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/connection/poller.hpp"

namespace tutti::transport::ofi {

/// A message on a link.
struct LinkMessage {
    enum class Kind : std::uint32_t {
        grant = 1,  // value: the token that your frames to me must carry
        leaving,    // value: how many frames I have sent you; I wait for `left`
        left,       // I have received all your frames, or want no more
        ping,
        pong  // value: how many frames I have received from you
    };

    Kind kind;
    std::uint32_t zero = 0;
    std::uint64_t value = 0;
};
static_assert(sizeof(LinkMessage) == 16);

/// One end of a link between ranks that have proved who they are. Owned by Links.
class Link final : public connection::Watched {
public:
    /// `where`: the address of the other end.
    Link(base::UniqueFd fd, int peer, std::string where)
        : Watched(Kind::owned), fd_(std::move(fd)), peer_(peer), where_(std::move(where))
    {
    }

    int fd() const noexcept { return fd_.get(); }
    int peer() const noexcept { return peer_; }
    const std::string& where() const noexcept { return where_; }
    bool has_ended() const noexcept { return !fd_; }
    /// Why the link has ended: a part of a sentence that names the address.
    const std::string& reason() const noexcept { return reason_; }
    /// Whether bytes wait for the kernel to take them.
    bool wants_to_write() const noexcept { return !out_.empty(); }

    /// Reads and writes as far as possible; does not block.
    void ready();
    void send(const LinkMessage& message);
    /// The next message that has arrived.
    std::optional<LinkMessage> take();
    /// Ends the link; `why` is appended to the address.
    void end(const std::string& why);

private:
    void read_some();
    void write_some();

    base::UniqueFd fd_;
    const int peer_;
    const std::string where_;
    std::string reason_;
    std::vector<std::byte> in_;
    std::vector<std::byte> out_;
};

}  // namespace tutti::transport::ofi
