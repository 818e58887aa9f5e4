// Requests. The state behind an MPI_Request is the core's: the handle is its address. Kinds that only MPI has
// are derived from MpiRequest.
#pragma once

#include <exception>
#include <memory>

#include "lib/core/requests/wait.hpp"
#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/object.hpp"
#include "tutti/call_handle.hpp"
#include "tutti/request.hpp"

namespace tutti::mpi {

struct Generalized;

/// Requests of MPI's own kinds. Their memory is kept as that of objects, so that their handles can still be
/// looked at.
struct MpiRequest : detail::OwnRequest {
    /// The operation that a wait waits for; nullptr: the request is not active.
    virtual detail::RequestState* operation() noexcept { return this; }
    /// Whether the request is still there when its operation has ended. Then it forgets the operation.
    virtual bool outlives_operation() noexcept { return false; }
    /// MPI_Request_free: the operation goes on without a handle. Under the lock, which may be released. A
    /// code of the program's.
    virtual int let_go(progress::Engine::Lock& lock);
    /// The communicator whose error handler takes the request's error.
    virtual MPI_Comm communicator() const noexcept { return MPI_COMM_NULL; }
    /// The file whose error handler takes the request's error; nullptr: it is no access of a file.
    virtual MPI_File file() const noexcept { return nullptr; }
    /// What is to be done when the operation has ended well, and before the program looks at its data; once
    /// or more. Under the lock, which may be released. The operation's error, if that fails.
    virtual std::exception_ptr deliver(progress::Engine::Lock&, Status&) { return nullptr; }
    /// nullptr for other kinds.
    virtual Generalized* generalized() noexcept { return nullptr; }

    /// Where Open MPI's library for Fortran reads the integer of a request behind a wait: so far from the
    /// handle.
    static constexpr std::size_t kFortranOffset = 0x68;

    static void* operator new(std::size_t bytes) { return Object::operator new(bytes); }
    static void operator delete(void* memory, std::size_t bytes) noexcept
    {
        Object::operator delete(memory, bytes);
    }

    std::byte unused[kFortranOffset - sizeof(detail::RequestState)]{};
    std::int32_t fortran = 0;

protected:
    ~MpiRequest();
};
// The handle is the address of the RequestState, behind the pointer to the functions.
static_assert(sizeof(detail::OwnRequest) == sizeof(void*) + sizeof(detail::RequestState));

struct Completed;

/// A generalized request: the program begins and ends the operation, and says by functions how it ended.
/// The library calls these functions without the lock.
struct Generalized final : MpiRequest {
    Generalized(MPI_Grequest_query_function* how_it_ended, MPI_Grequest_free_function* ends,
                MPI_Grequest_cancel_function* cancels, void* state) noexcept;

    Generalized* generalized() noexcept override { return this; }
    int let_go(progress::Engine::Lock& lock) override;
    std::exception_ptr failure() override { return nullptr; }
    void recycle() noexcept override { delete this; }

    /// The result of a complete request. Under the lock, which is released for the program's function.
    Completed query(progress::Engine::Lock& lock) const;
    /// Calls the program's function, deletes a complete request and returns the function's code. Locked as
    /// query().
    int end(progress::Engine::Lock& lock);

    MPI_Grequest_query_function* const query_function;
    MPI_Grequest_free_function* const free_function;
    MPI_Grequest_cancel_function* const cancel_function;
    void* const extra_state;
    bool has_handle = true;

    /// Where Open MPI's library for Fortran says that the functions are Fortran's: so far from the handle.
    static constexpr std::size_t kLanguageOffset = 0xc0;
    std::byte unused_too[kLanguageOffset - kFortranOffset - 5 * sizeof(void*) - 1]{};
    bool is_of_c = true;
};

/// nullptr for requests of another kind and inactive ones. Throws Failure for what is no request.
Generalized* generalized_of(MPI_Request request);

/// The operation of a request; nullptr for MPI_REQUEST_NULL and requests that are not active. Throws Failure
/// for another handle.
detail::RequestState* state_of(MPI_Request handle);

/// The handle of an operation that has begun, which counts as active from now on. `state` nullptr: the
/// operation is complete, with the status of MPI_PROC_NULL. Under the lock.
MPI_Request begun_request(detail::RequestState* state) noexcept;
/// The handle of a collective's operation.
MPI_Request begun_request(detail::CallHandle begun) noexcept;
/// The handle of a request of MPI's own.
MPI_Request handle_of(MpiRequest& request) noexcept;
/// The handle of an operation that MPI_Start begins: of a message, or of a collective
/// (CallHandle::starter()). nullptr: of a message to or from MPI_PROC_NULL.
MPI_Request persistent_request(std::unique_ptr<detail::Starter> starter);
/// nullptr for another kind of request. The handle is valid.
MpiRequest* mpi_request(MPI_Request handle) noexcept;

/// What a completed operation leaves.
struct Completed {
    Status status;
    std::exception_ptr failure;             // nullptr: none
    int code = MPI_SUCCESS;                 // likewise, of a function of the program's
    MPI_Comm communicator = MPI_COMM_NULL;  // of a failed one
    MPI_File file = nullptr;                // likewise, if it is an access of a file
};
/// The result of a request's completed operation. Under the lock, which is released while a function of the
/// program's runs.
Completed result_of(progress::Engine::Lock& lock, MPI_Request request);
/// result_of(), and the request ends unless it is persistent.
Completed take(progress::Engine::Lock& lock, MPI_Request& request);
/// take() for what most requests are: an operation without a request of MPI's own, complete and without an
/// error. False for others, which take() ends.
bool take_success(detail::RequestState& state, MPI_Request& request, MPI_Status* status);
/// Gives the result of an operation to the program. Not under the lock.
int finish(const char* call, const Completed& completed, MPI_Status* status);
/// Nobody waits for the operation any more; a wait for the end of the job does. Under the lock.
void let_go(detail::RequestState& operation);

/// The state of all operations that were complete when they began. It never ends.
detail::RequestState& done_operation() noexcept;
void define_done_request(detail::Process& process) noexcept;

}  // namespace tutti::mpi
