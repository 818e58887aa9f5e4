#include "lib/mpi/facade/openmpi/other_languages.hpp"

#include <mutex>
#include <set>

#include "lib/mpi/facade/openmpi/fortran_handles.hpp"

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
template bool call_fortran_error_handler<MPI_Win>(void (*)(), const std::uintptr_t*, int*);

}  // namespace tutti::mpi::facade
