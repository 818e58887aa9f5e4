// The results of an array of requests.
#pragma once

#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/request/request_object.hpp"

namespace tutti::mpi {

/// The results of several operations, each with an error of its own.
class Results {
public:
    explicit Results(const char* call) noexcept : call_(call) {}

    void add(const Completed& completed, MPI_Status* status);
    /// For a status that has been filled.
    void add_success(MPI_Status* status) noexcept
    {
        if (status != nullptr)
            status->MPI_ERROR = MPI_SUCCESS;
    }
    /// What the call returns. Not under the lock.
    int code() const { return failed_ == 0 ? MPI_SUCCESS : hand_over_first(); }

private:
    int hand_over_first() const;

    const char* call_;
    int failed_ = 0;
    int first_code_ = MPI_SUCCESS;
    MPI_Comm first_communicator_ = MPI_COMM_NULL;
    MPI_File first_file_ = nullptr;
};

/// The status of operation i; `statuses` may be MPI_STATUSES_IGNORE.
inline MPI_Status* status_at(MPI_Status* statuses, int i) noexcept
{
    return statuses == nullptr ? nullptr : statuses + i;
}

}  // namespace tutti::mpi
