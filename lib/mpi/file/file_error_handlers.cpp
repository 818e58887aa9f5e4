// Error handlers of files. That of MPI_FILE_NULL takes the errors of calls without a file.
#include "lib/mpi/file/file_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

ErrorOwner& error_owner_of(MPI_File file)
{
    return file == MPI_FILE_NULL ? errors_without_file() : file_of(file);
}

}  // namespace

int file_create_errhandler(MPI_File_errhandler_function* file_errhandler_fn, MPI_Errhandler* errhandler)
{
    return guard("MPI_File_create_errhandler", MPI_FILE_NULL, [&] {
        check_not_null(reinterpret_cast<const void*>(file_errhandler_fn), "file_errhandler_fn");
        check_not_null(errhandler, "errhandler");
        *errhandler = handle_of(*new ErrorHandler(file_errhandler_fn));
    });
}

int file_set_errhandler(MPI_File file, MPI_Errhandler errhandler)
{
    return guard("MPI_File_set_errhandler", file, [&] {
        ErrorOwner& owner = error_owner_of(file);
        owner.set_error_handler(error_handler_of(errhandler, ErrorHandler::Objects::files));
    });
}

int file_get_errhandler(MPI_File file, MPI_Errhandler* errhandler)
{
    return guard_result("MPI_File_get_errhandler", file, errhandler, "errhandler", [&] {
        const Ref<ErrorHandler> found = error_owner_of(file).error_handler();
        found->add_reference();  // the new handle's
        return handle_of(*found);
    });
}

int file_call_errhandler(MPI_File fh, int errorcode)
{
    return guard("MPI_File_call_errhandler", fh, [&] {
        static_cast<void>(error_owner_of(fh));
        hand_over("MPI_File_call_errhandler", fh, errorcode);
    });
}

}  // namespace tutti::mpi
