// Reads of peers' memory: cut into chunks, a few of each under way at a time.
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
    /// `landing`: registers the memory that is read into, where the provider wants that; otherwise nullptr.
    RemoteReads(Endpoint& endpoint, RegistrationCache* landing);
    RemoteReads(const RemoteReads&) = delete;
    RemoteReads& operator=(const RemoteReads&) = delete;

    /// Keeps a read for `peer`; post() starts it. False: its memory cannot be registered, nothing is kept.
    bool add(int peer, RemoteRegion remote, std::span<std::byte> local, Completion& completion);

    /// Starts what can be started, of peers for whom address_of(peer) is not FI_ADDR_UNSPEC.
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
    /// Ends reads of which nothing is left; their number.
    std::size_t finish();

    /// No more is read from `peer`. What its network still brings is waited for: it goes to the reader's
    /// memory.
    void lose(int peer);
    /// Gives up waiting for that.
    void abandon(int peer);
    /// No more is read for that one, which does not fire.
    void abandon(const Completion& completion) noexcept;
    bool any_of(int peer) const noexcept;

    bool none() const noexcept { return reads_.empty(); }
    /// Some could not be started yet.
    bool any_unposted() const noexcept { return unposted_ != 0; }
    /// For the end: no chunk is under way any more.
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
    std::size_t unposted_ = 0;  // reads with something left
    std::size_t over_ = 0;      // reads to finish
};

}  // namespace tutti::transport::ofi
