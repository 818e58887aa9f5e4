#include "transports/ofi/fabric_memory.hpp"

#include <fmt/format.h>
#include <rdma/fi_domain.h>

namespace tutti::transport::ofi {

namespace {

// How many idle registrations are kept: none where they pin memory, some where they are lists of addresses.
std::size_t most_idle(const MemoryModes& modes)
{
    constexpr std::size_t kMostIdleRegistrations = 1024;
    return modes.pins_pages ? 0 : kMostIdleRegistrations;
}

}  // namespace

FabricMemory::FabricMemory(Endpoint& endpoint, const MemoryModes& modes, const PeerTable& peers,
                           BufferPool& buffers, std::size_t buffer_bytes, bool puts)
    : endpoint_(endpoint),
      modes_(modes),
      peers_(peers),
      puts_(puts),
      read_by_peers_(endpoint, FI_REMOTE_READ, most_idle(modes)),
      read_into_(endpoint, FI_READ, most_idle(modes)),
      written_from_(endpoint, FI_WRITE, most_idle(modes)),
      copies_(endpoint,
              RemoteCopies::OwnMemory{modes.local ? &read_into_.cache : nullptr,
                                      modes.local ? &written_from_.cache : nullptr},
              buffers, buffer_bytes)
{
}

bool FabricMemory::register_region(std::span<const std::byte> data, RemoteRegion& region)
{
    // Memory that cannot be read ends this rank when it is copied instead, and the peer learns of that.
    if (closed_ || !is_readable(data))
        return false;
    RegistrationCache::Entry* const entry = read_by_peers_.cache.acquire(data);
    if (entry == nullptr)
        return false;
    region.key = entry->registration.key;
    region.address = reinterpret_cast<std::uintptr_t>(data.data());
    if (!modes_.virtual_addresses)
        region.address -= entry->begin;
    read_by_key_[region.key] = entry;
    return true;
}

void FabricMemory::release_region(const RemoteRegion& region) noexcept
{
    const auto found = read_by_key_.find(region.key);
    if (found == read_by_key_.end())
        return;  // closed
    RegistrationCache::Entry& entry = *found->second;
    if (entry.users == 1)
        read_by_key_.erase(found);
    read_by_peers_.cache.release(entry);
}

bool FabricMemory::grant(std::span<std::byte> memory, RemoteRegion& region)
{
    if (closed_ || !puts_)
        return false;
    const auto registration = endpoint_.add_memory(memory, FI_REMOTE_READ | FI_REMOTE_WRITE);
    if (!registration)
        return false;
    region.key = registration->key;
    region.address = modes_.virtual_addresses ? reinterpret_cast<std::uintptr_t>(memory.data()) : 0;
    granted_[region.key] = *registration;
    return true;
}

void FabricMemory::revoke(const RemoteRegion& region) noexcept
{
    const auto found = granted_.find(region.key);
    if (found == granted_.end())
        return;  // closed
    end_registration(found->second);
    granted_.erase(found);
}

template <class Add>
SendResult FabricMemory::start(std::string_view operation, std::string_view use, int rank, Add&& add)
{
    const Peer& with = peers_.at(rank);
    if (with.state != Peer::State::living || closed_)
        throw Error(ErrorCode::peer_lost, operation,
                    with.loss.reason.empty() ? "it has left the job" : with.loss.reason, rank);
    if (!add())
        throw Error(ErrorCode::out_of_memory, operation,
                    fmt::format("the memory to {} cannot be registered; raise the limit of locked memory "
                                "(ulimit -l)",
                                use),
                    rank);
    post();
    return SendResult::pending;
}

SendResult FabricMemory::get(int rank, const RemoteRegion& remote, std::span<std::byte> local,
                             Completion& completion)
{
    return start("get", "read into", rank, [&] { return copies_.add_read(rank, remote, local, completion); });
}

SendResult FabricMemory::put(int rank, const RemoteRegion& remote, std::span<const std::byte> local,
                             Completion& completion)
{
    return start("put", "write from", rank,
                 [&] { return copies_.add_write(rank, remote, local, completion); });
}

void FabricMemory::close() noexcept
{
    closed_ = true;
    read_by_key_.clear();
    read_by_peers_.cache.clear();
    read_into_.cache.clear();
    written_from_.cache.clear();
    for (const auto& [key, registration] : granted_)
        end_registration(registration);
    granted_.clear();
}

}  // namespace tutti::transport::ofi
