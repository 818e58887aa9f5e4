/* Every rank's number travels once around the ring, and each rank adds up what passes. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv)
{
    int rank, size, step, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int passing = rank;
    for (step = 0; step < size; ++step) {
        int received;
        MPI_Sendrecv(&passing, 1, MPI_INT, (rank + 1) % size, 0, &received, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        passing = received;
        sum += passing;
    }
    printf("rank %d of %d: the sum of all ranks is %d\n", rank, size, sum);
    MPI_Finalize();
    return sum == size * (size - 1) / 2 ? 0 : 1;
}
