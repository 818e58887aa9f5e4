// Epochs of windows: when a rank may access the memory of others, and when that is complete.
#include <fmt/format.h>

#include <vector>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/group/group_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/rma/window_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

namespace promise = detail::window_promise;

/// Throws Failure for an assertion that is none of `known`, which are those of the call. Some promise what a
/// window makes no use of.
unsigned promises_of(int assertion, int known)
{
    if ((assertion & ~known) != 0)
        fail(MPI_ERR_ASSERT,
             fmt::format(
                 "the assertion {} has bits {} that are none of this call's; pass 0, or a sum of those "
                 "that it takes",
                 assertion, assertion & ~known));
    return ((assertion & MPI_MODE_NOCHECK) != 0 ? promise::no_check : 0) |
           ((assertion & MPI_MODE_NOSUCCEED) != 0 ? promise::no_succeed : 0);
}

// Ranks of the window. Throws Failure for a group that is no part of the window's.
std::vector<int> ranks_in(const Window& window, MPI_Group group)
{
    const Group& given = group_of(group);
    const Group all(window.state->communicator()->members());
    std::vector<int> ranks;
    for (const int job_rank : *given.members) {
        ranks.push_back(all.rank_of(job_rank));
        if (ranks.back() == MPI_UNDEFINED)
            fail(MPI_ERR_GROUP,
                 fmt::format("the group has rank {} of the job, which is not in the window", job_rank));
    }
    return ranks;
}

/// Calls the core's function of the window.
template <class... Arguments>
int call_on(const char* call, MPI_Win win, void (detail::Window::*function)(Arguments...),
            const Arguments&... arguments)
{
    return guard(call, win, [&] { ((*window_of(win).state).*function)(arguments...); });
}

/// Calls the core's function of one target of the window; of MPI_PROC_NULL, none.
int call_for(const char* call, MPI_Win win, int rank, void (detail::Window::*function)(int rank))
{
    return guard(call, win, [&] {
        const Window& window = window_of(win);
        if (is_target(window, rank))
            ((*window.state).*function)(rank);
    });
}

}  // namespace

int win_fence(int assertion, MPI_Win win)
{
    return guard("MPI_Win_fence", win, [&] {
        const Window& window = window_of(win);
        window.state->fence(promises_of(
            assertion, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED));
    });
}

int win_post(MPI_Group group, int assertion, MPI_Win win)
{
    return guard("MPI_Win_post", win, [&] {
        const Window& window = window_of(win);
        const unsigned promises =
            promises_of(assertion, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
        window.state->post(ranks_in(window, group), promises);
    });
}

int win_start(MPI_Group group, int assertion, MPI_Win win)
{
    return guard("MPI_Win_start", win, [&] {
        const Window& window = window_of(win);
        const unsigned promises = promises_of(assertion, MPI_MODE_NOCHECK);
        window.state->start(ranks_in(window, group), promises);
    });
}

int win_complete(MPI_Win win)
{
    return call_on("MPI_Win_complete", win, &detail::Window::complete);
}

int win_wait(MPI_Win win)
{
    return call_on("MPI_Win_wait", win, &detail::Window::wait);
}

int win_test(MPI_Win win, int* flag)
{
    return guard("MPI_Win_test", win, [&] {
        const Window& window = window_of(win);
        check_not_null(flag, "flag");
        *flag = window.state->test() ? 1 : 0;
    });
}

int win_lock(int lock_type, int rank, int assertion, MPI_Win win)
{
    return guard("MPI_Win_lock", win, [&] {
        const Window& window = window_of(win);
        if (lock_type != MPI_LOCK_SHARED && lock_type != MPI_LOCK_EXCLUSIVE) [[unlikely]]
            fail(MPI_ERR_LOCKTYPE,
                 fmt::format("the type of lock is {}; there are MPI_LOCK_SHARED and MPI_LOCK_EXCLUSIVE",
                             lock_type));
        const unsigned promises = promises_of(assertion, MPI_MODE_NOCHECK);
        if (is_target(window, rank))
            window.state->lock(
                lock_type == MPI_LOCK_SHARED ? detail::WindowLock::shared : detail::WindowLock::exclusive,
                rank, promises);
    });
}

int win_unlock(int rank, MPI_Win win)
{
    return call_for("MPI_Win_unlock", win, rank, &detail::Window::unlock);
}

int win_lock_all(int assertion, MPI_Win win)
{
    return guard("MPI_Win_lock_all", win,
                 [&] { window_of(win).state->lock_all(promises_of(assertion, MPI_MODE_NOCHECK)); });
}

int win_unlock_all(MPI_Win win)
{
    return call_on("MPI_Win_unlock_all", win, &detail::Window::unlock_all);
}

int win_flush(int rank, MPI_Win win)
{
    return call_for("MPI_Win_flush", win, rank, &detail::Window::flush);
}

int win_flush_all(MPI_Win win)
{
    return call_on("MPI_Win_flush_all", win, &detail::Window::flush_all);
}

int win_flush_local(int rank, MPI_Win win)
{
    return call_for("MPI_Win_flush_local", win, rank, &detail::Window::flush_local);
}

int win_flush_local_all(MPI_Win win)
{
    return call_on("MPI_Win_flush_local_all", win, &detail::Window::flush_local_all);
}

int win_sync(MPI_Win win)
{
    return call_on("MPI_Win_sync", win, &detail::Window::sync);
}

}  // namespace tutti::mpi
