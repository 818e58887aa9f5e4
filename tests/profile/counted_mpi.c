/* The exchange of counted.cpp, on a communicator with a name. */
#include <mpi.h>

static char out[3000], in[3000];

static void exchange(MPI_Comm rows)
{
    int rank, size;
    MPI_Comm_rank(rows, &rank);
    MPI_Comm_size(rows, &size);
    for (int i = 0; i < 10; ++i) {
        MPI_Request arriving;
        MPI_Irecv(in, sizeof in, MPI_CHAR, (rank + size - 1) % size, 5, rows, &arriving);
        MPI_Send(out, sizeof out, MPI_CHAR, (rank + 1) % size, 5, rows);
        MPI_Wait(&arriving, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm rows;
    double sum = 1, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &rows);
    MPI_Comm_set_name(rows, "rows");
    exchange(rows);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, rows);
    MPI_Comm_free(&rows);
    MPI_Finalize();
    return all > 0 ? 0 : 1;
}
