// Calls that MPI 3.0 has removed, which old programs still make: addresses and extents are default integers
// there.
#include <vector>

#include "lib/mpi/fortran/bodies.hpp"
#include "lib/mpi/fortran/buffers.hpp"
#include "lib/mpi/fortran/handles.hpp"

namespace tutti::mpi::fortran {

namespace {

std::vector<MPI_Aint> widened(const int* numbers, int count)
{
    return {numbers, numbers + std::max(count, 0)};
}

/// The lower bound and the extent of a type.
struct Bounds {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    int code = MPI_SUCCESS;

    explicit Bounds(const int* datatype)
    {
        code = MPI_Type_get_extent(in<MPI_Datatype>(datatype), &lower, &extent);
    }
};

}  // namespace

}  // namespace tutti::mpi::fortran

#pragma GCC visibility push(default)

extern "C" {

using namespace tutti::mpi::fortran;

// The lower half of the address: differences of places less than 2 GiB apart are right.
void mpi_address_(void* location, int* address, int* ierror)
{
    *address = static_cast<int>(reinterpret_cast<std::intptr_t>(buffer_at(location)));
    set(ierror, MPI_SUCCESS);
}

void mpi_type_extent_(const int* datatype, int* extent, int* ierror)
{
    const Bounds bounds(datatype);
    *extent = static_cast<int>(bounds.extent);
    set(ierror, bounds.code);
}

void mpi_type_lb_(const int* datatype, int* lower, int* ierror)
{
    const Bounds bounds(datatype);
    *lower = static_cast<int>(bounds.lower);
    set(ierror, bounds.code);
}

void mpi_type_ub_(const int* datatype, int* upper, int* ierror)
{
    const Bounds bounds(datatype);
    *upper = static_cast<int>(bounds.lower + bounds.extent);
    set(ierror, bounds.code);
}

void mpi_type_hvector_(const int* count, const int* length, const int* stride, const int* old_type,
                       int* new_type, int* ierror)
{
    set(ierror, MPI_Type_create_hvector(*count, *length, *stride, in<MPI_Datatype>(old_type),
                                        Out<MPI_Datatype>(new_type)));
}

void mpi_type_hindexed_(const int* count, const int* lengths, const int* places, const int* old_type,
                        int* new_type, int* ierror)
{
    set(ierror, MPI_Type_create_hindexed(*count, lengths, widened(places, *count).data(),
                                         in<MPI_Datatype>(old_type), Out<MPI_Datatype>(new_type)));
}

void mpi_type_struct_(const int* count, const int* lengths, const int* places, const int* types,
                      int* new_type, int* ierror)
{
    set(ierror, MPI_Type_create_struct(*count, lengths, widened(places, *count).data(),
                                       InArray<MPI_Datatype>(types, *count), Out<MPI_Datatype>(new_type)));
}

void mpi_errhandler_create_(Function* function, int* handler, int* ierror)
{
    set(ierror, comm_create_errhandler(function, handler));
}

void mpi_errhandler_get_(const int* comm, int* handler, int* ierror)
{
    set(ierror, MPI_Comm_get_errhandler(in<MPI_Comm>(comm), Out<MPI_Errhandler>(handler)));
}

void mpi_errhandler_set_(const int* comm, const int* handler, int* ierror)
{
    set(ierror, MPI_Comm_set_errhandler(in<MPI_Comm>(comm), in<MPI_Errhandler>(handler)));
}
}
