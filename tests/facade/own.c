/* A program whose own library meets by the launcher: own [abort STATUS | killed | lone]. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(int is_right, const char* what)
{
    if (!is_right) {
        fprintf(stderr, "wrong: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 99);
    }
}

int main(int argc, char** argv)
{
    const char* const action = argc > 1 ? argv[1] : "";
    int rank, size, sum, left, local;
    MPI_Comm node;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1 && strcmp(action, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
    if (rank == size - 1 && strcmp(action, "killed") == 0)
        raise(SIGKILL);
    if (rank == size - 1 && strcmp(action, "lone") == 0)
        exit(0);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == size * (size - 1) / 2, "the sum");
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &left, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(left == (rank + size - 1) % size, "the ring");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &local);
    printf("rank %d of %d, %d local\n", rank, size, local);
    return MPI_Finalize();
}
