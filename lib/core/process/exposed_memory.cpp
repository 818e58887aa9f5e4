#include "lib/core/process/exposed_memory.hpp"

#include "lib/core/process/process.hpp"
#include "transports/shm/memory_file.hpp"

namespace tutti::detail {

std::uint64_t process_nonce()
{
    static const std::uint64_t nonce = transport::shm::new_nonce();
    return nonce;
}

ExposedMemory exposed(const Process& process, std::span<const std::byte> memory)
{
    return {process_nonce(), reinterpret_cast<std::uintptr_t>(memory.data()), memory.size(),
            process.expose(memory)};
}

std::byte* mapped(Process& process, int peer, const ExposedMemory& memory)
{
    if (memory.process == process_nonce())
        return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(memory.address));
    if (!process.is_local(peer))
        return nullptr;
    try {
        return process.map(peer, memory.region, memory.bytes).data();
    } catch (const Error&) {
        return nullptr;  // what else the caller does with the peer reports what is wrong
    }
}

}  // namespace tutti::detail
