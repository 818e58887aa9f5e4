#include "collectives/framework/block_pool.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "lib/foundation/base/fork.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives::pool {

constinit thread_local detail::Cache detail::cache{};

namespace {

using namespace detail;

constexpr std::size_t kAlignment = 64;

constexpr LargeBlocks kFromLibrary = {
    [](std::size_t size_bytes) noexcept { return std::aligned_alloc(kAlignment, size_bytes); },
    [](void* block) noexcept { std::free(block); }};

// Stored with release, loaded with acquire before a call.
constinit std::atomic<const LargeBlocks*> large_blocks{&kFromLibrary};

struct Retired {
    std::mutex mutex;
    std::vector<const std::byte*> addresses;
};
// Never destroyed: static objects may release memory after its destructor would run.
Retired& retired()
{
    static Retired& all = *new Retired;
    return all;
}
// Relaxed: the thread that releases a block has retired it before, if any thread has.
constinit std::atomic<bool> any_retired{false};

constexpr bool is_large(std::size_t size_bytes) noexcept
{
    return size_bytes >= kMappedFromBytes && size_bytes <= class_bytes(kClasses - 1);
}

void* new_block(std::size_t size_bytes)
{
    if (!is_large(size_bytes))
        return ::operator new (size_bytes, std::align_val_t{kAlignment});
    void* block = large_blocks.load(std::memory_order_acquire)->allocate(size_bytes);
    if (block == nullptr)
        block = kFromLibrary.allocate(size_bytes);
    return block != nullptr ? block : throw std::bad_alloc();
}

void delete_block(void* block, std::size_t size_bytes) noexcept
{
    if (!is_large(size_bytes))
        ::operator delete (block, std::align_val_t{kAlignment});
    else
        large_blocks.load(std::memory_order_acquire)->release(block);
}

constexpr std::size_t kMaxScratchBytes = std::size_t{32} << 20;

// Whether a peer may still read the block; true only once.
bool is_retired(const void* block, std::size_t size_bytes) noexcept
{
    if (!any_retired.load(std::memory_order_relaxed)) [[likely]]
        return false;
    const auto* const begin = static_cast<const std::byte*>(block);
    const std::lock_guard held(retired().mutex);
    return std::erase_if(retired().addresses, [&](const std::byte* data) {
               return data >= begin && data < begin + size_bytes;
           }) != 0;
}

// Empties the cache when its thread ends. Registered with the first released block.
struct Guard {
    Guard() noexcept { cache.keeps = true; }
    ~Guard()
    {
        cache.keeps = false;
        for (int size_class = 0; size_class < kClasses; ++size_class) {
            // The parent still uses such blocks and their contents.
            if (is_large(class_bytes(size_class)) && base::is_forked_child())
                continue;
            while (cache.free[static_cast<std::size_t>(size_class)] != nullptr)
                delete_block(cache.pop(size_class), class_bytes(size_class));
        }
        cache.frame_bytes = 0;
        cache.scratch_bytes = 0;
    }
};

// False after the guard's destruction.
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

// For frames without a cached block, and for scratch memory.
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
    if (size_class >= class_of(kMappedFromBytes) && is_retired(block, size_bytes))
        return;
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

bool retire(const std::byte* data) noexcept
{
    try {
        const std::lock_guard held(retired().mutex);
        retired().addresses.push_back(data);
        any_retired.store(true, std::memory_order_relaxed);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
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
            fmt::format("the algorithm needs {} bytes of working memory beside the buffers, which are "
                        "not available; call it for a part of the data at a time, or name an algorithm "
                        "that needs none (tutti-info --explain)",
                        size_bytes));
    }
}

}  // namespace tutti::collectives
