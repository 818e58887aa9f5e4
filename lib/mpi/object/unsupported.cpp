#include "lib/mpi/object/unsupported.hpp"

#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"

namespace tutti::mpi {

namespace {

constexpr const char* kDetail = "this library does not have this function";

}  // namespace

int unsupported(MPI_Comm comm, const char* call)
{
    return guard(call, comm, [] { fail(MPI_ERR_UNSUPPORTED_OPERATION, kDetail); });
}

int unsupported(MPI_Errhandler given, const char* call)
{
    return raise_by(call, given, std::make_exception_ptr(Failure(MPI_ERR_UNSUPPORTED_OPERATION, kDetail)));
}

int unsupported(const char* call)
{
    return unsupported(MPI_COMM_NULL, call);
}

int unsupported(MPI_Session, const char* call)
{
    return unsupported(call);
}

}  // namespace tutti::mpi
