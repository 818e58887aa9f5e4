/* A histogram whose bins are dealt over all ranks: each adds what it counted to the others' bins by MPI_Accumulate,
   between two fences. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { bins = 1000, numbers = 100000 };

int main(int argc, char** argv)
{
    static int counted[bins], expected[bins];
    int rank, size, wrong = 0, all_wrong;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    unsigned long long random = 88172645463325252ull + (unsigned)rank;
    for (int i = 0; i < numbers; ++i) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        ++counted[(random % bins + (random >> 32) % bins) / 2];
    }

    const int share = (bins + size - 1) / size;
    int* mine;
    MPI_Win window;
    MPI_Win_allocate(share * (MPI_Aint)sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
    memset(mine, 0, (size_t)share * sizeof *mine);
    MPI_Win_fence(0, window);
    for (int begin = 0; begin < bins; begin += share) {
        const int count = begin + share <= bins ? share : bins - begin;
        MPI_Accumulate(counted + begin, count, MPI_INT, begin / share, 0, count, MPI_INT, MPI_SUM, window);
    }
    MPI_Win_fence(0, window);

    MPI_Allreduce(counted, expected, bins, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < share && rank * share + i < bins; ++i)
        wrong += mine[i] != expected[rank * share + i];
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d numbers in %d bins on %d ranks, %d in the middle one: %s\n", numbers * size, bins, size,
               expected[bins / 2], all_wrong == 0 ? "right" : "WRONG");
    MPI_Win_free(&window);
    MPI_Finalize();
    return all_wrong == 0 ? 0 : 1;
}
