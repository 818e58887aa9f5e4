// The heap behind tutti::allocate and large working memory of collectives: memory files that peers map when a
// message comes from them.
//
// Each arena is one memory file with at least 256 MiB of addresses. Allocations take pages when they are touched
// (memory_promises.hpp says how much may be promised), and give them back when they are freed. Arenas stay until the
// end: peers map them.
//
// Large freed blocks keep their pages for the next allocations of their size, up to 16 MiB and a quarter of
// what is in use: the kernel takes longer to clear a page than the program to use it.
//
// Arenas are MADV_DONTFORK. A forked child maps them again, copy-on-write: it can read what its parent has
// written, perhaps also later, and its own writes stay with it. Its own allocations are ordinary memory.
//
// Where the heap of lib/heap is preloaded, peers find malloc's blocks in the same way.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "transports/shm/memory_file.hpp"
#include "transports/shm/memory_promises.hpp"
#include "transports/shm/record.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::shm {

/// At the start of an arena, on its own page: shows a peer that it has opened the right file.
struct ArenaHeader {
    static constexpr std::uint64_t kMagic = 0x31307061656874;  // "theap01": changes with the layout
    std::uint64_t magic;
    std::uint64_t nonce;
};

class SharedHeap {
public:
    /// The process's heap. Never destroyed: containers may outlive main().
    static SharedHeap& instance();

    static constexpr std::size_t kLine = 64;

    /// At a multiple of `alignment`, a power of two of at least a line; of up to a page also where peers map
    /// it. Throws tutti::Error (out_of_memory). Any thread.
    void* allocate(std::size_t bytes, std::size_t alignment = kLine);
    void deallocate(void* memory) noexcept;

    /// How this rank learns of the other ranks' promises. Any thread.
    void find_ledger_by(MemoryPromises::FindLedger find);

    /// Core files leave out what is not touched: to write it the system would allocate it. For signal handlers of a
    /// process that is about to end.
    void leave_untouched_out_of_core_files() const noexcept;

    /// Whether peers can map memory of the program's: it has once taken some from this heap, or malloc does.
    static bool is_lent() noexcept { return lent_.load(std::memory_order_relaxed); }
    /// The program takes memory from this heap. Any thread.
    static void lend() noexcept { lent_.store(true, std::memory_order_relaxed); }

    /// How a peer finds these bytes; nothing when they are not from this heap. Does not block.
    std::optional<RemoteRegion> find(const std::byte* data, std::size_t bytes) const noexcept;
    /// The bytes that find() described; empty when they are not from this heap.
    std::span<const std::byte> at(const RemoteRegion& region, std::size_t bytes) const noexcept;

private:
    // Relaxed: it publishes no memory, and only the speed depends on it.
    static constinit inline std::atomic<bool> lent_{false};

    using Ranges = std::map<std::size_t, std::size_t>;  // size by offset
    struct Arena {
        MemoryFile file;
        std::size_t size_bytes;
        std::uint64_t key;
        Ranges free;
        Ranges used;
        std::size_t dumped = 0;  // core files have what is before
    };

    /// malloc's memory; `bytes` is 0 where peers cannot map it.
    struct Preloaded {
        std::byte* base = nullptr;
        std::size_t bytes = 0;
        std::uint64_t key = 0;
    };

    /// A freed block with its pages.
    struct Kept {
        Arena* arena;
        std::size_t offset;
        std::size_t bytes;
    };

    static constexpr std::size_t kMostArenas = 64;

    SharedHeap();

    Arena* add_arena(std::size_t least_bytes);
    Arena* arena_of(const std::byte* data) const noexcept;
    void judge(std::size_t bytes);
    std::uint64_t touched_bytes() const noexcept;
    void* take_kept(std::size_t bytes);
    void* take_new(std::size_t bytes, std::size_t alignment);
    void* take_free(std::size_t bytes, std::size_t alignment);
    void* take(Arena& arena, Ranges::iterator from, std::size_t start, std::size_t bytes);
    void drop_kept_beyond(std::size_t bytes);
    static void have_in_core_files(Arena& arena, std::size_t end) noexcept;
    static void give_back(Arena& arena, std::size_t offset, std::size_t bytes);
    void become_child() noexcept;

    Preloaded preloaded_;  // constant after construction
    // This process is a forked child, and the arenas are its parent's. Set while it has one thread.
    bool inherited_ = false;
    mutable std::mutex mutex_;
    std::deque<Kept> kept_;  // the latest last
    std::size_t kept_bytes_ = 0;
    std::size_t used_bytes_ = 0;
    MemoryPromises promises_;  // of what is used or kept
    // Filled from the front, never emptied; the release of the count pairs with arena_of's acquire.
    std::array<std::unique_ptr<Arena>, kMostArenas> arenas_;
    std::atomic<std::size_t> count_{0};
};

/// The arena's descriptor in the process that made it, from a region's key.
constexpr int arena_descriptor(std::uint64_t key) noexcept
{
    return static_cast<int>(key & 0xffffffff);
}

/// The key of a region in an arena: the nonce's lower half, and the descriptor that opens the file.
constexpr std::uint64_t arena_key(std::uint64_t nonce, int descriptor) noexcept
{
    return nonce << 32 | static_cast<std::uint32_t>(descriptor);
}

}  // namespace tutti::transport::shm
