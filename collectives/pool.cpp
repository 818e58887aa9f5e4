#include "collectives/pool.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <utility>

#include "tutti/error.hpp"

namespace tutti::collectives::pool {

namespace detail {

constinit thread_local Cache cache{};

}  // namespace detail

namespace {

using namespace detail;

constexpr std::size_t kAlignment = 64;

constexpr LargeBlocks kFromLibrary = {[](std::size_t size_bytes) noexcept {
                                          const std::size_t lines = size_bytes / kAlignment + 1;
                                          return lines < std::numeric_limits<std::size_t>::max() / kAlignment
                                                     ? std::aligned_alloc(kAlignment, lines * kAlignment)
                                                     : nullptr;
                                      },
                                      [](void* block) noexcept { std::free(block); }};
// Release by who sets it, acquire by who calls it.
constinit std::atomic<const LargeBlocks*> large_blocks{&kFromLibrary};

void* new_block(std::size_t size_bytes)
{
    if (size_bytes < kMappedFromBytes)
        return ::operator new (size_bytes, std::align_val_t{kAlignment});
    void* block = large_blocks.load(std::memory_order_acquire)->allocate(size_bytes);
    if (block == nullptr)
        block = kFromLibrary.allocate(size_bytes);
    return block != nullptr ? block : throw std::bad_alloc();
}

void delete_block(void* block, std::size_t size_bytes) noexcept
{
    if (size_bytes < kMappedFromBytes)
        ::operator delete (block, std::align_val_t{kAlignment});
    else
        large_blocks.load(std::memory_order_acquire)->release(block);
}

constexpr std::size_t kMaxScratchBytes = std::size_t{32} << 20;

// Empties the cache when its thread ends. Registered with the first block that is freed.
struct Guard {
    Guard() noexcept { cache.keeps = true; }
    ~Guard()
    {
        cache.keeps = false;
        for (int size_class = 0; size_class < kClasses; ++size_class) {
            while (cache.free[static_cast<std::size_t>(size_class)] != nullptr)
                delete_block(cache.pop(size_class), class_bytes(size_class));
        }
        cache.frame_bytes = 0;
        cache.scratch_bytes = 0;
    }
};

// False when it has been there and is gone.
bool has_guard()
{
    static thread_local Guard guard;
    [[maybe_unused]] Guard* const registered = &guard;
    return cache.keeps;
}

std::size_t& cached_bytes_of(int size_class)
{
    return size_class < kFrameClasses ? cache.frame_bytes : cache.scratch_bytes;
}

bool has_room(int size_class)
{
    return size_class < kFrameClasses ? cache.frame_bytes < kMaxFrameBytes
                                      : cache.scratch_bytes + class_bytes(size_class) <= kMaxScratchBytes;
}

}  // namespace

// Frames where none of the size is cached, and scratch memory.
void* detail::allocate_other(std::size_t size_bytes)
{
    const int size_class = class_of(size_bytes);
    if (size_class >= kClasses)
        return new_block(size_bytes);
    if (cache.free[static_cast<std::size_t>(size_class)] == nullptr)
        return new_block(class_bytes(size_class));
    cached_bytes_of(size_class) -= class_bytes(size_class);
    return cache.pop(size_class);
}

void detail::release_other(void* block, std::size_t size_bytes) noexcept
{
    const int size_class = class_of(size_bytes);
    if (size_class >= kClasses) {
        delete_block(block, size_bytes);
        return;
    }
    if (!has_guard() || !has_room(size_class)) {
        delete_block(block, class_bytes(size_class));
        return;
    }
    cached_bytes_of(size_class) += class_bytes(size_class);
    cache.push(block, size_class);
}

void set_large_blocks(const LargeBlocks& blocks) noexcept
{
    large_blocks.store(&blocks, std::memory_order_release);
}

std::size_t cached_bytes() noexcept
{
    return cache.frame_bytes + cache.scratch_bytes;
}

}  // namespace tutti::collectives::pool

namespace tutti::collectives {

namespace {
thread_local std::size_t refused_bytes = 0;
}

std::size_t take_refused_bytes() noexcept
{
    return std::exchange(refused_bytes, 0);
}

Scratch::Scratch(std::size_t size_bytes) : size_bytes_(size_bytes)
{
    try {
        data_ = static_cast<std::byte*>(pool::allocate(size_bytes));
    } catch (const std::bad_alloc&) {
        refused_bytes = size_bytes;
        throw Error(
            ErrorCode::out_of_memory, "collective",
            fmt::format("the algorithm needs {} bytes of working memory beside the buffers, and there "
                        "is no more; call it for a part of the data at a time, or name an algorithm "
                        "that needs none (tutti-info --explain)",
                        size_bytes));
    }
}

}  // namespace tutti::collectives
