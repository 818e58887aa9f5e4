// Memory for coroutine frames and scratch buffers: each thread keeps freed blocks for reuse.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <new>
#include <span>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace tutti::collectives::pool {

namespace detail {

// Size classes are powers of two.
inline constexpr int kSmallestLog2 = 6;
inline constexpr int kLargestLog2 = 24;
inline constexpr int kClasses = kLargestLog2 - kSmallestLog2 + 1;
inline constexpr int kFrameClasses = 12 - kSmallestLog2 + 1;
// A thread that only frees must not collect blocks without limit. Frames have a limit of their own, so that
// large scratch blocks never displace them.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{4} << 20;

constexpr int class_of(std::size_t size_bytes) noexcept
{
    const int log2 = size_bytes <= 1 ? 0 : std::bit_width(size_bytes - 1);
    return log2 <= kSmallestLog2 ? 0 : log2 - kSmallestLog2;
}

constexpr std::size_t class_bytes(int size_class) noexcept
{
    return std::size_t{1} << (size_class + kSmallestLog2);
}

struct FreeBlock {
    FreeBlock* next;
};

// Trivially destructible: destructors of static objects may free frames, and they run after those of
// thread-local objects. `keeps` is then false, and frames go to the heap.
struct Cache {
    std::array<FreeBlock*, kClasses> free;
    std::size_t frame_bytes;
    std::size_t scratch_bytes;
    bool keeps;  // from the first block that was freed until the thread ends

    // ASan builds poison cached blocks, so that use after free is detected in spite of the pool.
    void* pop(int size_class) noexcept
    {
        FreeBlock*& head = free[static_cast<std::size_t>(size_class)];
        FreeBlock* const block = head;
#if defined(__SANITIZE_ADDRESS__)
        __asan_unpoison_memory_region(block, class_bytes(size_class));
#endif
        head = block->next;
        return block;
    }
    void push(void* block, int size_class) noexcept
    {
        FreeBlock*& head = free[static_cast<std::size_t>(size_class)];
        head = new (block) FreeBlock{head};
#if defined(__SANITIZE_ADDRESS__)
        __asan_poison_memory_region(block, class_bytes(size_class));
#endif
    }
};
// Every blocking collective uses it twice: initial-exec finds it without a call, in the space that the loader
// reserves for libraries loaded late.
extern constinit thread_local Cache cache [[gnu::tls_model("initial-exec")]];

void* allocate_other(std::size_t size_bytes);
void release_other(void* block, std::size_t size_bytes) noexcept;

}  // namespace detail

/// At least `size_bytes` bytes (0 is allowed), aligned for any type and to a cache line. After blocks of the
/// size have been freed on this thread it takes no lock and calls no malloc, except for the largest. Throws
/// std::bad_alloc.
inline void* allocate(std::size_t size_bytes)
{
    const int size_class = detail::class_of(size_bytes);
    if (size_class >= detail::kFrameClasses ||
        detail::cache.free[static_cast<std::size_t>(size_class)] == nullptr)
        return detail::allocate_other(size_bytes);
    detail::cache.frame_bytes -= detail::class_bytes(size_class);
    return detail::cache.pop(size_class);
}

/// Releases a block of allocate() with the same `size_bytes`. Any thread may call it: the block then belongs
/// to that thread's pool. A pool has a limit; further blocks go back to the heap.
inline void release(void* block, std::size_t size_bytes) noexcept
{
    const int size_class = detail::class_of(size_bytes);
    if (size_class >= detail::kFrameClasses || !detail::cache.keeps ||
        detail::cache.frame_bytes >= detail::kMaxFrameBytes) {
        detail::release_other(block, size_bytes);
        return;
    }
    detail::cache.frame_bytes += detail::class_bytes(size_class);
    detail::cache.push(block, size_class);
}

/// The source of scratch memory of kMappedFromBytes and more, except blocks too large to be kept for reuse.
/// Default: the C library.
struct LargeBlocks {
    void* (*allocate)(std::size_t size_bytes) noexcept;  // aligned to a cache line; nullptr: out of memory
    void (*release)(void* block) noexcept;               // also for blocks of the C library's aligned_alloc
};
inline constexpr std::size_t kMappedFromBytes = std::size_t{16} << 10;
/// For memory that peers can map, so that they read scratch memory in place. `blocks` is never destroyed. Any
/// thread.
void set_large_blocks(const LargeBlocks& blocks) noexcept;
/// The scratch block of at least kMappedFromBytes that contains `data` is never used again after its release,
/// because peers may still read it after a failed call. Returns false if there is no memory for the record.
/// Any thread.
bool retire(const std::byte* data) noexcept;

/// Bytes that this thread keeps for reuse.
std::size_t cached_bytes() noexcept;

/// For containers: allocates from the pool.
template <class T>
struct Allocator {
    using value_type = T;

    Allocator() noexcept = default;
    template <class U>
    Allocator(const Allocator<U>&) noexcept
    {
    }
    T* allocate(std::size_t count) { return static_cast<T*>(pool::allocate(count * sizeof(T))); }
    void deallocate(T* block, std::size_t count) noexcept { pool::release(block, count * sizeof(T)); }
    bool operator==(const Allocator&) const noexcept = default;
};

}  // namespace tutti::collectives::pool

namespace tutti::collectives {

/// Working memory of an algorithm, uninitialised, aligned to a cache line, released on destruction. Throws
/// tutti::Error (out_of_memory).
class Scratch {
public:
    Scratch() noexcept = default;
    explicit Scratch(std::size_t size_bytes);
    Scratch(Scratch&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0))
    {
    }
    Scratch& operator=(Scratch&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_bytes_, other.size_bytes_);
        return *this;
    }
    ~Scratch()
    {
        if (data_ != nullptr)
            pool::release(data_, size_bytes_);
    }

    std::byte* data() const noexcept { return data_; }
    std::span<std::byte> bytes() const noexcept { return {data_, size_bytes_}; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_bytes_ = 0;
};

/// The size of this thread's last failed Scratch, returned once; 0: none. For handlers of the exception's
/// consequences.
std::size_t take_refused_bytes() noexcept;

}  // namespace tutti::collectives
