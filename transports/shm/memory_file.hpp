// Memory that processes of one node share: a mapped memfd.
//
// It has no name in /dev/shm and no size limit of a mount, and it ends with the last process that maps it,
// even after a crash. Others open the owner's file (local_process.hpp), so the owner keeps the descriptor for
// them. Pages of what the runtime itself writes (rings, boards) are allocated before use: a lack of memory is an error
// there. The program's memory takes pages when it is touched: shared_heap.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/foundation/base/unique_fd.hpp"
#include "transports/shm/local_process.hpp"

namespace tutti::transport::shm {

inline constexpr std::size_t kPage = 4096;

/// A random number that distinguishes memory files, also after a pid was recycled.
std::uint64_t new_nonce() noexcept;

class MemoryFile;

/// A mapped part of a memory file. It is not in core files.
class MemoryMap {
public:
    MemoryMap() = default;
    /// From `offset`, a multiple of kPage. Throws tutti::Error (out_of_memory) that names the limit to raise.
    MemoryMap(const MemoryFile& file, std::size_t offset, std::size_t bytes);
    MemoryMap(MemoryMap&& other) noexcept;
    MemoryMap& operator=(MemoryMap&& other) noexcept;
    ~MemoryMap();

    /// Enters allocated pages into this process's page table at once, if the kernel can: page faults at the
    /// first use would delay the first messages.
    void populate(std::size_t offset, std::size_t bytes) const noexcept;
    /// Allocates pages as MemoryFile::allocate() does, but without the file. Only if can_allocate(): since
    /// Linux 5.14. Throws tutti::Error (out_of_memory).
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
    /// A new file of `bytes`, zero-filled, not mapped, without allocated pages.
    static MemoryFile create(const char* name, std::size_t bytes);
    /// The file that `owner` has open as `descriptor`, which must have `bytes`; not mapped yet. Also throws
    /// what LocalProcess::open() throws.
    static MemoryFile open(const LocalProcess& owner, int descriptor, std::size_t bytes,
                           DescriptorExchange* exchange);
    /// Likewise a file of any size.
    static MemoryFile open(const LocalProcess& owner, int descriptor, DescriptorExchange* exchange);

    /// One that was received; it has `bytes`, not mapped yet.
    static MemoryFile take(base::UniqueFd file, std::size_t bytes);

    MemoryFile(MemoryFile&& other) noexcept;
    MemoryFile& operator=(MemoryFile&& other) noexcept;
    ~MemoryFile();

    /// Allocates pages of a part of the file.
    void allocate(std::size_t offset, std::size_t bytes) const;
    /// Maps the first `bytes`.
    void map(std::size_t bytes);
    /// After this call nobody else can open the file.
    void close_descriptor() noexcept;

    /// Size of the whole file; 0 once the descriptor is closed.
    std::size_t size_bytes() const noexcept;
    int descriptor() const noexcept { return descriptor_; }
    std::byte* base() const noexcept { return map_.base(); }

private:
    int descriptor_ = -1;
    MemoryMap map_;
};

}  // namespace tutti::transport::shm
