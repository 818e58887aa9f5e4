#include "lib/mpi/request/results.hpp"

#include <fmt/format.h>

#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/status_form.hpp"

namespace tutti::mpi {

namespace {

int code_of_result(const char* call, const Completed& completed)
{
    if (!completed.failure)
        return completed.code;
    return completed.file != nullptr ? code_of(call, completed.file, completed.failure)
                                     : code_of(call, completed.communicator, completed.failure);
}

int hand_over_to(MPI_File file, MPI_Comm communicator, const char* call, int code)
{
    return file != nullptr ? hand_over(call, file, code) : hand_over(call, communicator, code);
}

}  // namespace

int finish(const char* call, const Completed& completed, MPI_Status* status)
{
    fill(status, completed.status);
    const int code = code_of_result(call, completed);
    return code == MPI_SUCCESS ? code : hand_over_to(completed.file, completed.communicator, call, code);
}

void Results::add(const Completed& completed, MPI_Status* status)
{
    fill(status, completed.status);
    const int code = code_of_result(call_, completed);
    if (code != MPI_SUCCESS && failed_++ == 0) [[unlikely]] {
        first_code_ = code;
        first_communicator_ = completed.communicator;
        first_file_ = completed.file;
    }
    if (status != nullptr)
        status->MPI_ERROR = code;
}

int Results::hand_over_first() const
{
    const int code =
        make_code(MPI_ERR_IN_STATUS, fmt::format("{}: {} of the operations failed, the first one with: {}",
                                                 call_, failed_, words_of(first_code_)));
    return hand_over_to(first_file_, first_communicator_, call_, code);
}

}  // namespace tutti::mpi
