// The process's heap: blocks in one memory file that peers can map.
//
// Lock order: none; one lock guards Blocks, and nothing else is called under it but the system.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lib/heap/segment.hpp"
#include "lib/heap/sizes.hpp"
#include "lib/heap/thread_cache.hpp"

namespace tutti::heap {

namespace detail {
// Written once; `bytes` last, by a release that pairs with the acquires below. 0 while the heap is off.
struct Range {
    std::uintptr_t base = 0;
    std::atomic<std::size_t> bytes{0};
};
extern constinit Range range;
// False while the heap is off, and in children.
extern constinit std::atomic<bool> is_serving;
}  // namespace detail

/// Starts the heap at the first call. nullptr when it is off, or the system has no memory file or addresses
/// for it.
const TuttiHeapSegment* open() noexcept;

inline bool is_open() noexcept
{
    return detail::range.bytes.load(std::memory_order_acquire) != 0;
}

inline bool is_serving() noexcept
{
    return detail::is_serving.load(std::memory_order_acquire);
}

inline bool owns(const void* data) noexcept
{
    const std::size_t bytes = detail::range.bytes.load(std::memory_order_acquire);
    return reinterpret_cast<std::uintptr_t>(data) - detail::range.base < bytes;
}

inline bool serves(std::size_t bytes) noexcept
{
    return bytes - kLeastBytes <= kMostBytes - kLeastBytes && is_serving();
}

/// A block of a size that serves() accepts, aligned to `alignment`, at most kMostAlignment. nullptr when the
/// heap is full: then the C library has more. These leave errno as it is.
void* allocate(std::size_t bytes) noexcept;
void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept;
void* allocate_zeroed(std::size_t bytes) noexcept;

/// The next three take blocks that the heap owns.
void release(void* data) noexcept;
std::size_t usable_bytes(void* data) noexcept;
/// Resizes in place. False when that cannot be, or when the C library serves such a size.
bool resize(void* data, std::size_t bytes) noexcept;

/// Gives back all blocks of the cache.
void give_back_all(ThreadCache& cache) noexcept;

}  // namespace tutti::heap
