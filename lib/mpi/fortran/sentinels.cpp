#include "lib/mpi/fortran/sentinels.hpp"

#pragma GCC visibility push(default)

extern "C" {

int tutti_mpi_bottom_;
int tutti_mpi_in_place_;
int tutti_mpi_buffer_automatic_;
int tutti_mpi_unweighted_[1];
int tutti_mpi_weights_empty_[1];
int tutti_mpi_errcodes_ignore_[1];
int tutti_mpi_status_ignore_[8];
int tutti_mpi_statuses_ignore_[8];
char tutti_mpi_argv_null_[1];
char tutti_mpi_argvs_null_[1];
MPI_Status tutti_mpi_status_ignore_f08;
MPI_Status tutti_mpi_statuses_ignore_f08[1];
}
