// Waits and tests for one request and for all of several.
#include "lib/core/process/process.hpp"
#include "lib/core/requests/request_end.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/status_form.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/request/results.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::RequestState;
using progress::Engine;

/// The operations of an array that has been checked, all of which must be complete.
struct AllOperations {
    // nullptr: all are. From the end, as operations mostly end in the order in which they began.
    RequestState* unfinished() const
    {
        for (int i = count; i-- > 0;)
            if (RequestState* const state = state_of(requests[i]); state != nullptr && !state->done)
                return state;
        return nullptr;
    }

    int count;
    const MPI_Request* requests;
};

// The lock of the first active request's process; none: there is no active one.
Engine::Lock lock_of(const AllOperations& all)
{
    for (int i = 0; i < all.count; ++i)
        if (const RequestState* const state = state_of(all.requests[i]))
            return detail::process_of(*state).engine().lock();
    return {};
}

bool test_all(Engine::Lock& lock, const AllOperations& all)
{
    RequestState* const unfinished = all.unfinished();
    if (unfinished == nullptr)
        return true;
    detail::process_of(*unfinished).engine().poll(lock);
    return all.unfinished() == nullptr;
}

// The frame of MPI_Test and MPI_Request_get_status. `Obtain` gives the result of the request.
template <class Obtain>
int test_in(const char* call, const MPI_Request* request, int* flag, MPI_Status* status, Obtain&& obtain)
{
    return guard(call, [&] {
        check_not_null(request, "request");
        check_not_null(flag, "flag");
        *flag = 1;
        RequestState* const state = state_of(*request);
        if (state == nullptr) {
            fill_empty(status);
            return MPI_SUCCESS;
        }
        auto lock = detail::process_of(*state).engine().lock();
        if (!detail::test(lock, *state)) {
            *flag = 0;
            return MPI_SUCCESS;
        }
        const Completed completed = obtain(lock);
        lock.unlock();
        return finish(call, completed, status);
    });
}

// The frame of MPI_Testall and MPI_Request_get_status_all. `Obtain` gives the result of the request with an
// index.
template <class Obtain>
int test_all_in(const char* call, int count, const MPI_Request* requests, int* flag, MPI_Status* statuses,
                Obtain&& obtain)
{
    return guard(call, [&] {
        check_array("array_of_requests", requests, count);
        check_not_null(flag, "flag");
        const AllOperations all{count, requests};
        Results results(call);
        Engine::Lock lock = lock_of(all);
        *flag = !lock.owns_lock() || test_all(lock, all) ? 1 : 0;
        if (*flag == 0)
            return MPI_SUCCESS;
        for (int i = 0; i < count; ++i) {
            if (state_of(requests[i]) == nullptr)
                fill_empty(status_at(statuses, i));
            else
                results.add(obtain(lock, i), status_at(statuses, i));
        }
        if (lock.owns_lock())
            lock.unlock();
        return results.code();
    });
}

}  // namespace

int wait(MPI_Request* request, MPI_Status* status)
{
    return guard("MPI_Wait", [&] {
        check_not_null(request, "request");
        RequestState* const state = state_of(*request);
        if (state == nullptr) {
            fill_empty(status);
            return MPI_SUCCESS;
        }
        auto lock = detail::process_of(*state).engine().lock();
        detail::wait(lock, *state);
        if (take_success(*state, *request, status)) [[likely]]
            return MPI_SUCCESS;
        const Completed completed = take(lock, *request);
        lock.unlock();
        return finish("MPI_Wait", completed, status);
    });
}

int test(MPI_Request* request, int* flag, MPI_Status* status)
{
    return test_in("MPI_Test", request, flag, status,
                   [&](Engine::Lock& lock) { return take(lock, *request); });
}

int request_get_status(MPI_Request request, int* flag, MPI_Status* status)
{
    return test_in("MPI_Request_get_status", &request, flag, status,
                   [&](Engine::Lock& lock) { return result_of(lock, request); });
}

int waitall(int count, MPI_Request* requests, MPI_Status* statuses)
{
    return guard("MPI_Waitall", [&] {
        check_array("array_of_requests", requests, count);
        Results results("MPI_Waitall");
        Engine::Lock lock;
        for (int i = 0; i < count; ++i) {
            MPI_Status* const status = status_at(statuses, i);
            RequestState* const state = state_of(requests[i]);
            if (state == nullptr) {
                fill_empty(status);
                continue;
            }
            if (!lock.owns_lock())
                lock = detail::process_of(*state).engine().lock();
            detail::wait(lock, *state);
            if (take_success(*state, requests[i], status)) [[likely]]
                results.add_success(status);
            else
                results.add(take(lock, requests[i]), status);
        }
        if (lock.owns_lock())
            lock.unlock();
        return results.code();
    });
}

int testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses)
{
    return test_all_in("MPI_Testall", count, requests, flag, statuses,
                       [&](Engine::Lock& lock, int i) { return take(lock, requests[i]); });
}

int request_get_status_all(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses)
{
    return test_all_in("MPI_Request_get_status_all", count, requests, flag, statuses,
                       [&](Engine::Lock& lock, int i) { return result_of(lock, requests[i]); });
}

}  // namespace tutti::mpi
