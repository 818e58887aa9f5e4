/* Ranks that wait for each other for ever: the argument says how. hangs_check looks at what is told. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    int rank = 0;
    int value = 0;
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Comm rows;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &rows);
    MPI_Comm_set_name(rows, "rows");
    MPI_Comm_rank(rows, &rank);
    if (which == 0) { /* another tag */
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 24, rows);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, 42, rows, MPI_STATUS_IGNORE);
        MPI_Barrier(rows);
    }
    if (which == 1) /* both receive */
        MPI_Recv(&value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (which == 2) /* both probe */
        MPI_Probe(1 - rank, MPI_ANY_TAG, rows, MPI_STATUS_IGNORE);
    if (which == 3) { /* a collective without one rank */
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &request);
        if (rank == 0)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_SUM, rows);
    }
    MPI_Finalize();
    return 0;
}
