/* The last rank of an MPI program dies at a known place: dies_mpi HOW. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int* volatile nowhere = NULL;

__attribute__((noinline)) static void store_into(int* target)
{
    *target = 1; /* line 12 */
}

static volatile int never = 0;

__attribute__((noinline)) static int fill_stack(int depth)
{
    volatile char page[4096];
    page[0] = (char)depth;
    return never ? 0 : fill_stack(depth + 1) + page[0];
}

/* Its first call gives it room for the handler. */
static void* overflow_in_thread(void* nothing)
{
    int rank = 0, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, rank, 2, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    exit(fill_stack(0));
    return nothing;
}

int main(int argc, char** argv)
{
    int rank = 0, size = 0, value = 0, threads = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        if (strcmp(argv[1], "segfault") == 0)
            store_into(nowhere);
        if (strcmp(argv[1], "overflow") == 0)
            exit(fill_stack(0));
        if (strcmp(argv[1], "thread_overflow") == 0) {
            pthread_t thread;
            pthread_create(&thread, NULL, overflow_in_thread, NULL);
            pthread_join(thread, NULL);
        }
        if (strcmp(argv[1], "abort") == 0)
            abort();
        if (strcmp(argv[1], "call_abort") == 0)
            MPI_Abort(MPI_COMM_WORLD, 6);
        if (strcmp(argv[1], "exit") == 0)
            _exit(0);
    }
    MPI_Recv(&value, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
