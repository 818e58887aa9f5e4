// Waits and tests.
#include <fmt/format.h>

#include "lib/core/job/process.hpp"
#include "lib/core/requests/completion.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/request.hpp"
#include "lib/mpi/status.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::RequestState;

// Tells the result of an operation to the program.
int finish(const char* call, const Completed& completed, MPI_Status* status)
{
    fill(status, completed.status);
    if (completed.failure) [[unlikely]]
        return raise(call, completed.communicator, completed.failure);
    return MPI_SUCCESS;
}

void check_requests(int count, const MPI_Request* requests)
{
    if (count < 0)
        fail(MPI_ERR_ARG, fmt::format("the count is {}; it must not be negative", count));
    if (count > 0)
        check_not_null(requests, "array_of_requests");
}

/// The results of several operations, each with an error of its own.
class Results {
public:
    explicit Results(const char* call) noexcept : call_(call) {}

    void add(const Completed& completed, MPI_Status* status)
    {
        fill(status, completed.status);
        int code = MPI_SUCCESS;
        if (completed.failure) [[unlikely]] {
            code = code_of(call_, completed.communicator, completed.failure);
            if (failed_++ == 0)
                first_ = {code, completed.communicator};
        }
        if (status != nullptr)
            status->MPI_ERROR = code;
    }
    /// What the call returns. Not under the lock.
    int code() const
    {
        if (failed_ == 0) [[likely]]
            return MPI_SUCCESS;
        const int code = make_code(
            MPI_ERR_IN_STATUS, fmt::format("{}: {} of the operations failed, the first one with: {}", call_,
                                           failed_, words_of(first_.code)));
        return hand_over(call_, first_.communicator, code);
    }

private:
    struct Failed {
        int code = MPI_SUCCESS;
        MPI_Comm communicator = MPI_COMM_NULL;
    };

    const char* call_;
    int failed_ = 0;
    Failed first_;
};

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
        const Completed completed = take(*request);
        lock.unlock();
        return finish("MPI_Wait", completed, status);
    });
}

int test(MPI_Request* request, int* flag, MPI_Status* status)
{
    return guard("MPI_Test", [&] {
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
        const Completed completed = take(*request);
        lock.unlock();
        return finish("MPI_Test", completed, status);
    });
}

int waitall(int count, MPI_Request* requests, MPI_Status* statuses)
{
    return guard("MPI_Waitall", [&] {
        check_requests(count, requests);
        Results results("MPI_Waitall");
        progress::Engine::Lock lock;
        for (int i = 0; i < count; ++i) {
            MPI_Status* const status = statuses == nullptr ? nullptr : statuses + i;
            RequestState* const state = state_of(requests[i]);
            if (state == nullptr) {
                fill_empty(status);
                continue;
            }
            if (!lock.owns_lock())
                lock = detail::process_of(*state).engine().lock();
            detail::wait(lock, *state);
            results.add(take(requests[i]), status);
        }
        if (lock.owns_lock())
            lock.unlock();
        return results.code();
    });
}

}  // namespace tutti::mpi
