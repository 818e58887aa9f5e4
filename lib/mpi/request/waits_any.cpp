// Waits and tests for any, and for some, of several requests.
#include "lib/core/process/process.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/object/status_form.hpp"
#include "lib/mpi/request/request_array.hpp"
#include "lib/mpi/request/results.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using progress::Engine;

Engine& engine()
{
    return Runtime::process().engine();
}

// -1 if none is done.
int first_done_in(const RequestArray& operations, int count)
{
    for (int i = 0; i < count; ++i)
        if (operations.is_done(i))
            return i;
    return -1;
}

// The frame of MPI_Testany and MPI_Request_get_status_any. `Obtain` gives the result of the request with an
// index.
template <class Obtain>
int test_any_in(const char* call, int count, const MPI_Request* requests, int* index, int* flag,
                MPI_Status* status, Obtain&& obtain)
{
    return guard(call, [&] {
        check_not_null(index, "index");
        check_not_null(flag, "flag");
        const RequestArray operations(count, requests);
        *index = MPI_UNDEFINED;
        *flag = operations.any_active() ? 0 : 1;
        if (*flag == 1) {
            fill_empty(status);
            return MPI_SUCCESS;
        }
        auto lock = engine().lock();
        if (!detail::test_any(lock, operations.states()))
            return MPI_SUCCESS;
        *index = first_done_in(operations, count);
        *flag = 1;
        const Completed completed = obtain(lock, *index);
        lock.unlock();
        return finish(call, completed, status);
    });
}

// The frame of waits and tests for some. `Look`: makes progress, or waits.
template <class Look, class Obtain>
int some_in(const char* call, int count, const MPI_Request* requests, int* outcount, int* indices,
            MPI_Status* statuses, Look&& look, Obtain&& obtain)
{
    return guard(call, [&] {
        check_not_null(outcount, "outcount");
        if (count > 0)
            check_not_null(indices, "array_of_indices");
        const RequestArray operations(count, requests);
        *outcount = MPI_UNDEFINED;
        if (!operations.any_active())
            return MPI_SUCCESS;
        Results results(call);
        auto lock = engine().lock();
        look(lock, operations.states());
        *outcount = 0;
        for (int i = 0; i < count; ++i) {
            // The second question finds out a handle that stands twice in the array.
            if (!operations.is_done(i) || state_of(requests[i]) == nullptr)
                continue;
            results.add(obtain(lock, i), status_at(statuses, *outcount));
            indices[(*outcount)++] = i;
        }
        lock.unlock();
        return results.code();
    });
}

const auto test_once = [](Engine::Lock& lock, const detail::States& states) {
    detail::test_any(lock, states);
};
const auto wait_for_any = [](Engine::Lock& lock, const detail::States& states) {
    detail::wait_any(lock, states);
};

}  // namespace

int waitany(int count, MPI_Request* requests, int* index, MPI_Status* status)
{
    return guard("MPI_Waitany", [&] {
        check_not_null(index, "index");
        const RequestArray operations(count, requests);
        *index = MPI_UNDEFINED;
        if (!operations.any_active()) {
            fill_empty(status);
            return MPI_SUCCESS;
        }
        auto lock = engine().lock();
        *index = static_cast<int>(detail::wait_any(lock, operations.states()).value());
        const Completed completed = take(lock, requests[*index]);
        lock.unlock();
        return finish("MPI_Waitany", completed, status);
    });
}

int testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status)
{
    return test_any_in("MPI_Testany", count, requests, index, flag, status,
                       [&](Engine::Lock& lock, int i) { return take(lock, requests[i]); });
}

int request_get_status_any(int count, const MPI_Request* requests, int* index, int* flag, MPI_Status* status)
{
    return test_any_in("MPI_Request_get_status_any", count, requests, index, flag, status,
                       [&](Engine::Lock& lock, int i) { return result_of(lock, requests[i]); });
}

int waitsome(int count, MPI_Request* requests, int* outcount, int* indices, MPI_Status* statuses)
{
    return some_in("MPI_Waitsome", count, requests, outcount, indices, statuses, wait_for_any,
                   [&](Engine::Lock& lock, int i) { return take(lock, requests[i]); });
}

int testsome(int count, MPI_Request* requests, int* outcount, int* indices, MPI_Status* statuses)
{
    return some_in("MPI_Testsome", count, requests, outcount, indices, statuses, test_once,
                   [&](Engine::Lock& lock, int i) { return take(lock, requests[i]); });
}

int request_get_status_some(int count, const MPI_Request* requests, int* outcount, int* indices,
                            MPI_Status* statuses)
{
    return some_in("MPI_Request_get_status_some", count, requests, outcount, indices, statuses, test_once,
                   [&](Engine::Lock& lock, int i) { return result_of(lock, requests[i]); });
}

}  // namespace tutti::mpi
