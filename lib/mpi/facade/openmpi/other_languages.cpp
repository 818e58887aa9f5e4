#include "lib/mpi/facade/openmpi/other_languages.hpp"

#include <map>
#include <mutex>
#include <set>

#include "lib/mpi/facade/cxx_callers.hpp"
#include "lib/mpi/facade/openmpi/fortran_handles.hpp"

extern "C" tutti::mpi::facade::PredefinedObject<1024> ompi_mpi_errors_throw_exceptions;

namespace tutti::mpi::facade {

bool call_fortran_operator(MPI_User_function* function, void* in, void* inout, int* length,
                           const std::uintptr_t* datatype)
{
    if (!is_fortran_operator(function))
        return false;
    int number = to_fortran<MPI_Datatype>(datatype);
    reinterpret_cast<void (*)(void*, void*, int*, int*)>(function)(in, inout, length, &number);
    return true;
}

namespace {

// Never destroyed: handlers are called after main.
struct FortranHandlers {
    std::mutex mutex;
    std::set<void (*)()> all;
};
FortranHandlers& fortran_handlers()
{
    static FortranHandlers& all = *new FortranHandlers;
    return all;
}

}  // namespace

namespace {

struct CxxHandlers {
    std::mutex mutex;
    std::map<void (*)(), const ErrorHandlerObject*> objects;
};
CxxHandlers& cxx_handlers()
{
    static CxxHandlers& all = *new CxxHandlers;
    return all;
}

}  // namespace

thread_local LastConverted last_converted{};

void remember_fortran_error_handler(void (*function)())
{
    const std::lock_guard lock(fortran_handlers().mutex);
    fortran_handlers().all.insert(function);
}

template <class T>
bool call_fortran_error_handler(void (*function)(), const std::uintptr_t* object, int* code)
{
    {
        const std::lock_guard lock(fortran_handlers().mutex);
        if (!fortran_handlers().all.contains(function))
            return false;
    }
    int number = to_fortran<T>(object);
    reinterpret_cast<void (*)(int*, int*)>(function)(&number, code);
    return true;
}
template bool call_fortran_error_handler<MPI_Comm>(void (*)(), const std::uintptr_t*, int*);
template bool call_fortran_error_handler<MPI_File>(void (*)(), const std::uintptr_t*, int*);
template bool call_fortran_error_handler<MPI_Win>(void (*)(), const std::uintptr_t*, int*);

bool call_cxx_operator(void (*function)(), void* in, void* inout, int* length,
                       const std::uintptr_t** datatype)
{
    auto* const caller = cxx_caller(function);
    if (caller == nullptr)
        return false;
    reinterpret_cast<void (*)(void*, void*, int*, const std::uintptr_t**, void (*)())>(caller)(
        in, inout, length, datatype, function);
    return true;
}

void remember_cxx_error_handler(void (*function)(), const std::uintptr_t* handle)
{
    const std::lock_guard lock(cxx_handlers().mutex);
    cxx_handlers().objects[function] = reinterpret_cast<const ErrorHandlerObject*>(handle);
}

template <class T>
bool call_cxx_error_handler(void (*function)(), const std::uintptr_t** object, int* code, const char* call)
{
    const ErrorHandlerObject* handler = nullptr;
    {
        const std::lock_guard lock(cxx_handlers().mutex);
        const auto found = cxx_handlers().objects.find(function);
        if (found == cxx_handlers().objects.end())
            return false;
        handler = found->second;
    }
    using Caller = void(const std::uintptr_t**, int*, const char*, void (*)());
    reinterpret_cast<Caller*>(handler->cxx_caller)(object, code, call, function);
    return true;
}
template bool call_cxx_error_handler<MPI_Comm>(void (*)(), const std::uintptr_t**, int*, const char*);
template bool call_cxx_error_handler<MPI_File>(void (*)(), const std::uintptr_t**, int*, const char*);
template bool call_cxx_error_handler<MPI_Win>(void (*)(), const std::uintptr_t**, int*, const char*);

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
