// MPI_Put and MPI_Get, and their forms with a request.
#include <algorithm>

#include "lib/core/job/process.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/request/request.hpp"
#include "lib/mpi/rma/transfer_blocks.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using Transfer = detail::Window::Failure (detail::Window::*)(const detail::OriginBlock&,
                                                             const detail::TargetBlock&,
                                                             detail::RequestState**);

void check_direction(Transfer function, const Side& here, const Side& there)
{
    const bool puts = function == &detail::Window::put;
    check_fits(puts ? here : there, puts ? there : here);
}

// One side has more room than the other one fills.
void transfer_less(const Window& window, Transfer function, const OriginPart& origin,
                   const TargetPart& target, detail::RequestState** state)
{
    const Side here{"origin", origin.size_bytes};
    const Side there{"target", target.size_bytes};
    check_direction(function, here, there);
    const std::size_t bytes = std::min(here.bytes, there.bytes);
    check(((*window.state).*function)(cut(origin.block, 0, bytes).block, cut(target.block, 0, bytes).block,
                                      state));
}

/// `request`: where the handle goes; nullptr: the next synchronisation completes the operation.
[[gnu::always_inline]] inline int transfer(const char* call, Transfer function, const void* origin_addr,
                                           MPI_Count origin_count, MPI_Datatype origin_datatype,
                                           int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                           MPI_Datatype target_datatype, MPI_Win win,
                                           MPI_Request* request = nullptr)
{
    return guard(
        call, win, [&]() __attribute__((always_inline)) {
            const Window& window = window_of(win);
            detail::RequestState* state = nullptr;
            if (request != nullptr)
                check_may_have_request(window, target_rank);
            if (is_target(window, target_rank)) [[likely]] {
                const OriginPart origin = origin_part(origin_addr, origin_count, origin_datatype);
                const TargetPart target =
                    target_part(window, target_rank, target_disp, target_count, target_datatype);
                detail::RequestState** const to_state = request == nullptr ? nullptr : &state;
                if (origin.size_bytes != target.size_bytes) [[unlikely]]
                    transfer_less(window, function, origin, target, to_state);
                else
                    check(((*window.state).*function)(origin.block, target.block, to_state));
            } else {
                check_direction(function, {"origin", bytes_of_nobody(origin_count, origin_datatype)},
                                {"target", bytes_of_nobody(target_count, target_datatype)});
            }
            if (request != nullptr)
                *request = begun_on_window(window, state);
        });
}

}  // namespace

void refuse_request()
{
    fail(MPI_ERR_RMA_SYNC,
         "operations with a request are for epochs of MPI_Win_lock and MPI_Win_lock_all; in others use the "
         "call without a request");
}

MPI_Request begun_on_window(const Window&, detail::RequestState* state)
{
    const auto lock = Runtime::process().engine().lock();
    return begun_request(state);
}

int put(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
        MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win)
{
    return transfer("MPI_Put", &detail::Window::put, origin_addr, origin_count, origin_datatype, target_rank,
                    target_disp, target_count, target_datatype, win);
}

int get(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
        MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win)
{
    return transfer("MPI_Get", &detail::Window::get, origin_addr, origin_count, origin_datatype, target_rank,
                    target_disp, target_count, target_datatype, win);
}

int rput(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
         MPI_Request* request)
{
    return guard("MPI_Rput", win, [&] {
        check_not_null(request, "request");
        return transfer("MPI_Rput", &detail::Window::put, origin_addr, origin_count, origin_datatype,
                        target_rank, target_disp, target_count, target_datatype, win, request);
    });
}

int rget(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
         MPI_Request* request)
{
    return guard("MPI_Rget", win, [&] {
        check_not_null(request, "request");
        return transfer("MPI_Rget", &detail::Window::get, origin_addr, origin_count, origin_datatype,
                        target_rank, target_disp, target_count, target_datatype, win, request);
    });
}

}  // namespace tutti::mpi
