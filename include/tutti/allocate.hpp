// Memory that the other ranks of the node can read: messages of 1 KiB and more out of it (where ranks share
// cores, large ones) wait for their receiver. It copies them without the kernel; a waiting sender helps it.
#pragma once

#include <cstddef>
#include <vector>

namespace tutti {

/// `bytes` of memory, aligned to a cache line, zero-filled when it was never used before. Works before,
/// during and after the Environment, in any thread. Where shared memory cannot be had it is ordinary memory,
/// and messages out of it travel as any others do. A forked child shares it with its parent. Throws
/// tutti::Error (out_of_memory).
void* allocate(std::size_t bytes);

/// Gives back what allocate() returned, or does nothing with nullptr. No send out of it may be under way.
void deallocate(void* memory) noexcept;

/// For standard containers: `std::vector<float, tutti::Allocator<float>>`.
template <class T>
class Allocator {
public:
    using value_type = T;

    Allocator() noexcept = default;
    template <class U>
    Allocator(const Allocator<U>&) noexcept
    {
    }

    T* allocate(std::size_t count)
    {
        static_assert(alignof(T) <= 64, "tutti: this type wants more than a cache line's alignment");
        return static_cast<T*>(tutti::allocate(count * sizeof(T)));
    }
    void deallocate(T* memory, std::size_t) noexcept { tutti::deallocate(memory); }

    friend bool operator==(const Allocator&, const Allocator&) noexcept { return true; }
};

/// A vector that peers can read.
template <class T>
using shared_vector = std::vector<T, Allocator<T>>;

}  // namespace tutti
