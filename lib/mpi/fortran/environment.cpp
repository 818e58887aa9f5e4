// What Fortran has in another form than C, or alone: the begin, functions with results, questions to the
// compiler.
#include <array>
#include <cstring>

#include "lib/mpi/fortran/buffers.hpp"
#include "lib/mpi/fortran/handles.hpp"
#include "lib/mpi/fortran/values.hpp"

namespace tutti::mpi::fortran {

namespace {

/// Tells the library what a logical is and how large numbers are. Another library for Fortran in the process
/// may have done so.
void tell_compilers_facts()
{
    int is_true = 1;
    int is_false = 0;
    int is_set = 0;
    int set_true = 0;
    int set_false = 0;
    if (PMPI_Abi_get_fortran_booleans(sizeof is_true, &set_true, &set_false, &is_set) == MPI_SUCCESS &&
        is_set == 0)
        PMPI_Abi_set_fortran_booleans(sizeof is_true, &is_true, &is_false);
    MPI_Info sizes = MPI_INFO_NULL;
    if (PMPI_Abi_get_fortran_info(&sizes) != MPI_SUCCESS)
        return;
    if (sizes == MPI_INFO_NULL && PMPI_Info_create(&sizes) == MPI_SUCCESS) {
        for (const char* type : {"mpi_logical_size", "mpi_integer_size", "mpi_real_size"})
            PMPI_Info_set(sizes, type, "4");
        PMPI_Info_set(sizes, "mpi_double_precision_size", "8");
        PMPI_Abi_set_fortran_info(sizes);
    }
    PMPI_Info_free(&sizes);
}

void init_thread(const int* required, int* provided, int* ierror)
{
    const int code = MPI_Init_thread(nullptr, nullptr, *required, provided);
    if (code == MPI_SUCCESS)
        tell_compilers_facts();
    set(ierror, code);
}

void init(int* ierror)
{
    const int code = MPI_Init(nullptr, nullptr);
    if (code == MPI_SUCCESS)
        tell_compilers_facts();
    set(ierror, code);
}

}  // namespace

}  // namespace tutti::mpi::fortran

#pragma GCC visibility push(default)

extern "C" {

using namespace tutti::mpi;
using namespace tutti::mpi::fortran;

void pmpi_init_(int* ierror)
{
    init(ierror);
}
void mpi_init_(int* ierror) __attribute__((weak, alias("pmpi_init_")));
void mpi_init_f08_(int* ierror) __attribute__((weak, alias("pmpi_init_")));
void pmpi_init_f08_(int* ierror) __attribute__((weak, alias("pmpi_init_")));

void pmpi_init_thread_(const int* required, int* provided, int* ierror)
{
    init_thread(required, provided, ierror);
}
void mpi_init_thread_(const int*, int*, int*) __attribute__((weak, alias("pmpi_init_thread_")));
void mpi_init_thread_f08_(const int*, int*, int*) __attribute__((weak, alias("pmpi_init_thread_")));
void pmpi_init_thread_f08_(const int*, int*, int*) __attribute__((weak, alias("pmpi_init_thread_")));

void pmpi_info_create_env_(int* info, int* ierror)
{
    set(ierror, MPI_Info_create_env(0, nullptr, Out<MPI_Info>(info)));
}
void mpi_info_create_env_(int*, int*) __attribute__((weak, alias("pmpi_info_create_env_")));
void mpi_info_create_env_f08_(int*, int*) __attribute__((weak, alias("pmpi_info_create_env_")));
void pmpi_info_create_env_f08_(int*, int*) __attribute__((weak, alias("pmpi_info_create_env_")));

void pmpi_pcontrol_(const int* level)
{
    MPI_Pcontrol(*level);
}
void mpi_pcontrol_(const int*) __attribute__((weak, alias("pmpi_pcontrol_")));

double pmpi_wtime_()
{
    return MPI_Wtime();
}
double mpi_wtime_() __attribute__((weak, alias("pmpi_wtime_")));

double pmpi_wtick_()
{
    return MPI_Wtick();
}
double mpi_wtick_() __attribute__((weak, alias("pmpi_wtick_")));

MPI_Aint pmpi_aint_add_(const MPI_Aint* base, const MPI_Aint* displacement)
{
    return MPI_Aint_add(*base, *displacement);
}
MPI_Aint mpi_aint_add_(const MPI_Aint*, const MPI_Aint*) __attribute__((weak, alias("pmpi_aint_add_")));

MPI_Aint pmpi_aint_diff_(const MPI_Aint* first, const MPI_Aint* second)
{
    return MPI_Aint_diff(*first, *second);
}
MPI_Aint mpi_aint_diff_(const MPI_Aint*, const MPI_Aint*) __attribute__((weak, alias("pmpi_aint_diff_")));

void mpi_sizeof_f08ts_(const ArrayDescriptor* x, int* size, int* ierror)
{
    *size = static_cast<int>(x->element_bytes);
    set(ierror, MPI_SUCCESS);
}

// A call that the compiler cannot look into: it keeps no part of the buffer in registers across it.
void mpi_f_sync_reg_(void*) {}
void mpi_f_sync_reg_f08ts_(const ArrayDescriptor*) {}

void mpi_status_f2f08_(const int* from, MPI_Status* to, int* ierror)
{
    std::memcpy(to, from, sizeof *to);
    set(ierror, MPI_SUCCESS);
}
void mpi_status_f2f08_f08_(const int*, MPI_Status*, int*) __attribute__((weak, alias("mpi_status_f2f08_")));

void mpi_status_f082f_(const MPI_Status* from, int* to, int* ierror)
{
    std::memcpy(to, from, sizeof *from);
    set(ierror, MPI_SUCCESS);
}
void mpi_status_f082f_f08_(const MPI_Status*, int*, int*) __attribute__((weak, alias("mpi_status_f082f_")));
}
