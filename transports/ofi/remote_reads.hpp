// Reads of peers' memory in chunks; a few chunks of each read are under way at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>

#include "transports/ofi/endpoint.hpp"
#include "transports/ofi/registration_cache.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::ofi {

class RemoteReads {
public:
    /// `landing`: registers the target memory if the provider wants that; otherwise nullptr.
    RemoteReads(Endpoint& endpoint, RegistrationCache* landing);
    RemoteReads(const RemoteReads&) = delete;
    RemoteReads& operator=(const RemoteReads&) = delete;

    /// Keeps a read from `peer`; post() starts it. False: the memory cannot be registered.
    bool add(int peer, RemoteRegion remote, std::span<std::byte> local, Completion& completion);

    /// Starts all chunks that can start. address_of(peer) is FI_ADDR_UNSPEC for a peer that must wait.
    template <class AddressOf>
    void post(AddressOf&& address_of)
    {
        if (unposted_ == 0) [[likely]]
            return;
        for (Read& read : reads_) {
            if (read.left.empty())
                continue;
            const fi_addr_t from = address_of(read.peer);
            if (from != FI_ADDR_UNSPEC)
                post_chunks(read, from);
        }
    }

    /// A chunk has ended. Completions fire only in finish().
    void chunk_ended(Operation& chunk, ErrorCode result);
    int peer_of(Operation& chunk) const noexcept;
    /// Ends the reads that are complete; returns their number.
    std::size_t finish();

    /// Starts no more reads from `peer`, but waits for the chunks under way: the network writes them to the
    /// reader's memory.
    void lose(int peer);
    /// Stops waiting for them.
    void abandon(int peer);
    /// Starts no more chunks of this read. Its completion does not fire.
    void abandon(const Completion& completion) noexcept;
    bool any_of(int peer) const noexcept;

    bool none() const noexcept { return reads_.empty(); }
    /// Whether some could not be started yet.
    bool any_unposted() const noexcept { return unposted_ != 0; }
    /// For the end, when no chunk is under way.
    void cancel_all();

private:
    struct Read {
        int peer;
        RemoteRegion remote;
        std::span<std::byte> left;
        Completion* completion;  // nullptr: abandoned
        RegistrationCache::Entry* landing;
        unsigned under_way = 0;
        ErrorCode result = ErrorCode::success;

        bool over() const noexcept { return under_way == 0 && left.empty(); }
    };
    struct Chunk : Operation {
        Chunk() noexcept : Operation(Kind::read) {}
        Read* read = nullptr;
    };

    void post_chunks(Read& read, fi_addr_t from);
    void drop_rest(Read& read) noexcept;

    Endpoint& endpoint_;
    RegistrationCache* const landing_;
    const std::size_t chunk_bytes_;
    std::list<Read> reads_;
    std::list<Chunk> chunks_;  // all there are
    std::vector<Chunk*> free_;
    std::size_t unposted_ = 0;  // reads with chunks to start
    std::size_t over_ = 0;      // reads to finish
};

}  // namespace tutti::transport::ofi
