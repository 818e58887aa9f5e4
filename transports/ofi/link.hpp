// A stream connection beside the fabric, one for each pair of ranks that talk: over it both prove that they
// know the job's key before either takes the other's frames, and by it either sees the other's end. A process
// that dies closes it, and the kernels at both ends keep asking whether the other host is there, whatever the
// ranks compute meanwhile. Fabrics can do neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/connection/poller.hpp"

namespace tutti::transport::ofi {

/// What goes over a link.
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

/// One end, of ranks that have proved who they are. Owned by Links.
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
    /// Why it has ended: a part of a sentence that names the address.
    const std::string& reason() const noexcept { return reason_; }
    /// The kernel has not taken all.
    bool wants_to_write() const noexcept { return !out_.empty(); }

    /// Reads and writes what can be; does not block.
    void ready();
    void send(const LinkMessage& message);
    /// The next message that has come.
    std::optional<LinkMessage> take();
    /// `why` is put behind the address.
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
