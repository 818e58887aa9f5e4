/* calls dup|split|waitall|testsome|pingpong N: times a call at all ranks; the median, in us, of the slowest rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void communicator(int splits)
{
    int rank;
    MPI_Comm made;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (splits)
        MPI_Comm_split(MPI_COMM_WORLD, rank % 4, -rank, &made);
    else
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
}

/* Every rank receives N messages of 8 bytes from its neighbour on the left, and sends as many. */
static void requests(int count, int some)
{
    int rank, size, i, done, left = 2 * count;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double* in = malloc(sizeof(double) * count);
    double* out = calloc(count, sizeof(double));
    int* indices = malloc(sizeof(int) * 2 * count);
    MPI_Request* all = malloc(sizeof(MPI_Request) * 2 * count);
    for (i = 0; i < count; ++i)
        MPI_Irecv(in + i, 1, MPI_DOUBLE, (rank + size - 1) % size, i % 64, MPI_COMM_WORLD, all + i);
    for (i = 0; i < count; ++i)
        MPI_Isend(out + i, 1, MPI_DOUBLE, (rank + 1) % size, i % 64, MPI_COMM_WORLD, all + count + i);
    if (!some)
        MPI_Waitall(2 * count, all, MPI_STATUSES_IGNORE);
    while (some && left > 0) {
        MPI_Testsome(2 * count, all, &done, indices, MPI_STATUSES_IGNORE);
        left -= done == MPI_UNDEFINED ? left : done;
    }
    free(in), free(out), free(indices), free(all);
}

/* 8 bytes go from rank 0 to rank 1 and back, so many times. One rank sends to itself. */
static void pingpong(int trips)
{
    int rank, size, i;
    char out[8] = "ball", in[8];
    MPI_Status status;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 0; rank < 2 && i < trips; ++i) {
        if (rank == 0)
            MPI_Send(out, 8, MPI_CHAR, size > 1, 1, MPI_COMM_WORLD);
        MPI_Recv(in, 8, MPI_CHAR, size > 1 ? 1 - rank : 0, 1, MPI_COMM_WORLD, &status);
        if (rank == 1)
            MPI_Send(out, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
}

int main(int argc, char** argv)
{
    const int count = atoi(argv[2]), repetitions = argc > 3 ? atoi(argv[3]) : 21;
    int rank, size, i;
    double* us = malloc(sizeof(double) * repetitions);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = -3; i < repetitions; ++i) {
        double took, begin;
        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        if (argv[1][0] == 'd' || argv[1][0] == 's')
            communicator(argv[1][0] == 's');
        else if (argv[1][0] == 'p')
            pingpong(count);
        else
            requests(count, argv[1][0] == 't');
        took = 1e6 * (MPI_Wtime() - begin);
        MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (i >= 0)
            us[i] = took;
    }
    qsort(us, repetitions, sizeof(double), by_value);
    if (rank == 0)
        printf("%s %d: %.1f us on %d ranks\n", argv[1], count, us[repetitions / 2], size);
    MPI_Finalize();
    return 0;
}
