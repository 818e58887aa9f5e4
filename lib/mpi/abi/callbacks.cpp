#include "lib/mpi/object/callbacks.hpp"

#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/handle_numbers.hpp"
#include "lib/mpi/request/request_object.hpp"

namespace tutti::mpi {

namespace {

template <class Function, class Handle>
void call_by_language(Function* function, Language language, Handle object, int& code, const char* call)
{
    if (language != Language::fortran)
        return function(&object, &code, call);
    int number = toint(object);
    reinterpret_cast<void (*)(int*, int*)>(function)(&number, &code);
}

/// Length: int or MPI_Count.
template <class Function, class Length>
void call_by_language(Function* function, Language language, void* in, void* inout, Length length,
                      MPI_Datatype datatype)
{
    if (language != Language::fortran)
        return function(in, inout, &length, &datatype);
    int number = toint(datatype);
    reinterpret_cast<void (*)(void*, void*, Length*, int*)>(function)(in, inout, &length, &number);
}

}  // namespace

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
        return call_by_language(function.large, function.language, in, inout, count, datatype);
    call_by_language(function.small, function.language, in, inout, static_cast<int>(count), datatype);
}

void call_error_handler(const ErrorHandler& handler, MPI_Comm comm, int& code, const char* call)
{
    call_by_language(handler.function, handler.language, comm, code, call);
}

void call_error_handler(const ErrorHandler& handler, MPI_File file, int& code, const char* call)
{
    call_by_language(handler.file_function, handler.language, file, code, call);
}

void call_error_handler(const ErrorHandler& handler, MPI_Win window, int& code, const char* call)
{
    call_by_language(handler.window_function, handler.language, window, code, call);
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
