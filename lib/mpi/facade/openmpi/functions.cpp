// The functions behind Open MPI's MPI_COMM_DUP_FN and its like: the copy is the value, or there is none.
#include <cstdint>

namespace {

using Handle = const std::uintptr_t*;

int copy_value(void* value, void* copied, int* is_copied) noexcept
{
    *static_cast<void**>(copied) = value;
    *is_copied = 1;
    return 0;
}

int copy_nothing(int* is_copied) noexcept
{
    *is_copied = 0;
    return 0;
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

int OMPI_C_MPI_COMM_DUP_FN(Handle, int, void*, void* value, void* copied, int* is_copied)
{
    return copy_value(value, copied, is_copied);
}
int OMPI_C_MPI_TYPE_DUP_FN(Handle, int, void*, void* value, void* copied, int* is_copied)
{
    return copy_value(value, copied, is_copied);
}
int OMPI_C_MPI_WIN_DUP_FN(Handle, int, void*, void* value, void* copied, int* is_copied)
{
    return copy_value(value, copied, is_copied);
}
int OMPI_C_MPI_DUP_FN(Handle, int, void*, void* value, void* copied, int* is_copied)
{
    return copy_value(value, copied, is_copied);
}

int OMPI_C_MPI_COMM_NULL_COPY_FN(Handle, int, void*, void*, void*, int* is_copied)
{
    return copy_nothing(is_copied);
}
int OMPI_C_MPI_TYPE_NULL_COPY_FN(Handle, int, void*, void*, void*, int* is_copied)
{
    return copy_nothing(is_copied);
}
int OMPI_C_MPI_WIN_NULL_COPY_FN(Handle, int, void*, void*, void*, int* is_copied)
{
    return copy_nothing(is_copied);
}
int OMPI_C_MPI_NULL_COPY_FN(Handle, int, void*, void*, void*, int* is_copied)
{
    return copy_nothing(is_copied);
}

int OMPI_C_MPI_COMM_NULL_DELETE_FN(Handle, int, void*, void*)
{
    return 0;
}
int OMPI_C_MPI_TYPE_NULL_DELETE_FN(Handle, int, void*, void*)
{
    return 0;
}
int OMPI_C_MPI_WIN_NULL_DELETE_FN(Handle, int, void*, void*)
{
    return 0;
}
int OMPI_C_MPI_NULL_DELETE_FN(Handle, int, void*, void*)
{
    return 0;
}
}
