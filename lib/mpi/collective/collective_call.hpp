// The three functions of a collective: blocking, non-blocking (I...) and persistent (..._init). They have one
// body.
#pragma once

#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/info/info.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "tutti/call_handle.hpp"

namespace tutti::mpi {

/// Which of the functions the program has called, by its name.
class CollectiveCall {
public:
    explicit CollectiveCall(const char* function) noexcept : name_(function) {}
    CollectiveCall(const char* function, MPI_Request* request) noexcept
        : name_(function), request_(request), form_(detail::Form::nonblocking)
    {
    }
    /// No hint of MPI_Info changes a collective.
    CollectiveCall(const char* function, MPI_Info info, MPI_Request* request) noexcept
        : name_(function), request_(request), info_(info), form_(detail::Form::persistent)
    {
    }

    detail::Form form() const noexcept { return form_; }

    /// The frame of a body: begin(state of `comm`) makes the core's call and returns its handle.
    template <class Begin>
    [[gnu::always_inline]] int on(MPI_Comm comm, Begin&& begin) const
    {
        return guard(name_, comm, [&] {
            if (form_ != detail::Form::blocking)
                check_not_null(request_, "request");
            if (form_ == detail::Form::persistent)
                check_info(info_);
            const detail::CallHandle handle = begin(state_of(comm));
            if (form_ == detail::Form::nonblocking)
                *request_ = begun_request(handle);
            else if (form_ == detail::Form::persistent)
                *request_ = persistent_request(handle.starter());
        });
    }

private:
    const char* name_;
    MPI_Request* request_ = nullptr;
    MPI_Info info_ = MPI_INFO_NULL;
    detail::Form form_ = detail::Form::blocking;
};

}  // namespace tutti::mpi
