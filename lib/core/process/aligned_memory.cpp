#include "lib/core/process/aligned_memory.hpp"

#include <algorithm>

#include "transports/shm/shared_heap.hpp"
#include "tutti/allocate.hpp"

namespace tutti {

void* detail::allocate_aligned(std::size_t bytes, std::size_t alignment)
{
    using transport::shm::SharedHeap;
    SharedHeap::lend();
    return SharedHeap::instance().allocate(bytes, std::max(alignment, SharedHeap::kLine));
}

void* allocate(std::size_t bytes)
{
    return detail::allocate_aligned(bytes, 1);
}

void deallocate(void* memory) noexcept
{
    transport::shm::SharedHeap::instance().deallocate(memory);
}

}  // namespace tutti
