// Communicators of MPI's C interface as those of the C++ interface, and back.
#include "tutti/mpi.hpp"

#include <mutex>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/runtime.hpp"

namespace tutti {

namespace {

// Errors that C programs get as a code are exceptions in the C++ interface.
template <class Body>
auto as_error(std::string_view call, Body&& body)
{
    try {
        return body();
    } catch (const mpi::Failure& failure) {
        throw Error(ErrorCode::invalid_argument, call, failure.what());
    }
}

}  // namespace

Communicator from_mpi(MPI_Comm handle)
{
    return as_error("from_mpi",
                    [&] { return CommunicatorAccess::handle_of(mpi::intracommunicator_of(handle).state); });
}

MPI_Comm to_mpi(const Communicator& communicator)
{
    return as_error("to_mpi", [&] {
        const mpi::Communicator& world = mpi::communicator_of(MPI_COMM_WORLD);
        const detail::StatePointer& state = CommunicatorAccess::state_of(communicator);
        if (&state->process() != &mpi::Runtime::process())
            mpi::fail(MPI_ERR_COMM,
                      "the communicator is of a rank that is a thread; MPI knows those of processes only");
        static std::mutex finding;  // so that of two threads one makes the handle
        const std::lock_guard lock(finding);
        const MPI_Comm handle = mpi::communicator_with(state->context());
        return handle != MPI_COMM_NULL ? handle : mpi::new_communicator(state, world);
    });
}

}  // namespace tutti
