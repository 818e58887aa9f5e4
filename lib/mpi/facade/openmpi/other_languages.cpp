#include "lib/mpi/facade/openmpi/other_languages.hpp"

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

bool call_fortran_error_handler(MPI_Comm_errhandler_function*, const std::uintptr_t*, int*)
{
    return false;
}

}  // namespace tutti::mpi::facade
