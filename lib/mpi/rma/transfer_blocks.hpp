// Memory of origins and of targets, as the core's windows take it.
#pragma once

#include <cstddef>

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/rma/window.hpp"

namespace tutti::mpi {

/// Memory of the caller.
struct OriginPart {
    detail::OriginBlock block;
    std::size_t size_bytes;
    datatype::TypemapRef layout{};  // the block's, where it is not a datatype's
};
struct TargetPart {
    detail::TargetBlock block;
    std::size_t size_bytes;
    datatype::TypemapRef layout{};
};

[[noreturn]] void refuse_displacement(MPI_Aint displacement);

// Both throw Failure for a negative count, a handle that is no committed type's, or null pointers.

inline OriginPart origin_part(const void* address, MPI_Count count, MPI_Datatype datatype)
{
    const detail::ConstView view = const_view_of(address, count, datatype);
    return {{const_cast<std::byte*>(view.data),
             view.layout == nullptr ? view.size_bytes : static_cast<std::size_t>(count), view.layout},
            view.size_bytes};
}

/// `rank` is one of the window's. Throws Failure for a negative displacement, too.
inline TargetPart target_part(const Window& window, int rank, MPI_Aint displacement, MPI_Count count,
                              MPI_Datatype datatype)
{
    if (displacement < 0 && window.state->flavor() != detail::WindowFlavor::dynamic) [[unlikely]]
        refuse_displacement(displacement);
    // Any address: only the view's form counts.
    static std::byte somewhere;
    const detail::ConstView view = const_view_of(&somewhere, count, datatype);
    if (view.layout == nullptr && view.data == &somewhere) [[likely]]
        return {{rank, displacement, view.size_bytes, nullptr}, view.size_bytes};
    return {{rank, displacement, static_cast<std::size_t>(count), datatype_of(datatype).map.get()},
            view.size_bytes};
}

/// The bytes of a part of an operation on nobody, which has no buffers. Throws Failure for a negative count
/// or a handle that is no committed type's.
inline std::size_t bytes_of_nobody(MPI_Count count, MPI_Datatype datatype)
{
    static std::byte somewhere;
    return const_view_of(&somewhere, count, datatype).size_bytes;
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

/// A part of a block, with the layout that it has.
template <class Block>
struct Cut {
    Block block;
    datatype::TypemapRef layout{};  // none: the bytes are in a row
};

/// The bytes from `begin` to `end` of the block's, in the order of transfer.
Cut<detail::OriginBlock> cut(const detail::OriginBlock& block, std::size_t begin, std::size_t end);
Cut<detail::TargetBlock> cut(const detail::TargetBlock& block, std::size_t begin, std::size_t end);

[[noreturn]] void refuse_request();

/// Throws Failure where operations may not have requests: in epochs of which targets are a part. One on no
/// target is done at once, and no part of the epoch.
inline void check_may_have_request(const Window& window, int target_rank)
{
    if (is_target(window, target_rank) && window.state->is_in_active_epoch()) [[unlikely]]
        refuse_request();
}

/// The handle of an operation of a window; nullptr: it is done.
MPI_Request begun_on_window(const Window& window, detail::RequestState* state);

}  // namespace tutti::mpi
