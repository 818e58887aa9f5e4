#include "transports/shm/process_memory.hpp"

#include <sys/uio.h>

#include <cerrno>

namespace tutti::transport::shm {

namespace {

// `copy` is process_vm_readv or process_vm_writev; they may copy less than asked.
template <class Copy>
bool copy_all(Copy copy, pid_t pid, std::uint64_t address, const std::byte* here, std::size_t bytes) noexcept
{
    while (bytes != 0) {
        const iovec local{const_cast<std::byte*>(here), bytes};
        const iovec remote{reinterpret_cast<void*>(address), bytes};
        const ssize_t copied = copy(pid, &local, 1, &remote, 1, 0);
        if (copied <= 0)
            return false;
        here += copied;
        address += static_cast<std::uint64_t>(copied);
        bytes -= static_cast<std::size_t>(copied);
    }
    return true;
}

}  // namespace

bool read_process_memory(pid_t pid, std::uint64_t address, std::span<std::byte> to) noexcept
{
    return copy_all(process_vm_readv, pid, address, to.data(), to.size());
}

bool write_process_memory(pid_t pid, std::uint64_t address, std::span<const std::byte> from) noexcept
{
    return copy_all(process_vm_writev, pid, address, from.data(), from.size());
}

}  // namespace tutti::transport::shm
