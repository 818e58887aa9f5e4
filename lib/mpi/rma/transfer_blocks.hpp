// What operations on windows have in common: memory of origins and targets as the core takes it, and
// requests.
#pragma once

#include <cstddef>

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/rma/window_object.hpp"

namespace tutti::mpi {

/// The arguments of a call that name memory of the origin: its buffer, or its result.
struct OriginArguments {
    const void* address;
    MPI_Count count;
    MPI_Datatype datatype;
};
/// Those that name memory of a target, or of MPI_PROC_NULL.
struct TargetArguments {
    int rank;
    MPI_Aint displacement;
    MPI_Count count;
    MPI_Datatype datatype;
};

/// Memory as the core takes it.
template <class Block>
struct Part {
    Block block;
    std::size_t size_bytes;
    datatype::TypemapRef layout{};  // the block's, where it is not a datatype's
};
using OriginPart = Part<detail::OriginBlock>;
using TargetPart = Part<detail::TargetBlock>;

[[noreturn]] void refuse_displacement(MPI_Aint displacement);

/// Throws Failure for a negative displacement, unless displacements are addresses.
inline void check_displacement(const Window& window, MPI_Aint displacement)
{
    if (displacement < 0 && window.state->flavor() != detail::WindowFlavor::dynamic) [[unlikely]]
        refuse_displacement(displacement);
}

/// Throws Failure for a negative count, a handle that is no committed type's, or null pointers.
inline OriginPart part_of(const OriginArguments& origin)
{
    const detail::ConstView view = const_view_of(origin.address, origin.count, origin.datatype);
    return {{const_cast<std::byte*>(view.data),
             view.layout == nullptr ? view.size_bytes : static_cast<std::size_t>(origin.count), view.layout},
            view.size_bytes};
}

/// The rank is one of the window's. Throws Failure as for origins, and for a negative displacement.
inline TargetPart part_of(const Window& window, const TargetArguments& target)
{
    check_displacement(window, target.displacement);
    // Any address: only the view's form counts.
    static std::byte somewhere;
    const detail::ConstView view = const_view_of(&somewhere, target.count, target.datatype);
    if (view.layout == nullptr && view.data == &somewhere) [[likely]]
        return {{target.rank, target.displacement, view.size_bytes, nullptr}, view.size_bytes};
    return {{target.rank, target.displacement, static_cast<std::size_t>(target.count),
             datatype_of(target.datatype).map.get()},
            view.size_bytes};
}

/// The bytes of memory that a call names, where there is no memory: of an operation on MPI_PROC_NULL. Throws
/// Failure for a negative count or a handle that is no committed type's.
template <class Arguments>
std::size_t bytes_without_memory(const Arguments& arguments)
{
    static std::byte somewhere;
    return const_view_of(&somewhere, arguments.count, arguments.datatype).size_bytes;
}

/// Of the bytes that are moved.
struct Side {
    const char* name;
    std::size_t bytes;
};

[[noreturn]] void refuse_sizes(const Side& from, const Side& to);

/// Throws Failure unless what one side has fits into the other, which may have more room.
inline void check_fits(const Side& from, const Side& to)
{
    if (from.bytes > to.bytes) [[unlikely]]
        refuse_sizes(from, to);
}

/// The bytes from `begin` to `end` of the part's, in the order of transfer.
OriginPart cut(const OriginPart& part, std::size_t begin, std::size_t end);
TargetPart cut(const TargetPart& part, std::size_t begin, std::size_t end);

[[noreturn]] void refuse_request();
/// The handle of an operation that is under way.
MPI_Request begun_at_window(detail::RequestState& state);

/// An operation: what calls with a request, and those without one, have in common. operate(window, begun)
/// begins it; `begun` is as in the core. `request`: nullptr in calls without one, which `has_request` says.
///
/// Operations may not have requests in epochs of which targets are a part. One on MPI_PROC_NULL is no part of
/// the epoch.
template <class Operate>
[[gnu::always_inline]] inline int operation(const char* call, MPI_Win win, int target_rank, bool has_request,
                                            MPI_Request* request, Operate&& operate)
{
    return guard(
        call, win, [&]() __attribute__((always_inline)) {
            const Window& window = window_of(win);
            if (has_request) {
                check_not_null(request, "request");
                if (is_target(window, target_rank) && window.state->is_in_active_epoch()) [[unlikely]]
                    refuse_request();
            }
            if (!has_request)
                return operate(window, nullptr);
            detail::RequestState* begun = nullptr;
            operate(window, &begun);
            *request = begun == nullptr ? begun_request(nullptr) : begun_at_window(*begun);
        });
}

}  // namespace tutti::mpi
