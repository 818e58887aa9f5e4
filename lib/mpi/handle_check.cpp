#include "lib/mpi/handle_check.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <string>

#include "lib/core/check/call_site.hpp"
#include "lib/core/check/options.hpp"
#include "lib/mpi/communicator.hpp"
#include "lib/mpi/datatype.hpp"
#include "lib/mpi/group.hpp"
#include "lib/mpi/window.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

namespace {

struct LiveHandle {
    const Object* object;  // nullptr: a persistent request
    check::Site site;
};

struct LiveHandles {
    std::mutex mutex;
    std::map<const void*, LiveHandle> all;
};

// Never destroyed: objects may be freed after main.
LiveHandles& live_handles()
{
    static LiveHandles& one = *new LiveHandles;
    return one;
}

// A wrong TUTTI_CHECK is told when MPI begins.
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
    LiveHandles& live = live_handles();
    const std::lock_guard lock(live.mutex);
    live.all[address] = {object, site};
} catch (const std::exception&) {
    // It is then not reported.
}

// What was never freed, and by which call it is; "" for objects that need no end.
std::string leak_in_words(const LiveHandle& handle)
{
    if (handle.object == nullptr)
        return "a persistent request was never freed; call MPI_Request_free";
    switch (handle.object->kind) {
        case Kind::communicator: {
            const auto& communicator = static_cast<const Communicator&>(*handle.object);
            return communicator.state == nullptr
                       ? "a communicator that MPI_Comm_idup makes was never completed; wait for its request"
                       : fmt::format("{} was never freed; call MPI_Comm_free", described(communicator));
        }
        case Kind::datatype: {
            const auto& type = static_cast<const Datatype&>(*handle.object);
            return type.permanent
                       ? ""
                       : fmt::format("the datatype {} of {} bytes was never freed; call MPI_Type_free",
                                     type.name.empty() ? "without a name" : type.name,
                                     type.map->size_bytes());
        }
        case Kind::group:
            return fmt::format("a group of {} ranks was never freed; call MPI_Group_free",
                               static_cast<const Group&>(*handle.object).size());
        case Kind::op:
            return "an operator was never freed; call MPI_Op_free";
        case Kind::message:
            return "a message that a matched probe has taken was never received; call MPI_Mrecv or "
                   "MPI_Imrecv";
        case Kind::window:
            return fmt::format("{} was never freed; call MPI_Win_free",
                               described(static_cast<const Window&>(*handle.object)));
        case Kind::error_handler:
        case Kind::info:
            break;
    }
    return "";
}

}  // namespace

void note_handle(const Object& object) noexcept
{
    // These may be freed after MPI_Finalize.
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
    LiveHandles& live = live_handles();
    const std::lock_guard lock(live.mutex);
    live.all.erase(address);
}

void report_handles(check::Checker& checker)
{
    LiveHandles& live = live_handles();
    const std::lock_guard lock(live.mutex);
    for (const auto& [address, handle] : live.all)
        if (const std::string words = leak_in_words(handle); !words.empty())
            checker.add(check::Kind::handle, handle.site, words);
}

}  // namespace tutti::mpi
