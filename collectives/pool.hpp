// Memory for coroutine frames and scratch buffers: freed blocks are kept per thread and handed out again.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace tutti::collectives::pool {

/// At least `size_bytes` bytes (0 is allowed), aligned for any type and to a cache line. Takes no lock and,
/// once blocks of the size have been freed on this thread, calls no malloc. Throws std::bad_alloc.
void* allocate(std::size_t size_bytes);

/// Gives back a block of allocate(); `size_bytes` as then. Any thread may: the block then belongs to the pool
/// of the thread that freed it. What a thread keeps is bounded, the rest goes back to the heap.
void release(void* block, std::size_t size_bytes) noexcept;

/// Bytes that this thread keeps for reuse.
std::size_t cached_bytes() noexcept;

/// For containers: their memory comes from the pool.
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

/// Working memory of an algorithm, uninitialised, aligned to a cache line, given back on destruction. Throws
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
        if (data_ != nullptr) {
            pool::release(data_, size_bytes_);
        }
    }

    std::byte* data() const noexcept { return data_; }
    std::span<std::byte> bytes() const noexcept { return {data_, size_bytes_}; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_bytes_ = 0;
};

}  // namespace tutti::collectives
