// The program's functions get handles, codes and statuses as the program knows them.
#include "lib/mpi/object/callbacks.hpp"

#include "lib/mpi/facade/statuses.hpp"
#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "other_languages.hpp"

namespace tutti::mpi {

namespace {

using facade::HandleOf;
using facade::in_code;
using facade::out;

/// The type of a program's function that the library has in the standard's form.
template <class Own, class Standard>
Own* as_programs(Standard* function) noexcept
{
    return reinterpret_cast<Own*>(reinterpret_cast<void (*)()>(function));
}

template <class T>
int copy_of(facade::Function* function, T object, int key, void* extra_state, void* value, void* copied,
            int* is_copied)
{
    const HandleOf<T> handle = out(object);
    if (const auto code =
            facade::call_copy_proxy(function, handle, key, extra_state, value, copied, is_copied))
        return in_code(*code);
    return in_code(as_programs<int(HandleOf<T>, int, void*, void*, void*, int*)>(function)(
        handle, key, extra_state, value, copied, is_copied));
}

template <class T>
int delete_of(facade::Function* function, T object, int key, void* value, void* extra_state)
{
    const HandleOf<T> handle = out(object);
    if (const auto code = facade::call_delete_proxy(function, handle, key, value, extra_state))
        return in_code(*code);
    return in_code(
        as_programs<int(HandleOf<T>, int, void*, void*)>(function)(handle, key, value, extra_state));
}

template <class T>
void call_handler(const ErrorHandler& handler, facade::Function* function, T object, int& code,
                  const char* call)
{
    HandleOf<T> handle = out(object);
    int own = facade::out_code(code);
    switch (handler.language) {
        case Language::c:
            as_programs<void(HandleOf<T>*, int*, ...)>(function)(&handle, &own, call);
            break;
        case Language::fortran:
            facade::call_fortran_error_handler<T>(function, handle, &own);
            break;
        case Language::cxx:
            facade::call_cxx_error_handler<T>(handler, function, &handle, &own, call);
            break;
    }
    code = in_code(own);
}

template <class T>
void throw_to_program(T object, int& code, const char* call)
{
    HandleOf<T> handle = out(object);
    int own = facade::out_code(code);
    facade::throw_exception<T>(&handle, &own, call);
    code = in_code(own);
}

/// A function of Fortran's for a generalized request: all arguments are addresses, the last one that of the
/// code. The extra state is an address already.
template <class Standard, class... Arguments>
int call_fortran(Standard* function, void* extra_state, Arguments*... arguments)
{
    int code = 0;
    as_programs<void(void*, Arguments*..., int*)>(function)(extra_state, arguments..., &code);
    return code;
}

bool ends_job_at_errors(MPI_Comm comm)
{
    const Ref<ErrorHandler> handler = handler_of(comm);
    return !handler || handler.get() == &fatal_errors();
}

}  // namespace

// Programs of MPI 3.1 set MPI_COMM_WORLD's handler for them, those of MPI 4 MPI_COMM_SELF's.
MPI_Comm comm_of_other_errors() noexcept
{
    return ends_job_at_errors(MPI_COMM_WORLD) && !ends_job_at_errors(MPI_COMM_SELF) ? MPI_COMM_SELF
                                                                                    : MPI_COMM_WORLD;
}

int known_class(int error_class) noexcept
{
    if (std::ranges::find(facade::kNumbers_error, error_class, &facade::Number::standard) !=
        std::end(facade::kNumbers_error))
        return error_class;
    return error_class == MPI_ERR_ERRHANDLER ? MPI_ERR_ARG : MPI_ERR_OTHER;
}

void call_operator(const UserFunction& function, void* in, void* inout, MPI_Count count,
                   MPI_Datatype datatype)
{
    HandleOf<MPI_Datatype> handle = out(datatype);
    if (function.large != nullptr)
        return as_programs<void(void*, void*, MPI_Count*, HandleOf<MPI_Datatype>*)>(function.large)(
            in, inout, &count, &handle);
    int length = static_cast<int>(count);
    switch (function.language) {
        case Language::c:
            return as_programs<void(void*, void*, int*, HandleOf<MPI_Datatype>*)>(function.small)(
                in, inout, &length, &handle);
        case Language::fortran:
            return facade::call_fortran_operator(function, in, inout, &length, handle);
        case Language::cxx:
            return facade::call_cxx_operator(function, in, inout, &length, &handle);
    }
}

void call_error_handler(const ErrorHandler& handler, MPI_Comm comm, int& code, const char* call)
{
    call_handler(handler, as_programs<facade::Function>(handler.function), comm, code, call);
}

void call_error_handler(const ErrorHandler& handler, MPI_File file, int& code, const char* call)
{
    call_handler(handler, as_programs<facade::Function>(handler.file_function), file, code, call);
}

void call_error_handler(const ErrorHandler& handler, MPI_Win window, int& code, const char* call)
{
    call_handler(handler, as_programs<facade::Function>(handler.window_function), window, code, call);
}

int call_copy(MPI_Comm_copy_attr_function* function, MPI_Comm comm, int key, void* extra_state, void* value,
              void* copied, int* is_copied)
{
    return copy_of(as_programs<facade::Function>(function), comm, key, extra_state, value, copied, is_copied);
}

int call_copy(MPI_Type_copy_attr_function* function, MPI_Datatype datatype, int key, void* extra_state,
              void* value, void* copied, int* is_copied)
{
    return copy_of(as_programs<facade::Function>(function), datatype, key, extra_state, value, copied,
                   is_copied);
}

int call_copy(MPI_Win_copy_attr_function* function, MPI_Win window, int key, void* extra_state, void* value,
              void* copied, int* is_copied)
{
    return copy_of(as_programs<facade::Function>(function), window, key, extra_state, value, copied,
                   is_copied);
}

int call_delete(MPI_Comm_delete_attr_function* function, MPI_Comm comm, int key, void* value,
                void* extra_state)
{
    return delete_of(as_programs<facade::Function>(function), comm, key, value, extra_state);
}

int call_delete(MPI_Type_delete_attr_function* function, MPI_Datatype datatype, int key, void* value,
                void* extra_state)
{
    return delete_of(as_programs<facade::Function>(function), datatype, key, value, extra_state);
}

int call_delete(MPI_Win_delete_attr_function* function, MPI_Win window, int key, void* value,
                void* extra_state)
{
    return delete_of(as_programs<facade::Function>(function), window, key, value, extra_state);
}

void throw_error(MPI_Comm comm, int& code, const char* call)
{
    throw_to_program(comm, code, call);
}

void throw_error(MPI_File file, int& code, const char* call)
{
    throw_to_program(file, code, call);
}

void throw_error(MPI_Win window, int& code, const char* call)
{
    throw_to_program(window, code, call);
}

int call_conversion(const ConversionFunction& function, void* user, MPI_Datatype datatype, MPI_Count count,
                    void* file, MPI_Offset position, void* extra_state)
{
    using Type = HandleOf<MPI_Datatype>;
    if (function.large != nullptr)
        return in_code(as_programs<int(void*, Type, MPI_Count, void*, MPI_Offset, void*)>(function.large)(
            user, out(datatype), count, file, position, extra_state));
    return in_code(as_programs<int(void*, Type, int, void*, MPI_Offset, void*)>(function.small)(
        user, out(datatype), static_cast<int>(count), file, position, extra_state));
}

int call_extent(MPI_Datarep_extent_function* function, MPI_Datatype datatype, MPI_Aint* extent,
                void* extra_state)
{
    return in_code(as_programs<int(HandleOf<MPI_Datatype>, MPI_Aint*, void*)>(function)(out(datatype), extent,
                                                                                        extra_state));
}

int call_query(const Generalized& request, MPI_Status* status)
{
    facade::Status own{};
    facade::out_status(*status, own);
    const int code = request.is_of_c ? as_programs<int(void*, facade::Status*)>(request.query_function)(
                                           request.extra_state, &own)
                                     : call_fortran(request.query_function, request.extra_state, &own);
    *status = facade::in_status(own);
    return in_code(code);
}

int call_free(const Generalized& request)
{
    return in_code(request.is_of_c ? request.free_function(request.extra_state)
                                   : call_fortran(request.free_function, request.extra_state));
}

int call_cancel(const Generalized& request, bool is_complete)
{
    int complete = is_complete ? 1 : 0;
    return in_code(request.is_of_c ? request.cancel_function(request.extra_state, complete)
                                   : call_fortran(request.cancel_function, request.extra_state, &complete));
}

}  // namespace tutti::mpi
