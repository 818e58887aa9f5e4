#include "transports/shm/peer_arenas.hpp"

#include "transports/shm/shared_heap.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::shm {

std::span<std::byte> PeerArenas::view(const LocalProcess& owner, const RemoteRegion& region,
                                      std::size_t bytes, DescriptorExchange* exchange)
{
    if (region.key == 0)
        return {};
    const Mapped& arena = mapped(owner, region.key, exchange);
    if (region.address > arena.size_bytes || bytes > arena.size_bytes - region.address)
        return {};
    return {arena.file.base() + region.address, bytes};
}

PeerArenas::Mapped& PeerArenas::mapped(const LocalProcess& owner, std::uint64_t key,
                                       DescriptorExchange* exchange)
{
    for (Mapped& arena : arenas_)
        if (arena.key == key)
            return arena;
    Mapped& added = arenas_.emplace_back(Mapped{key, {}, 0});
    try {
        MemoryFile file = MemoryFile::open(owner, arena_descriptor(key), exchange);
        const std::size_t size_bytes = file.size_bytes();
        if (size_bytes >= sizeof(ArenaHeader)) {
            file.map(size_bytes);
            file.close_descriptor();
            const auto& header = *reinterpret_cast<const ArenaHeader*>(file.base());
            if (header.magic == ArenaHeader::kMagic && header.nonce << 32 == (key & ~0xffffffffull))
                added = Mapped{key, std::move(file), size_bytes};
        }
    } catch (const Error&) {
        // The message goes by another protocol.
    }
    return added;
}

}  // namespace tutti::transport::shm
