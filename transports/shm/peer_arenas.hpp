// The arenas of one peer's shared heap that this process has mapped.
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
    /// The bytes that `owner` has exposed; mapped when they are first asked for. Empty when the region
    /// is none of its heap, or cannot be mapped (then it is not tried again).
    std::span<std::byte> view(const LocalProcess& owner, const RemoteRegion& region, std::size_t bytes,
                              DescriptorExchange* exchange = nullptr);

private:
    struct Mapped {
        std::uint64_t key;
        MemoryFile file;
        std::size_t size_bytes;  // 0: this one cannot be had
    };

    Mapped& mapped(const LocalProcess& owner, std::uint64_t key, DescriptorExchange* exchange);

    std::vector<Mapped> arenas_;  // few: a process rarely has more than one
};

}  // namespace tutti::transport::shm
