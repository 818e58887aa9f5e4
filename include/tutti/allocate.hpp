// Memory that the other ranks of the node can read. Messages of 1 KiB and more (large ones where ranks share
// cores) wait in it for their receiver, which copies them without the kernel; a waiting sender helps.
#pragma once

#include <cstddef>
#include <vector>

#include "tutti/standard.hpp"

namespace tutti {

/// Returns `bytes` of memory, aligned to a cache line, with any contents. Works before, during and after the
/// Environment, in any thread. Without shared memory it returns ordinary memory, whose messages travel as any
/// others. Throws tutti::Error (out_of_memory).
///
/// A forked child has a copy: it can read what its parent has written, and what it writes itself stays with
/// it. What the parent writes after the fork may show or not.
void* allocate(std::size_t bytes);

/// Frees memory of allocate(); does nothing for nullptr. No send from it may be under way. Freed pages stay
/// for the next allocations, 16 MiB and a quarter of what is in use; the others go back to the system.
void deallocate(void* memory) noexcept;

/// For standard containers: `std::vector<float, tutti::Allocator<float>>`.
template <class T>
class Allocator {
public:
    using value_type = T;  // as containers ask for it

    Allocator() noexcept = default;
    /// All allocators are equal.
    template <class U>
    Allocator(const Allocator<U>&) noexcept
    {
    }

    /// Memory for `count` objects. Throws as tutti::allocate.
    T* allocate(std::size_t count)
    {
        static_assert(alignof(T) <= 64, "tutti: this type needs a larger alignment than a cache line");
        return static_cast<T*>(tutti::allocate(count * sizeof(T)));
    }
    /// Frees it.
    void deallocate(T* memory, std::size_t) noexcept { tutti::deallocate(memory); }

    friend bool operator==(const Allocator&, const Allocator&) noexcept { return true; }
};

/// A vector that other ranks of the node can read.
template <class T>
using shared_vector = std::vector<T, Allocator<T>>;

}  // namespace tutti
