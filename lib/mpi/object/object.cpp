#include "lib/mpi/object/object.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <mutex>

namespace tutti::mpi {

namespace {

/// Freed memory by size, the oldest in front.
struct FreedObjects {
    static constexpr std::size_t kKept = 64;  // of a size, before one is used again

    std::mutex mutex;
    std::map<std::size_t, std::deque<void*>> by_size;
};

// Never destroyed: objects may be freed after main.
FreedObjects& freed_objects()
{
    static FreedObjects& all = *new FreedObjects;
    return all;
}

}  // namespace

void* Object::operator new(std::size_t bytes)
{
    FreedObjects& freed = freed_objects();
    const std::lock_guard lock(freed.mutex);
    std::deque<void*>& memory = freed.by_size[bytes];
    if (memory.size() < FreedObjects::kKept)
        return ::operator new(bytes);
    void* const oldest = memory.front();
    memory.pop_front();
    return oldest;
}

void Object::operator delete(void* memory, std::size_t bytes) noexcept
{
    std::memset(memory, 0, sizeof(Object));  // no handle leads here
    FreedObjects& freed = freed_objects();
    const std::lock_guard lock(freed.mutex);
    freed.by_size[bytes].push_back(memory);
}

}  // namespace tutti::mpi
