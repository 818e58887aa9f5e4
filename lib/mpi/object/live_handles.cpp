#include "lib/mpi/object/live_handles.hpp"

#include <map>
#include <mutex>

#include "lib/core/process/check_options.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

namespace {

struct NotedHandles {
    std::mutex mutex;
    std::map<const void*, LiveHandle> all;
};

// Never destroyed: objects may be freed after main.
NotedHandles& noted_handles()
{
    static NotedHandles& one = *new NotedHandles;
    return one;
}

// MPI_Init reports a wrong TUTTI_CHECK.
bool is_on() noexcept
{
    static const bool on = [] {
        try {
            return check::options().handles;
        } catch (const Error&) {
            return false;
        }
    }();
    return on;
}

void note(const void* address, const Object* object) noexcept
try {
    if (!is_on())
        return;
    const check::Site site = check::call_site();
    NotedHandles& noted = noted_handles();
    const std::lock_guard lock(noted.mutex);
    noted.all[address] = {object, site};
} catch (const std::exception&) {
    // Without memory the handle is not reported.
}

}  // namespace

void note_handle(const Object& object) noexcept
{
    // Error handlers and info objects may be freed after MPI_Finalize.
    if (object.kind != Kind::error_handler && object.kind != Kind::info)
        note(&object, &object);
}

void note_persistent(const void* request) noexcept
{
    note(request, nullptr);
}

void forget_handle(const void* address) noexcept
{
    if (!is_on())
        return;
    NotedHandles& noted = noted_handles();
    const std::lock_guard lock(noted.mutex);
    noted.all.erase(address);
}

std::vector<LiveHandle> live_handles()
{
    NotedHandles& noted = noted_handles();
    const std::lock_guard lock(noted.mutex);
    std::vector<LiveHandle> live;
    for (const auto& [address, handle] : noted.all)
        live.push_back(handle);
    return live;
}

}  // namespace tutti::mpi
