// Duplicates of communicators. They inherit the error handler, the topology and the attributes, and neither
// the name nor the info.
#include <memory>
#include <utility>

#include "lib/core/communicators/creation.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/request_end.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/info/info.hpp"
#include "lib/mpi/object/attributes.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::Form;

// Gives the copy what it inherits. Attributes are copied by callbacks of the program.
int inherit(const Communicator& from, Communicator& to)
{
    to.topology = from.topology;
    const int code = copy_attributes(from, to);
    if (code != MPI_SUCCESS)
        static_cast<void>(delete_attributes(to));
    return code;
}

int dup_in(const char* call, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm)
{
    return guard(call, comm, [&] {
        check_not_null(newcomm, "newcomm");
        const Ref<Communicator> old(&communicator_of(comm));
        check_info(info);
        detail::StatePointer made;
        static_cast<void>(detail::dup(old->state, Form::blocking, made));
        auto copy = std::make_unique<Communicator>(std::move(made), std::string(), *old->error_handler());
        if (const int code = inherit(*old, *copy); code != MPI_SUCCESS) {
            *newcomm = MPI_COMM_NULL;
            return hand_over(call, comm, code);
        }
        *newcomm = handle_of(*copy.release());
        return MPI_SUCCESS;
    });
}

/// A duplicate on its way. Under the lock.
class Duplication {
public:
    explicit Duplication(const Communicator& old)
        : copy_(std::make_unique<Communicator>(old.state, *old.error_handler()))
    {
    }

    Communicator& copy() noexcept { return *copy_; }
    /// At the end of the operation.
    void take(detail::StatePointer state)
    {
        state_ = std::move(state);
        if (is_given_)
            complete();
    }
    /// The program gets the copy.
    MPI_Comm give()
    {
        const MPI_Comm handle = copy_->given_handle();
        is_given_ = true;
        if (state_ != nullptr)
            complete();
        return handle;
    }

private:
    void complete()
    {
        copy_->complete(std::move(state_));
        static_cast<void>(copy_.release());
    }

    std::unique_ptr<Communicator> copy_;
    detail::StatePointer state_;
    bool is_given_ = false;
};

int idup_in(const char* call, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request)
{
    return guard(call, comm, [&] {
        check_not_null(newcomm, "newcomm");
        check_not_null(request, "request");
        const Ref<Communicator> old(&communicator_of(comm));
        check_info(info);
        const auto duplication = std::make_shared<Duplication>(*old);
        const MPI_Request begun = begun_request(
            detail::dup(old->state, Form::nonblocking,
                        [duplication](detail::StatePointer made) { duplication->take(std::move(made)); }));
        // The attributes of this moment count.
        const int code = inherit(*old, duplication->copy());
        auto lock = old->state->process().engine().lock();
        if (code != MPI_SUCCESS) {
            // The other ranks need the operation.
            detail::RequestState& operation = *state_of(begun);
            detail::wait(lock, operation);
            detail::recycle(operation);
            lock.unlock();
            *newcomm = MPI_COMM_NULL;
            *request = MPI_REQUEST_NULL;
            return hand_over(call, comm, code);
        }
        *newcomm = duplication->give();
        *request = begun;
        return MPI_SUCCESS;
    });
}

}  // namespace

int comm_dup(MPI_Comm comm, MPI_Comm* newcomm)
{
    return dup_in("MPI_Comm_dup", comm, MPI_INFO_NULL, newcomm);
}

int comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm)
{
    return dup_in("MPI_Comm_dup_with_info", comm, info, newcomm);
}

int comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request)
{
    return idup_in("MPI_Comm_idup", comm, MPI_INFO_NULL, newcomm, request);
}

int comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request)
{
    return idup_in("MPI_Comm_idup_with_info", comm, info, newcomm, request);
}

}  // namespace tutti::mpi
