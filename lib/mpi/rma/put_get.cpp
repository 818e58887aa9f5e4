// MPI_Put and MPI_Get, and their forms with a request.
#include <algorithm>

#include "lib/core/process/process.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/rma/transfer_blocks.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::RequestState;
using Transfer = void (detail::Window::*)(const detail::OriginBlock&, const detail::TargetBlock&,
                                          RequestState**);

void check_direction(Transfer function, std::size_t origin_bytes, std::size_t target_bytes)
{
    const Side origin{"origin", origin_bytes};
    const Side target{"target", target_bytes};
    const bool puts = function == &detail::Window::put;
    check_fits(puts ? origin : target, puts ? target : origin);
}

// One side has more room than the other one fills.
void transfer_less(const Window& window, Transfer function, const OriginPart& origin,
                   const TargetPart& target, RequestState** begun)
{
    check_direction(function, origin.size_bytes, target.size_bytes);
    const std::size_t bytes = std::min(origin.size_bytes, target.size_bytes);
    ((*window.state).*function)(cut(origin, 0, bytes).block, cut(target, 0, bytes).block, begun);
}

[[gnu::always_inline]] inline int transfer(const char* call, Transfer function,
                                           const OriginArguments& origin_given,
                                           const TargetArguments& target_given, MPI_Win win,
                                           bool has_request = false, MPI_Request* request = nullptr)
{
    return operation(
        call, win, target_given.rank, has_request,
        request, [&](const Window& window, RequestState** begun) __attribute__((always_inline)) {
            if (!is_target(window, target_given.rank)) [[unlikely]]
                return check_direction(function, bytes_without_memory(origin_given),
                                       bytes_without_memory(target_given));
            const OriginPart origin = part_of(origin_given);
            const TargetPart target = part_of(window, target_given);
            if (origin.size_bytes != target.size_bytes) [[unlikely]]
                return transfer_less(window, function, origin, target, begun);
            ((*window.state).*function)(origin.block, target.block, begun);
        });
}

}  // namespace

int put(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
        MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win)
{
    return transfer("MPI_Put", &detail::Window::put, {origin_addr, origin_count, origin_datatype},
                    {target_rank, target_disp, target_count, target_datatype}, win);
}

int get(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
        MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win)
{
    return transfer("MPI_Get", &detail::Window::get, {origin_addr, origin_count, origin_datatype},
                    {target_rank, target_disp, target_count, target_datatype}, win);
}

int rput(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
         MPI_Request* request)
{
    return transfer("MPI_Rput", &detail::Window::put, {origin_addr, origin_count, origin_datatype},
                    {target_rank, target_disp, target_count, target_datatype}, win, true, request);
}

int rget(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
         MPI_Request* request)
{
    return transfer("MPI_Rget", &detail::Window::get, {origin_addr, origin_count, origin_datatype},
                    {target_rank, target_disp, target_count, target_datatype}, win, true, request);
}

}  // namespace tutti::mpi
