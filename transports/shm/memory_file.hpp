// Memory that processes of one node share: a memfd, mapped.
//
// It has no name in /dev/shm, no size limit of a mount, and is gone with the last process that maps it,
// however that dies. Others open what its owner has open (local_process.hpp), which keeps the descriptor
// while they may. Pages are allocated before they are used: a machine without memory answers with an error
// there and never with SIGBUS later.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transports/shm/local_process.hpp"

namespace tutti::transport::shm {

inline constexpr std::size_t kPage = 4096;

/// A number that tells one memory file from another that a recycled pid made.
std::uint64_t new_nonce() noexcept;

class MemoryFile;

/// A part of a memory file in this process's memory.
class MemoryMap {
public:
    MemoryMap() = default;
    /// From `offset`, a multiple of kPage. Throws tutti::Error (out_of_memory) that names the limit to raise.
    MemoryMap(const MemoryFile& file, std::size_t offset, std::size_t bytes);
    MemoryMap(MemoryMap&& other) noexcept;
    MemoryMap& operator=(MemoryMap&& other) noexcept;
    ~MemoryMap();

    /// Enters the pages of a part that has them into this process's page table at once, where the kernel can:
    /// a fault at each page's first use would delay the first messages.
    void populate(std::size_t offset, std::size_t bytes) const noexcept;
    /// Gives pages to a part, as MemoryFile::allocate() does, without the file. Only where can_allocate():
    /// since Linux 5.14. Throws tutti::Error (out_of_memory).
    void allocate(std::size_t offset, std::size_t bytes) const;
    static bool can_allocate() noexcept;

    std::byte* base() const noexcept { return base_; }

private:
    std::byte* base_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Throws tutti::Error (out_of_memory, system, peer_lost) that names the limit to raise.
class MemoryFile {
public:
    MemoryFile() = default;
    /// A new one of `bytes`, zero-filled, not mapped, no page of it allocated yet.
    static MemoryFile create(const char* name, std::size_t bytes);
    /// The file that `owner` has open as `descriptor`, which must have `bytes`; not mapped yet. Throws what
    /// LocalProcess::open() does, too.
    static MemoryFile open(const LocalProcess& owner, int descriptor, std::size_t bytes,
                           DescriptorExchange* exchange);
    /// The same, of whatever size.
    static MemoryFile open(const LocalProcess& owner, int descriptor, DescriptorExchange* exchange);

    MemoryFile(MemoryFile&& other) noexcept;
    MemoryFile& operator=(MemoryFile&& other) noexcept;
    ~MemoryFile();

    /// Gives pages to a part of the file.
    void allocate(std::size_t offset, std::size_t bytes) const;
    /// Maps the first `bytes`.
    void map(std::size_t bytes);
    /// From now on nobody else can open it.
    void close_descriptor() noexcept;

    /// Of the whole file; 0 once the descriptor is closed.
    std::size_t size_bytes() const noexcept;
    int descriptor() const noexcept { return descriptor_; }
    std::byte* base() const noexcept { return map_.base(); }

private:
    int descriptor_ = -1;
    MemoryMap map_;
};

}  // namespace tutti::transport::shm
