#include "lib/mpi/abi/fortran_library.hpp"

#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/views.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

/// `Function`: as the handler has functions of C.
template <class Function>
void create_handler(FortranFunction* function, MPI_Errhandler* handler)
{
    check_not_null(reinterpret_cast<const void*>(function), "the function");
    check_not_null(handler, "errhandler");
    *handler = handle_of(*new ErrorHandler(reinterpret_cast<Function*>(function), Language::fortran));
}

}  // namespace

bool is_fortran_communicator(MPI_Comm handle)
{
    return find<Communicator>(handle) != nullptr;
}

int create_fortran_operator(FortranFunction* function, bool commutes, bool large, MPI_Op* op)
{
    UserFunction called = large ? UserFunction(reinterpret_cast<MPI_User_function_c*>(function))
                                : UserFunction(reinterpret_cast<MPI_User_function*>(function));
    called.language = Language::fortran;
    return op_create(called, commutes ? 1 : 0, op);
}

int create_fortran_error_handler(FortranErrors errors, FortranFunction* function, MPI_Errhandler* handler)
{
    switch (errors) {
        case FortranErrors::of_files:
            return guard("MPI_File_create_errhandler", MPI_FILE_NULL,
                         [&] { create_handler<MPI_File_errhandler_function>(function, handler); });
        case FortranErrors::of_windows:
            return guard("MPI_Win_create_errhandler",
                         [&] { create_handler<MPI_Win_errhandler_function>(function, handler); });
        case FortranErrors::of_communicators:
            break;
    }
    return guard("MPI_Comm_create_errhandler",
                 [&] { create_handler<MPI_Comm_errhandler_function>(function, handler); });
}

}  // namespace tutti::mpi
