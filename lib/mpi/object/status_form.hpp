// The status of MPI: behind source, tag and error the size in bytes and whether the operation was cancelled.
#pragma once

#include <cstdint>
#include <cstring>

#include "lib/mpi/object/abi.hpp"
#include "tutti/status.hpp"

namespace tutti::mpi {

static_assert(any_source == MPI_ANY_SOURCE && any_tag == MPI_ANY_TAG && null_rank == MPI_PROC_NULL);

inline constexpr int kCancelled = 2;  // the word behind the size

inline std::uint64_t size_of(const MPI_Status& status) noexcept
{
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, status.MPI_internal, sizeof bytes);
    return bytes;
}
inline void set_size(MPI_Status& status, std::uint64_t bytes) noexcept
{
    std::memcpy(status.MPI_internal, &bytes, sizeof bytes);
}

/// All but MPI_ERROR, which only calls for several requests set. `to` may be MPI_STATUS_IGNORE.
inline void fill(MPI_Status* to, const Status& from) noexcept
{
    if (to == nullptr)
        return;
    to->MPI_SOURCE = from.source;
    to->MPI_TAG = from.tag;
    set_size(*to, from.size_bytes);
    to->MPI_internal[kCancelled] = from.cancelled ? 1 : 0;
}
/// The status where there was no operation.
inline void fill_empty(MPI_Status* to) noexcept
{
    if (to == nullptr)
        return;
    fill(to, {.source = any_source, .tag = any_tag});
    to->MPI_ERROR = MPI_SUCCESS;
}

}  // namespace tutti::mpi
