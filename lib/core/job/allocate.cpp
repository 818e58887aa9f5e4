#include "tutti/allocate.hpp"

#include "transports/shm/shared_heap.hpp"

namespace tutti {

void* allocate(std::size_t bytes)
{
    transport::shm::SharedHeap::lend();
    return transport::shm::SharedHeap::instance().allocate(bytes);
}

void deallocate(void* memory) noexcept
{
    transport::shm::SharedHeap::instance().deallocate(memory);
}

}  // namespace tutti
