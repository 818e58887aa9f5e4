// Handles and statuses of Open MPI's programs. A handle is the address of an object whose first word is the
// standard's handle: a predefined one, or the created object itself, whose first word is its address. Where
// Open MPI's library for Fortran looks into objects, they have its form: created_objects.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "lib/mpi/facade/openmpi/created_objects.hpp"
#include "lib/mpi/object/abi.hpp"
#include "numbers.hpp"

namespace tutti::mpi::facade {

/// Programs have copies of these in their own data: nothing behind the first word is used.
template <std::size_t kBytes>
struct PredefinedObject {
    std::uintptr_t standard;
    std::byte rest[kBytes - sizeof(std::uintptr_t)];
};

/// Of a kind of handle, as Fortran programs have it: -1 if they do not.
struct PredefinedHandle {
    std::uintptr_t standard;
    const std::uintptr_t* object;
    int fortran;
};

template <class T>
std::span<const PredefinedHandle> predefined() noexcept;

}  // namespace tutti::mpi::facade

extern "C" tutti::mpi::facade::PredefinedObject<256> ompi_request_null;
extern "C" tutti::mpi::facade::CommunicatorObject ompi_mpi_comm_world;

namespace tutti::mpi::facade {

template <class T>
using HandleOf = const std::uintptr_t*;

/// The standard's handle. An address below 4096 is none.
template <class T>
inline T in(const std::uintptr_t* handle) noexcept
{
    // What follows from a branch's guess need not wait for a load.
    if constexpr (std::is_same_v<T, MPI_Comm>)
        if (handle == &ompi_mpi_comm_world.standard) [[likely]]
            return MPI_COMM_WORLD;
    if constexpr (std::is_same_v<T, MPI_Request>)
        return handle == &ompi_request_null.standard
                   ? MPI_REQUEST_NULL
                   : reinterpret_cast<MPI_Request>(reinterpret_cast<std::uintptr_t>(handle));
    else
        return reinterpret_cast<T>(reinterpret_cast<std::uintptr_t>(handle) < 4096 ? 0 : *handle);
}

/// nullptr for a predefined handle that these programs do not know.
template <class T>
const std::uintptr_t* out_predefined(T handle) noexcept
{
    for (const PredefinedHandle& each : predefined<T>())
        if (each.standard == reinterpret_cast<std::uintptr_t>(handle))
            return each.object;
    return nullptr;
}

template <class T>
inline const std::uintptr_t* out(T handle)
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if constexpr (std::is_same_v<T, MPI_Request>)
        return value == reinterpret_cast<std::uintptr_t>(MPI_REQUEST_NULL)
                   ? &ompi_request_null.standard
                   : reinterpret_cast<const std::uintptr_t*>(value);
    else if constexpr (std::is_same_v<T, MPI_Op>)
        return value < 4096 ? out_predefined(handle) : &created_op(value).standard;
    else if constexpr (std::is_same_v<T, MPI_Group>)
        return value < 4096 ? out_predefined(handle) : &created_group(value).standard;
    else if constexpr (std::is_same_v<T, MPI_Comm>)
        return value < 4096 ? out_predefined(handle) : &created_communicator(value).standard;
    else if constexpr (std::is_same_v<T, MPI_Errhandler>)
        return value < 4096 ? out_predefined(handle) : &created_error_handler(value).standard;
    else
        return value < 4096 ? out_predefined(handle) : reinterpret_cast<const std::uintptr_t*>(value);
}

/// MPI_STATUS_IGNORE is that of the standard.
struct Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int cancelled;
    std::size_t bytes;
};

inline bool is_ignored(const Status* status) noexcept
{
    return status == nullptr;
}
inline std::uint64_t bytes_of(const Status& status) noexcept
{
    return status.bytes;
}
inline bool is_cancelled(const Status& status) noexcept
{
    return status.cancelled != 0;
}
inline void set_bytes(Status& status, std::uint64_t bytes, bool is_cancelled) noexcept
{
    status.bytes = bytes;
    status.cancelled = is_cancelled ? 1 : 0;
}

/// MPI_IN_PLACE and MPI_BOTTOM are those of the standard.
template <class T>
inline T* in_buffer(T* buffer) noexcept
{
    return buffer;
}
inline const int* in_weights(const int* weights) noexcept
{
    switch (reinterpret_cast<std::uintptr_t>(weights)) {
        case kWeights_UNWEIGHTED:
            return MPI_UNWEIGHTED;
        case kWeights_WEIGHTS_EMPTY:
            return MPI_WEIGHTS_EMPTY;
        default:
            return weights;
    }
}

}  // namespace tutti::mpi::facade
