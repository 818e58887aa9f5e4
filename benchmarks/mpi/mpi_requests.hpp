// MPI's handles of operations, and what each library calls the persistent collectives.
#pragma once

#include <mpi.h>

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif

#include <type_traits>
#include <utility>

#include "benchmarks/suite/library/described_call.hpp"

namespace tutti::bench {

struct MpiRequest {
    MPI_Request handle = MPI_REQUEST_NULL;
};

/// Owns an MPI request that is started again and again; inactive when destroyed.
struct MpiPersistent {
    MpiPersistent() = default;
    MpiPersistent(MpiPersistent&& other) noexcept : handle(std::exchange(other.handle, MPI_REQUEST_NULL)) {}
    MpiPersistent& operator=(MpiPersistent&& other) noexcept
    {
        std::swap(handle, other.handle);
        return *this;
    }
    ~MpiPersistent()
    {
        if (handle != MPI_REQUEST_NULL)
            MPI_Request_free(&handle);
    }

    MPI_Request handle = MPI_REQUEST_NULL;
};

// MPI takes an array of either as an array of handles.
static_assert(std::is_standard_layout_v<MpiRequest> && sizeof(MpiRequest) == sizeof(MPI_Request));
static_assert(std::is_standard_layout_v<MpiPersistent> && sizeof(MpiPersistent) == sizeof(MPI_Request));

namespace mpi_init {

#if MPI_VERSION >= 4
inline constexpr auto allgather = MPI_Allgather_init;
inline constexpr auto allgatherv = MPI_Allgatherv_init;
inline constexpr auto allreduce = MPI_Allreduce_init;
inline constexpr auto alltoall = MPI_Alltoall_init;
inline constexpr auto alltoallv = MPI_Alltoallv_init;
inline constexpr auto barrier = MPI_Barrier_init;
inline constexpr auto bcast = MPI_Bcast_init;
inline constexpr auto exscan = MPI_Exscan_init;
inline constexpr auto gather = MPI_Gather_init;
inline constexpr auto gatherv = MPI_Gatherv_init;
inline constexpr auto neighbor_allgather = MPI_Neighbor_allgather_init;
inline constexpr auto neighbor_allgatherv = MPI_Neighbor_allgatherv_init;
inline constexpr auto neighbor_alltoall = MPI_Neighbor_alltoall_init;
inline constexpr auto neighbor_alltoallv = MPI_Neighbor_alltoallv_init;
inline constexpr auto reduce = MPI_Reduce_init;
inline constexpr auto reduce_scatter = MPI_Reduce_scatter_init;
inline constexpr auto reduce_scatter_block = MPI_Reduce_scatter_block_init;
inline constexpr auto scan = MPI_Scan_init;
inline constexpr auto scatter = MPI_Scatter_init;
inline constexpr auto scatterv = MPI_Scatterv_init;
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
// Open MPI 4 has those of MPI 4.0 as an extension.
inline constexpr auto allgather = MPIX_Allgather_init;
inline constexpr auto allgatherv = MPIX_Allgatherv_init;
inline constexpr auto allreduce = MPIX_Allreduce_init;
inline constexpr auto alltoall = MPIX_Alltoall_init;
inline constexpr auto alltoallv = MPIX_Alltoallv_init;
inline constexpr auto barrier = MPIX_Barrier_init;
inline constexpr auto bcast = MPIX_Bcast_init;
inline constexpr auto exscan = MPIX_Exscan_init;
inline constexpr auto gather = MPIX_Gather_init;
inline constexpr auto gatherv = MPIX_Gatherv_init;
inline constexpr auto neighbor_allgather = MPIX_Neighbor_allgather_init;
inline constexpr auto neighbor_allgatherv = MPIX_Neighbor_allgatherv_init;
inline constexpr auto neighbor_alltoall = MPIX_Neighbor_alltoall_init;
inline constexpr auto neighbor_alltoallv = MPIX_Neighbor_alltoallv_init;
inline constexpr auto reduce = MPIX_Reduce_init;
inline constexpr auto reduce_scatter = MPIX_Reduce_scatter_init;
inline constexpr auto reduce_scatter_block = MPIX_Reduce_scatter_block_init;
inline constexpr auto scan = MPIX_Scan_init;
inline constexpr auto scatter = MPIX_Scatter_init;
inline constexpr auto scatterv = MPIX_Scatterv_init;
#else
struct Missing {
    template <class... Arguments>
    int operator()(Arguments...) const
    {
        throw NotOffered("persistent collectives (they are of MPI 4.0)");
    }
};
inline constexpr auto allgather = Missing{};
inline constexpr auto allgatherv = Missing{};
inline constexpr auto allreduce = Missing{};
inline constexpr auto alltoall = Missing{};
inline constexpr auto alltoallv = Missing{};
inline constexpr auto barrier = Missing{};
inline constexpr auto bcast = Missing{};
inline constexpr auto exscan = Missing{};
inline constexpr auto gather = Missing{};
inline constexpr auto gatherv = Missing{};
inline constexpr auto neighbor_allgather = Missing{};
inline constexpr auto neighbor_allgatherv = Missing{};
inline constexpr auto neighbor_alltoall = Missing{};
inline constexpr auto neighbor_alltoallv = Missing{};
inline constexpr auto reduce = Missing{};
inline constexpr auto reduce_scatter = Missing{};
inline constexpr auto reduce_scatter_block = Missing{};
inline constexpr auto scan = Missing{};
inline constexpr auto scatter = Missing{};
inline constexpr auto scatterv = Missing{};
#endif

}  // namespace mpi_init

}  // namespace tutti::bench
