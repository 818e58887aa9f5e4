/* Ranks of a node together get no more memory than there is, and each learns of it by an error. */
#include <stdlib.h>
#include "check.h"

enum { kPieces = 64 };

/* MemAvailable and SwapFree. */
static long long available_bytes(void)
{
    char line[200];
    long long kib = 0, sum = 0;
    FILE* file = fopen("/proc/meminfo", "r");
    CHECK(file != NULL);
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %lld", &kib) == 1 || sscanf(line, "SwapFree: %lld", &kib) == 1)
            sum += kib << 10;
    if (file != NULL)
        fclose(file);
    return sum;
}

static void one_after_the_other(long long available)
{
    void* pieces[kPieces] = {NULL};
    const MPI_Aint bytes = (MPI_Aint)(available / 8);
    int count = 0, code = MPI_SUCCESS, all = 0, i, turn;
    for (turn = 0; turn < check_size(); ++turn) {
        if (turn == check_rank())
            while (count < kPieces &&
                   (code = MPI_Alloc_mem(bytes, MPI_INFO_NULL, &pieces[count])) == MPI_SUCCESS)
                ++count;
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    CHECK_ERROR(code, MPI_ERR_NO_MEM, "more than there is");
    CHECK_OK(MPI_Allreduce(&count, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(all <= 10); /* 8, and what others of this machine have given back meanwhile */
    for (i = 0; i < count; ++i)
        CHECK_OK(MPI_Free_mem(pieces[i]));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void freed_can_be_had_again(void)
{
    char* memory = NULL;
    CHECK_OK(MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &memory));
    memory[0] = 1;
    CHECK_OK(MPI_Free_mem(memory));
}

int main(int argc, char** argv)
{
    long long available = available_bytes();
    MPI_Init(&argc, &argv);
    check_errors_return();
    CHECK_OK(MPI_Bcast(&available, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD));
    one_after_the_other(available);
    freed_can_be_had_again();
    MPI_Finalize();
    return check_result();
}
