#include "lib/mpi/object/callbacks.hpp"

#include "lib/mpi/request/request_object.hpp"

namespace tutti::mpi {

int known_class(int error_class) noexcept
{
    return error_class;
}

MPI_Comm comm_of_other_errors() noexcept
{
    return MPI_COMM_SELF;
}

void call_operator(const UserFunction& function, void* in, void* inout, MPI_Count count,
                   MPI_Datatype datatype)
{
    if (function.large != nullptr)
        return function.large(in, inout, &count, &datatype);
    int length = static_cast<int>(count);
    function.small(in, inout, &length, &datatype);
}

void call_error_handler(MPI_Comm_errhandler_function* function, MPI_Comm comm, int& code, const char* call)
{
    function(&comm, &code, call);
}

void call_error_handler(MPI_File_errhandler_function* function, MPI_File file, int& code, const char* call)
{
    function(&file, &code, call);
}

void call_error_handler(MPI_Win_errhandler_function* function, MPI_Win window, int& code, const char* call)
{
    function(&window, &code, call);
}

int call_copy(MPI_Comm_copy_attr_function* function, MPI_Comm comm, int key, void* extra_state, void* value,
              void* copied, int* is_copied)
{
    return function(comm, key, extra_state, value, copied, is_copied);
}

int call_copy(MPI_Type_copy_attr_function* function, MPI_Datatype datatype, int key, void* extra_state,
              void* value, void* copied, int* is_copied)
{
    return function(datatype, key, extra_state, value, copied, is_copied);
}

int call_copy(MPI_Win_copy_attr_function* function, MPI_Win window, int key, void* extra_state, void* value,
              void* copied, int* is_copied)
{
    return function(window, key, extra_state, value, copied, is_copied);
}

int call_delete(MPI_Comm_delete_attr_function* function, MPI_Comm comm, int key, void* value,
                void* extra_state)
{
    return function(comm, key, value, extra_state);
}

int call_delete(MPI_Type_delete_attr_function* function, MPI_Datatype datatype, int key, void* value,
                void* extra_state)
{
    return function(datatype, key, value, extra_state);
}

int call_delete(MPI_Win_delete_attr_function* function, MPI_Win window, int key, void* value,
                void* extra_state)
{
    return function(window, key, value, extra_state);
}

void throw_error(MPI_Comm, int&, const char*) {}

void throw_error(MPI_File, int&, const char*) {}

void throw_error(MPI_Win, int&, const char*) {}

int call_conversion(const ConversionFunction& function, void* user, MPI_Datatype datatype, MPI_Count count,
                    void* file, MPI_Offset position, void* extra_state)
{
    if (function.large != nullptr)
        return function.large(user, datatype, count, file, position, extra_state);
    return function.small(user, datatype, static_cast<int>(count), file, position, extra_state);
}

int call_extent(MPI_Datarep_extent_function* function, MPI_Datatype datatype, MPI_Aint* extent,
                void* extra_state)
{
    return function(datatype, extent, extra_state);
}

int call_query(const Generalized& request, MPI_Status* status)
{
    return request.query_function(request.extra_state, status);
}

int call_free(const Generalized& request)
{
    return request.free_function(request.extra_state);
}

int call_cancel(const Generalized& request, bool is_complete)
{
    return request.cancel_function(request.extra_state, is_complete ? 1 : 0);
}

}  // namespace tutti::mpi
