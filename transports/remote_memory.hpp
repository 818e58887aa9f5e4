// Reads and writes of peers' memory, in which the peer has no part or a small one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transports/send_completion.hpp"

namespace tutti::transport {

/// Memory of a peer, as the peer describes it in a message: see RemoteMemory::expose().
struct RemoteRegion {
    std::uint64_t address;
    std::uint64_t key;
};

/// Belongs to its transport; the rules of transport.hpp hold. The transport is connected with the peers,
/// unless a comment says otherwise.
class RemoteMemory {
public:
    /// How a peer finds these bytes of ours in get() and view(). Cheap: called for every message. The bytes
    /// must stay unchanged in their place until the peer has said that it has read them.
    virtual RemoteRegion expose(std::span<const std::byte> data) const noexcept
    {
        return {reinterpret_cast<std::uintptr_t>(data.data()), 0};
    }
    /// Lets peers get() `data`, which was exposed as `region`, until release_region(); may change the region.
    /// False: no peer can. Not for memory that peers view().
    virtual bool register_region(std::span<const std::byte>, RemoteRegion&) { return true; }
    /// Ends a register_region() that returned true. Not before the peer has said that it has read the data.
    virtual void release_region(const RemoteRegion&) noexcept {}

    /// Whether put() works, and get() from granted memory. Constant after construction.
    virtual bool puts() const noexcept { return false; }
    /// Lets peers get() and put() to `memory` until revoke(). False: no peer can.
    virtual bool grant(std::span<std::byte>, RemoteRegion&) { return false; }
    /// Ends a grant() that returned true. Not while a peer may access the memory.
    virtual void revoke(const RemoteRegion&) noexcept {}

    /// Whether regions whose key is not 0 can be viewed by their peer. Constant after construction.
    virtual bool views() const noexcept { return false; }
    /// The peer's memory itself, to be read in place until the peer learns that it may change it. Empty when
    /// it cannot be mapped.
    virtual std::span<const std::byte> view(int, const RemoteRegion&, std::size_t) { return {}; }
    /// Copies local.size() bytes from the peer's memory. Takes as long as a copy. Answers as
    /// Transport::send(). `again`: the region cannot be read now, or ever; then the bytes must come in
    /// frames. `pending`: the transport may write to `local` while data is on its way, or while the peer's
    /// core, which may help from within its progress(), has not finished its part. The completion reports an
    /// error, or it is thrown when nothing is under way: peer_lost, and not_supported when the system does
    /// not let this rank read.
    virtual SendResult get(int peer, const RemoteRegion& remote, std::span<std::byte> local,
                           Completion& completion) = 0;
    /// Copies `local` to memory that the peer has granted. Answers as get(). `pending`: the transport may
    /// read `local` until the completion fires, which is when the data is in the peer's memory; but a put of
    /// up to most_copied_bytes() has copied it when this returns.
    virtual SendResult put(int, const RemoteRegion&, std::span<const std::byte>, Completion&)
    {
        return SendResult::again;
    }
    virtual std::size_t most_copied_bytes() const noexcept { return 0; }
    /// Copies own memory together with `peer`, which waits for this rank; connected or not. `to` and `from`
    /// have one length and do not overlap. Answers as get(); `again`: the caller is as fast alone.
    virtual SendResult copy_own(int, std::span<std::byte>, std::span<const std::byte>, Completion&)
    {
        return SendResult::again;
    }
    /// Gives up a get(), put() or copy_own() that is pending with `completion`: the completion does not fire,
    /// and the memory belongs to the caller again. Blocks while a peer writes there; if that peer is stopped,
    /// until it continues or ends.
    virtual void abandon(const Completion&) noexcept {}

protected:
    ~RemoteMemory() = default;
};

}  // namespace tutti::transport
