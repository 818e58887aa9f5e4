// MPI_Put and MPI_Get, and their forms with a request.
#include <fmt/format.h>

#include "lib/core/job/process.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/request.hpp"
#include "lib/mpi/runtime.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "lib/mpi/windows_blocks.hpp"

namespace tutti::mpi {

namespace {

using Transfer = detail::Window::Failure (detail::Window::*)(const detail::OriginBlock&,
                                                             const detail::TargetBlock&,
                                                             detail::RequestState**);

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
            const OriginPart origin = origin_part(origin_addr, origin_count, origin_datatype);
            detail::RequestState* state = nullptr;
            const bool is_there = is_target(window, target_rank);
            if (request != nullptr)
                check_may_have_request(window);
            const TargetPart target =
                target_part(window, target_rank, is_there ? target_disp : 0, target_count, target_datatype);
            check_sizes(origin.size_bytes, target.size_bytes);
            if (is_there) [[likely]]
                check(((*window.state).*function)(origin.block, target.block,
                                                  request == nullptr ? nullptr : &state));
            if (request != nullptr)
                *request = begun_on_window(window, state);
        });
}

}  // namespace

void refuse_displacement(MPI_Aint displacement)
{
    fail(MPI_ERR_DISP, fmt::format("the displacement is {}; it must not be negative", displacement));
}

void refuse_sizes(std::size_t origin_bytes, std::size_t target_bytes)
{
    fail(MPI_ERR_TYPE, fmt::format("the origin has {} bytes and the target {}; counts and datatypes must "
                                   "describe equally many",
                                   origin_bytes, target_bytes));
}

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
