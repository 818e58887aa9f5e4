// The arenas of one peer's shared heap, as this process has mapped them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transports/shm/memory_file.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::shm {

class PeerArenas {
public:
    /// The bytes that `owner` has exposed, mapped at the first call. Empty when the region is not in its
    /// heap, or cannot be mapped (then there is no second try).
    std::span<std::byte> view(const LocalProcess& owner, const RemoteRegion& region, std::size_t bytes,
                              DescriptorExchange* exchange = nullptr);

private:
    struct Mapped {
        std::uint64_t key;
        MemoryFile file;
        std::size_t size_bytes;  // 0: it cannot be mapped
    };

    Mapped& mapped(const LocalProcess& owner, std::uint64_t key, DescriptorExchange* exchange);

    std::vector<Mapped> arenas_;  // few: a process rarely has more than one
};

}  // namespace tutti::transport::shm
