// Memory of ranks that peers read and write through the fabric: what this rank has registered for that, and
// its own reads and writes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>

#include "transports/ofi/endpoint.hpp"
#include "transports/ofi/frame_buffers.hpp"
#include "transports/ofi/peer.hpp"
#include "transports/ofi/registration_cache.hpp"
#include "transports/ofi/remote_copies.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::ofi {

class FabricMemory final : public RemoteMemory {
public:
    /// `buffers`, of `buffer_bytes` each, hold the data of short writes. `puts`: peers' memory is written, too.
    FabricMemory(Endpoint& endpoint, const MemoryModes& modes, const PeerTable& peers, BufferPool& buffers,
                 std::size_t buffer_bytes, bool puts);

    bool register_region(std::span<const std::byte> data, RemoteRegion& region) override;
    void release_region(const RemoteRegion& region) noexcept override;
    bool puts() const noexcept override { return puts_; }
    bool grant(std::span<std::byte> memory, RemoteRegion& region) override;
    void revoke(const RemoteRegion& region) noexcept override;
    SendResult get(int peer, const RemoteRegion& remote, std::span<std::byte> local,
                   Completion& completion) override;
    SendResult put(int peer, const RemoteRegion& remote, std::span<const std::byte> local,
                   Completion& completion) override;
    std::size_t most_copied_bytes() const noexcept override { return copies_.most_copied_bytes(); }
    /// The network still uses the memory: no provider can cancel a read or a write.
    void abandon(const Completion& completion) noexcept override { copies_.abandon(completion); }

    RemoteCopies& copies() noexcept { return copies_; }
    const RemoteCopies& copies() const noexcept { return copies_; }
    /// Starts what can start of this rank's reads and writes.
    void post()
    {
        copies_.post([this](int rank) {
            const Peer& of = peers_.at(rank);
            return of.may_send() ? of.address : FI_ADDR_UNSPEC;
        });
    }
    /// Whether peers may access memory of this rank without an event here.
    bool has_granted() const noexcept { return !granted_.empty(); }

    /// Ends all registrations: nobody reads or writes this rank's memory any more.
    void close() noexcept;

private:
    /// Own memory, registered for one kind of access when it is first needed.
    struct Registered {
        Registered(Endpoint& endpoint, std::uint64_t access, std::size_t most_idle)
            : registrar(endpoint, access), cache(registrar, most_idle)
        {
        }
        EndpointRegistrar registrar;
        RegistrationCache cache;
    };

    /// Starts the copy that add() keeps, in the name of `operation`, which is to `use` own memory.
    template <class Add>
    SendResult start(std::string_view operation, std::string_view use, int rank, Add&& add);

    Endpoint& endpoint_;
    const MemoryModes modes_;
    const PeerTable& peers_;
    const bool puts_;
    Registered read_by_peers_;
    Registered read_into_;
    Registered written_from_;
    std::unordered_map<std::uint64_t, RegistrationCache::Entry*> read_by_key_;  // of read_by_peers_
    std::unordered_map<std::uint64_t, Registration> granted_;                   // by key
    RemoteCopies copies_;
    bool closed_ = false;
};

}  // namespace tutti::transport::ofi
