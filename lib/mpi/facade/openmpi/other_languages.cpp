#include "lib/mpi/facade/openmpi/other_languages.hpp"

#include "lib/mpi/facade/openmpi/fortran_handles.hpp"
#include "lib/mpi/object/error_handler.hpp"

extern "C" tutti::mpi::facade::PredefinedObject<1024> ompi_mpi_errors_throw_exceptions;

namespace tutti::mpi::facade {

thread_local LastConverted last_converted{};

void call_fortran_operator(const UserFunction& function, void* in, void* inout, int* length,
                           const std::uintptr_t* datatype)
{
    int number = to_fortran<MPI_Datatype>(datatype);
    reinterpret_cast<void (*)(void*, void*, int*, int*)>(function.small)(in, inout, length, &number);
}

template <class T>
void call_fortran_error_handler(void (*function)(), const std::uintptr_t* object, int* code)
{
    int number = to_fortran<T>(object);
    reinterpret_cast<void (*)(int*, int*)>(function)(&number, code);
}
template void call_fortran_error_handler<MPI_Comm>(void (*)(), const std::uintptr_t*, int*);
template void call_fortran_error_handler<MPI_File>(void (*)(), const std::uintptr_t*, int*);
template void call_fortran_error_handler<MPI_Win>(void (*)(), const std::uintptr_t*, int*);

void call_cxx_operator(const UserFunction& function, void* in, void* inout, int* length,
                       const std::uintptr_t** datatype)
{
    using Caller = void(void*, void*, int*, const std::uintptr_t**, void (*)());
    reinterpret_cast<Caller*>(function.cxx_caller)(in, inout, length, datatype,
                                                   reinterpret_cast<void (*)()>(function.small));
}

template <class T>
void call_cxx_error_handler(const ErrorHandler& handler, void (*function)(), const std::uintptr_t** object,
                            int* code, const char* call)
{
    using Caller = void(const std::uintptr_t**, int*, const char*, void (*)());
    reinterpret_cast<Caller*>(created_error_handler(handler.self).cxx_caller)(object, code, call, function);
}
template void call_cxx_error_handler<MPI_Comm>(const ErrorHandler&, void (*)(), const std::uintptr_t**, int*,
                                               const char*);
template void call_cxx_error_handler<MPI_File>(const ErrorHandler&, void (*)(), const std::uintptr_t**, int*,
                                               const char*);
template void call_cxx_error_handler<MPI_Win>(const ErrorHandler&, void (*)(), const std::uintptr_t**, int*,
                                              const char*);

template <class T>
void throw_exception(const std::uintptr_t** object, int* code, const char* call)
{
    const auto& own = reinterpret_cast<const ErrorHandlerObject&>(ompi_mpi_errors_throw_exceptions);
    auto* const function = std::is_same_v<T, MPI_Win>    ? own.of_windows
                           : std::is_same_v<T, MPI_File> ? own.of_files
                                                         : own.of_communicators;
    // There before MPI::Init has run only for programs that have no C++ bindings.
    if (function != nullptr)
        reinterpret_cast<void (*)(const std::uintptr_t**, int*, ...)>(function)(object, code, call);
}
template void throw_exception<MPI_Comm>(const std::uintptr_t**, int*, const char*);
template void throw_exception<MPI_File>(const std::uintptr_t**, int*, const char*);
template void throw_exception<MPI_Win>(const std::uintptr_t**, int*, const char*);

}  // namespace tutti::mpi::facade
