/* Messages out of malloc'ed memory. With the argument "shared", tuttirun has preloaded the heap: peers map
 * the blocks, also after a fork. With "own" it has not, and nobody maps anything. */
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { kMost = 6 * 1024 * 1024 };

/* Heaps that this process has mapped: its own and its peers'. */
static int heaps(void)
{
    char line[512];
    int count = 0;
    FILE* maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps) != NULL)
        count += strstr(line, "memfd:tutti-malloc") != NULL && strstr(line, " 00000000 ") != NULL;
    fclose(maps);
    return count;
}

static int is_filled(const unsigned char* data, int bytes, int value)
{
    return data[0] == value && memcmp(data, data + 1, (size_t)bytes - 1) == 0;
}

static int right, left, rank;

/* To the right, out of a block of its own and into one; both are freed. */
static void pass(int bytes, int value)
{
    MPI_Status status;
    int count = 0;
    unsigned char* out = malloc((size_t)bytes);
    unsigned char* in = calloc((size_t)bytes, 1);
    memset(out, value + rank, (size_t)bytes);
    CHECK_OK(
        MPI_Sendrecv(out, bytes, MPI_BYTE, right, 1, in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &status));
    memset(out, 0, (size_t)bytes); /* the receiver has it */
    CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQUAL(count, bytes);
    CHECK(is_filled(in, bytes, (value + left) & 255));
    free(out);
    free(in);
}

/* A window of messages from blocks that grow by realloc and are freed in another order. */
static void windows(void)
{
    enum { kWindow = 20 };
    MPI_Request requests[2 * kWindow];
    unsigned char* out[kWindow];
    unsigned char* in[kWindow];
    for (int i = 0; i < kWindow; ++i) {
        const int bytes = 3000 * (i + 1);
        out[i] = malloc(1000);
        out[i] = realloc(out[i], (size_t)bytes);
        memset(out[i], rank + i, (size_t)bytes);
        in[i] = malloc((size_t)bytes);
        CHECK_OK(MPI_Isend(out[i], bytes, MPI_BYTE, right, i, MPI_COMM_WORLD, &requests[2 * i]));
        CHECK_OK(MPI_Irecv(in[i], bytes, MPI_BYTE, left, i, MPI_COMM_WORLD, &requests[2 * i + 1]));
    }
    CHECK_OK(MPI_Waitall(2 * kWindow, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < kWindow; ++i)
        CHECK(is_filled(in[i], 3000 * (i + 1), (left + i) & 255));
    for (int i = 0; i < kWindow; ++i) {
        free(in[(7 * i) % kWindow]);
        free(out[(3 * i) % kWindow]);
    }
}

/* The child sees what there was at the fork, and writes to its own memory; the parent goes on in shared
 * memory. */
static void forks(void)
{
    int status = -1;
    unsigned char* block = malloc(kMost);
    memset(block, 1, kMost);
    const pid_t child = fork();
    if (child == 0) {
        const int good = is_filled(block, kMost, 1);
        memset(block, 2, kMost);
        free(block);
        block = malloc(100000);
        memset(block, 3, 100000);
        free(block);
        _exit(good ? 0 : 1);
    }
    pass(kMost, 40);
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    CHECK(is_filled(block, kMost, 1));
    CHECK_OK(
        MPI_Sendrecv_replace(block, kMost, MPI_BYTE, right, 2, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(is_filled(block, kMost, 1));
    CHECK_EQUAL(system("exit 3"), 3 << 8);
    free(block);
}

/* A block that is attached to a window: the others count in it. Where they map it, its rank need make no
 * call. */
static void attached(int size, int is_mapped)
{
    long one = 1;
    MPI_Aint there = 0;
    MPI_Win win;
    long* block = calloc(100000, 1);
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_attach(win, block, 100000));
    CHECK_OK(MPI_Get_address(&block[77], &there));
    MPI_Bcast(&there, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, there, 1, MPI_LONG, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock(0, win));
    } else if (is_mapped) {
        while (__atomic_load_n(&block[77], __ATOMIC_ACQUIRE) != size - 1)
            sched_yield();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        CHECK_EQUAL(block[77], size - 1);
    CHECK_OK(MPI_Win_detach(win, block));
    CHECK_OK(MPI_Win_free(&win));
    free(block);
}

int main(int argc, char** argv)
{
    int size = 0;
    int expected = 0;
    unsigned char* before = malloc(100000); /* is shared, too */
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    if (strcmp(argv[1], "shared") == 0)
        expected = size == 1 ? 1 : 2;

    memset(before, rank, 100000);
    if (size > 1)
        CHECK_OK(MPI_Sendrecv_replace(before, 100000, MPI_BYTE, right, 0, left, 0, MPI_COMM_WORLD,
                                      MPI_STATUS_IGNORE));
    CHECK(is_filled(before, 100000, left));
    CHECK_EQUAL(heaps(), expected);
    free(before);
    for (int bytes = 1000; bytes <= kMost; bytes *= 3)
        pass(bytes, bytes & 63);
    windows();
    forks();
    for (int i = 0; i < 50; ++i)
        pass(200000 + 1000 * i, i);
    CHECK_EQUAL(heaps(), expected);
    attached(size, expected != 0);
    MPI_Finalize();
    return check_result();
}
