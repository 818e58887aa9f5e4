// Copies between this process's memory and another's by the kernel, without the other's help (cross memory
// attach). Only the call itself shows whether it is allowed and whether the memory exists.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::transport::shm {

/// Copies all bytes. Otherwise false, with the reason in errno; some bytes may have been copied.
bool read_process_memory(pid_t pid, std::uint64_t address, std::span<std::byte> to) noexcept;
bool write_process_memory(pid_t pid, std::uint64_t address, std::span<const std::byte> from) noexcept;

}  // namespace tutti::transport::shm
