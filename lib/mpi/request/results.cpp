#include "lib/mpi/request/results.hpp"

#include <fmt/format.h>

#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/status_form.hpp"

namespace tutti::mpi {

namespace {

int code_of_result(const char* call, const Completed& completed)
{
    return completed.failure ? code_of(call, completed.communicator, completed.failure) : completed.code;
}

}  // namespace

int finish(const char* call, const Completed& completed, MPI_Status* status)
{
    fill(status, completed.status);
    const int code = code_of_result(call, completed);
    return code == MPI_SUCCESS ? code : hand_over(call, completed.communicator, code);
}

void Results::add(const Completed& completed, MPI_Status* status)
{
    fill(status, completed.status);
    const int code = code_of_result(call_, completed);
    if (code != MPI_SUCCESS && failed_++ == 0) [[unlikely]] {
        first_code_ = code;
        first_communicator_ = completed.communicator;
    }
    if (status != nullptr)
        status->MPI_ERROR = code;
}

int Results::hand_over_first() const
{
    const int code =
        make_code(MPI_ERR_IN_STATUS, fmt::format("{}: {} of the operations failed, the first one with: {}",
                                                 call_, failed_, words_of(first_code_)));
    return hand_over(call_, first_communicator_, code);
}

}  // namespace tutti::mpi
