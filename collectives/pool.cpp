#include "collectives/pool.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <new>

#include "tutti/error.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace tutti::collectives::pool {

namespace {

// Size classes are powers of two. A class of large blocks costs nothing that is not touched: the heap maps
// fresh pages for it.
constexpr std::size_t kAlignment = 64;
constexpr int kSmallestLog2 = 6;
constexpr int kLargestLog2 = 24;
constexpr int kClasses = kLargestLog2 - kSmallestLog2 + 1;
// A thread that only frees what others allocate must not hoard. Frames have a bound of their own, so that
// large scratch blocks never crowd them out.
constexpr int kLargestFrameLog2 = 12;
constexpr std::size_t kMaxFrameBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxScratchBytes = std::size_t{32} << 20;

struct FreeBlock {
    FreeBlock* next;
};

// Trivially destructible on purpose: frames may be freed by destructors of static objects, which run after
// those of thread-local objects. `closed` then sends them to the heap.
struct Cache {
    std::array<FreeBlock*, kClasses> free;
    std::size_t frame_bytes;
    std::size_t scratch_bytes;
    bool guarded;
    bool closed;
};
// Every blocking collective comes here twice: found without a call, from the room that the loader keeps for
// libraries that are loaded late.
[[gnu::tls_model("initial-exec")]] constinit thread_local Cache cache{};

// In ASan builds a cached block is poisoned, so that use after free is seen in spite of the pool.
void poison([[maybe_unused]] void* block, [[maybe_unused]] std::size_t size_bytes)
{
#if defined(__SANITIZE_ADDRESS__)
    __asan_poison_memory_region(block, size_bytes);
#endif
}

void unpoison([[maybe_unused]] void* block, [[maybe_unused]] std::size_t size_bytes)
{
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(block, size_bytes);
#endif
}

constexpr int class_of(std::size_t size_bytes)
{
    const int log2 = size_bytes <= 1 ? 0 : std::bit_width(size_bytes - 1);
    return log2 <= kSmallestLog2 ? 0 : log2 - kSmallestLog2;
}

constexpr std::size_t class_bytes(int size_class)
{
    return std::size_t{1} << (size_class + kSmallestLog2);
}

bool is_frame(int size_class)
{
    return size_class + kSmallestLog2 <= kLargestFrameLog2;
}

std::size_t& cached_bytes_of(int size_class)
{
    return is_frame(size_class) ? cache.frame_bytes : cache.scratch_bytes;
}

bool has_room(int size_class)
{
    const std::size_t limit_bytes = is_frame(size_class) ? kMaxFrameBytes : kMaxScratchBytes;
    return cached_bytes_of(size_class) + class_bytes(size_class) <= limit_bytes;
}

void to_heap(void* block)
{
    ::operator delete (block, std::align_val_t{kAlignment});
}

// Empties the cache when its thread ends. Registered with the first block that is kept.
struct Guard {
    ~Guard()
    {
        cache.closed = true;
        for (int size_class = 0; size_class < kClasses; ++size_class) {
            FreeBlock*& head = cache.free[static_cast<std::size_t>(size_class)];
            while (head != nullptr) {
                unpoison(head, class_bytes(size_class));
                FreeBlock* next = head->next;
                to_heap(head);
                head = next;
            }
        }
        cache.frame_bytes = 0;
        cache.scratch_bytes = 0;
    }
};

void register_guard()
{
    static thread_local Guard guard;
    [[maybe_unused]] Guard* const registered = &guard;
    cache.guarded = true;
}

}  // namespace

void* allocate(std::size_t size_bytes)
{
    const int size_class = class_of(size_bytes);
    if (size_class >= kClasses) {
        return ::operator new (size_bytes, std::align_val_t{kAlignment});
    }
    FreeBlock*& head = cache.free[static_cast<std::size_t>(size_class)];
    if (head == nullptr) {
        return ::operator new (class_bytes(size_class), std::align_val_t{kAlignment});
    }
    FreeBlock* const block = head;
    unpoison(block, class_bytes(size_class));
    head = block->next;
    cached_bytes_of(size_class) -= class_bytes(size_class);
    return block;
}

void release(void* block, std::size_t size_bytes) noexcept
{
    const int size_class = class_of(size_bytes);
    if (size_class >= kClasses || cache.closed || !has_room(size_class)) {
        to_heap(block);
        return;
    }
    if (!cache.guarded) [[unlikely]] {
        register_guard();
    }
    FreeBlock*& head = cache.free[static_cast<std::size_t>(size_class)];
    head = new (block) FreeBlock{head};
    cached_bytes_of(size_class) += class_bytes(size_class);
    poison(block, class_bytes(size_class));
}

std::size_t cached_bytes() noexcept
{
    return cache.frame_bytes + cache.scratch_bytes;
}

}  // namespace tutti::collectives::pool

namespace tutti::collectives {

Scratch::Scratch(std::size_t size_bytes) : size_bytes_(size_bytes)
{
    try {
        data_ = static_cast<std::byte*>(pool::allocate(size_bytes));
    } catch (const std::bad_alloc&) {
        throw Error(
            ErrorCode::out_of_memory, "collective",
            fmt::format("the algorithm needs {} bytes of working memory beside the buffers, and there "
                        "is no more; call it for a part of the data at a time, or name an algorithm "
                        "that needs none (tutti-info --explain)",
                        size_bytes));
    }
}

}  // namespace tutti::collectives
