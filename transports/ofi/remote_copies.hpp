// Reads and writes of peers' memory in chunks; a few chunks of each copy are under way at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "transports/ofi/endpoint.hpp"
#include "transports/ofi/frame_buffers.hpp"
#include "transports/ofi/registration_cache.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::ofi {

class RemoteCopies {
public:
    /// Registrations of own memory where the provider wants them; otherwise nullptr.
    struct OwnMemory {
        RegistrationCache* written;
        RegistrationCache* read;
    };

    /// `buffers`, of `buffer_bytes` each, hold the data of short writes.
    RemoteCopies(Endpoint& endpoint, OwnMemory own, BufferPool& buffers, std::size_t buffer_bytes);
    RemoteCopies(const RemoteCopies&) = delete;
    RemoteCopies& operator=(const RemoteCopies&) = delete;

    /// Keeps a read of memory of `peer`; post() starts it. False: the own memory cannot be registered.
    bool add_read(int peer, RemoteRegion remote, std::span<std::byte> local, Completion& completion);
    /// Likewise a write, which completes when the peer's memory has the data. One of up to
    /// most_copied_bytes() has copied `local` when this returns. Throws if there is no buffer for that.
    bool add_write(int peer, RemoteRegion remote, std::span<const std::byte> local, Completion& completion);
    std::size_t most_copied_bytes() const noexcept { return buffer_bytes_; }

    /// Starts all chunks that can start. address_of(peer) is FI_ADDR_UNSPEC for a peer that must wait.
    template <class AddressOf>
    void post(AddressOf&& address_of)
    {
        if (unposted_ == 0) [[likely]]
            return;
        for (Copy& copy : copies_) {
            if (copy.left.empty())
                continue;
            const fi_addr_t peer = address_of(copy.peer);
            if (peer != FI_ADDR_UNSPEC)
                post_chunks(copy, peer);
        }
    }

    /// A chunk has ended. Completions fire only in finish().
    void chunk_ended(FabricOperation& chunk, ErrorCode result);
    int peer_of(FabricOperation& chunk) const noexcept;
    /// Ends the copies that are complete; returns their number.
    std::size_t finish();

    /// Starts no more copies with `peer`, but waits for the chunks under way: the network uses this rank's
    /// memory.
    void lose(int peer);
    /// Stops waiting for the chunks under way.
    void abandon(int peer);
    /// Starts no more chunks of this copy. Its completion does not fire.
    void abandon(const Completion& completion) noexcept;
    bool any_of(int peer) const noexcept;

    bool none() const noexcept { return copies_.empty(); }
    /// Whether some copies could not be started yet.
    bool any_unposted() const noexcept { return unposted_ != 0; }
    /// The number of reads that have succeeded.
    std::uint64_t reads() const noexcept { return reads_; }
    std::uint64_t writes() const noexcept { return writes_; }
    /// For the end, when no chunk is under way.
    void cancel_all();

private:
    struct Copy {
        int peer;
        bool writes;
        RemoteRegion remote;
        std::span<std::byte> left;  // of the own memory; a write only reads it
        Completion* completion;     // nullptr: abandoned
        RegistrationCache::Entry* registered = nullptr;
        FrameBuffer* buffer = nullptr;  // has the data of a short write
        unsigned under_way = 0;
        ErrorCode result = ErrorCode::success;

        bool over() const noexcept { return under_way == 0 && left.empty(); }
        void* descriptor() const noexcept
        {
            return buffer != nullptr       ? buffer->descriptor
                   : registered != nullptr ? registered->registration.descriptor
                                           : nullptr;
        }
    };
    struct Chunk : FabricOperation {
        Chunk() noexcept : FabricOperation(Kind::copy) {}
        Copy* copy = nullptr;
    };

    bool add(Copy copy);
    void post_chunks(Copy& copy, fi_addr_t peer);
    void drop_rest(Copy& copy) noexcept;
    RegistrationCache* cache_of(const Copy& copy) const noexcept
    {
        return copy.writes ? own_.read : own_.written;
    }

    Endpoint& endpoint_;
    const OwnMemory own_;
    BufferPool& buffers_;
    const std::size_t buffer_bytes_;
    const std::size_t chunk_bytes_;
    std::list<Copy> copies_;
    std::list<Chunk> chunks_;  // all there are
    std::vector<Chunk*> free_;
    std::size_t unposted_ = 0;  // copies with chunks to start
    std::size_t over_ = 0;      // copies to finish
    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;
};

}  // namespace tutti::transport::ofi
