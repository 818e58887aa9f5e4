// Memory of a rank that others of its node access where it lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transports/remote_memory.hpp"

namespace tutti::detail {

class Process;

/// Distinguishes this process from all others.
std::uint64_t process_nonce();

/// Travels between ranks. Plain bytes.
struct ExposedMemory {
    std::uint64_t process;  // process_nonce(): threads of one process have the same addresses
    std::uint64_t address;
    std::uint64_t bytes;
    transport::RemoteRegion region;
};

/// Under the engine's lock.
ExposedMemory exposed(const Process& process, std::span<const std::byte> memory);
/// The memory of `peer`, a rank of the job, as this process has it; nullptr: the rank is of another node, or its memory
/// cannot be mapped. Under the engine's lock.
std::byte* mapped(Process& process, int peer, const ExposedMemory& memory);

}  // namespace tutti::detail
