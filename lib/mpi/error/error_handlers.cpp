// Error handlers of communicators, and their end. file and rma have those of files and windows.
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

int comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler)
{
    return guard("MPI_Comm_create_errhandler", [&] {
        check_not_null(reinterpret_cast<const void*>(function), "comm_errhandler_fn");
        check_not_null(handler, "errhandler");
        *handler = handle_of(*new ErrorHandler(function));
    });
}

int comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    return guard("MPI_Comm_set_errhandler", comm, [&] {
        ErrorHandler& given = error_handler_of(handler, ErrorHandler::Objects::communicators);
        begun_communicator_of(comm).set_error_handler(given);
    });
}

int comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler)
{
    return guard_result("MPI_Comm_get_errhandler", comm, handler, "errhandler", [&] {
        const Ref<ErrorHandler> found = begun_communicator_of(comm).error_handler();
        found->add_reference();  // the new handle's
        return handle_of(*found);
    });
}

int comm_call_errhandler(MPI_Comm comm, int code)
{
    return guard("MPI_Comm_call_errhandler", comm, [&] {
        static_cast<void>(communicator_of(comm));
        hand_over("MPI_Comm_call_errhandler", comm, code);
    });
}

int errhandler_free(MPI_Errhandler* handler)
{
    return guard("MPI_Errhandler_free", [&] {
        check_not_null(handler, "errhandler");
        if (const ErrorHandler& freed = error_handler_of(*handler); !is_predefined(freed))
            freed.drop_reference();
        *handler = MPI_ERRHANDLER_NULL;
    });
}

}  // namespace tutti::mpi
