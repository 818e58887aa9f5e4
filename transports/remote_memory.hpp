// Memory of peers that a transport reads without their having a part in it, or hardly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transports/completion.hpp"

namespace tutti::transport {

/// Memory of a peer, as the peer describes it in a message of its own: see RemoteMemory::expose().
struct RemoteRegion {
    std::uint64_t address;
    std::uint64_t key;
};

/// Belongs to its transport, and is called as that is: the rules of transport.hpp hold. Peers are those that
/// the transport is connected with, unless a comment says otherwise.
class RemoteMemory {
public:
    /// How a peer finds these bytes of ours, in get() and view(). Cheap: for every message. They stay where
    /// they are, and as they are, until the peer has said that it has read them.
    virtual RemoteRegion expose(std::span<const std::byte> data) const noexcept
    {
        return {reinterpret_cast<std::uintptr_t>(data.data()), 0};
    }
    /// Lets peers get() `data`, which was exposed as `region`, until it is taken back; the region may change.
    /// False: none can. Not for what is viewable().
    virtual bool lend(std::span<const std::byte>, RemoteRegion&) { return true; }
    /// Ends a lend() that answered true. Not before the peer has said that it has read.
    virtual void take_back(const RemoteRegion&) noexcept {}

    /// Whether a peer can view() that memory of ours, or we that of a peer.
    virtual bool viewable(const RemoteRegion&) const noexcept { return false; }
    /// The peer's memory itself, to be read in place until the peer is told that it may change it. Empty
    /// where it cannot be mapped.
    virtual std::span<const std::byte> view(int, const RemoteRegion&, std::size_t) { return {}; }
    /// Copies local.size() bytes out of the peer's memory. Takes as long as a copy. Answers as
    /// Transport::send(), with `again` where the region cannot be read now, or ever: then its bytes have to
    /// come in frames. `local` is the transport's to write at `pending`: while data is on its way, or the
    /// peer's core, which may have a part in the copy from within its progress(), has not ended what it
    /// began. An error is told by the completion, or thrown when nothing is under way: peer_lost, and
    /// not_supported where the system does not let this rank read.
    virtual SendResult get(int peer, const RemoteRegion& remote, std::span<std::byte> local,
                           Completion& completion) = 0;
    /// Copies memory of this rank, `to` and `from` equally long and apart, together with `peer`, who waits
    /// for this rank; connected or not. Answers as get(); `again`: the caller is as quick alone.
    virtual SendResult copy_own(int, std::span<std::byte>, std::span<const std::byte>, Completion&)
    {
        return SendResult::again;
    }
    /// For who gives up a get() or copy_own() that is pending with `completion`, which does not fire any
    /// more: its memory is the caller's again. Blocks while a peer writes there: for a stopped one until it
    /// goes on, or ends.
    virtual void abandon(const Completion&) noexcept {}

protected:
    ~RemoteMemory() = default;
};

}  // namespace tutti::transport
