#include "lib/mpi/environment/unfreed_handles.hpp"

#include <fmt/format.h>

#include <string>

#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/file/file_object.hpp"
#include "lib/mpi/group/group_object.hpp"
#include "lib/mpi/object/live_handles.hpp"
#include "lib/mpi/rma/window_object.hpp"

namespace tutti::mpi {

namespace {

// Says what was never freed, and which call frees it; "" for objects that need no end.
std::string leak_in_words(const LiveHandle& handle)
{
    if (handle.object == nullptr)
        return "a persistent request was never freed; call MPI_Request_free";
    switch (handle.object->kind) {
        case Kind::communicator: {
            const auto& communicator = static_cast<const Communicator&>(*handle.object);
            return communicator.state == nullptr
                       ? "a communicator that MPI_Comm_idup makes was never completed; wait for its request"
                       : fmt::format("{} was never freed; call MPI_Comm_free",
                                     described(handle_of(communicator)));
        }
        case Kind::datatype: {
            const auto& type = static_cast<const Datatype&>(*handle.object);
            return type.permanent
                       ? ""
                       : fmt::format("the datatype {} of {} bytes was never freed; call MPI_Type_free",
                                     type.name.empty() ? "without a name" : type.name,
                                     type.map->size_bytes());
        }
        case Kind::file:
            return fmt::format("the file {} was never closed; call MPI_File_close",
                               described(handle_of(static_cast<const File&>(*handle.object))));
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
                               described(handle_of(static_cast<const Window&>(*handle.object))));
        case Kind::error_handler:
        case Kind::info:
            break;
    }
    return "";
}

}  // namespace

void report_unfreed_handles(check::Checker& checker)
{
    for (const LiveHandle& handle : live_handles())
        if (const std::string words = leak_in_words(handle); !words.empty())
            checker.add(check::Kind::handle, handle.site, words);
}

}  // namespace tutti::mpi
