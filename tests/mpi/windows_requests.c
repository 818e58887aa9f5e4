/* MPI_Rput, MPI_Rget, MPI_Raccumulate and MPI_Rget_accumulate. */
#include <stdlib.h>
#include "windows.h"

enum { kElements = 1000 };

static void each_form(void)
{
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    int* const memory = window_memory(sizeof(int) * kElements);
    int given[kElements], got[kElements], i, flag = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Win win;
    for (i = 0; i < kElements; ++i) {
        memory[i] = 10000 * rank + i;
        given[i] = 2 * i + rank;
    }
    CHECK_OK(MPI_Win_create(memory, sizeof(int) * kElements, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    memset(got, 0, sizeof got);
    CHECK_OK(MPI_Rget(got, kElements, MPI_INT, next, 0, kElements, MPI_INT, win, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    for (i = 0; i < kElements; ++i)
        CHECK_EQUAL(got[i], 10000 * next + i);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Rput(given, kElements, MPI_INT, next, 0, kElements, MPI_INT, win, &request));
    while (!flag)
        CHECK_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    /* The given memory is free; the target's has it with the flush. */
    memset(got, 0, sizeof got);
    CHECK_OK(MPI_Win_flush(next, win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_sync(win));
    for (i = 0; i < kElements; ++i)
        CHECK_EQUAL(memory[i], 2 * i + before);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Raccumulate(given, kElements, MPI_INT, next, 0, kElements, MPI_INT, MPI_SUM, win, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_flush(next, win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_sync(win));
    for (i = 0; i < kElements; ++i)
        CHECK_EQUAL(memory[i], 2 * (2 * i + before));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Rget_accumulate(given, kElements, MPI_INT, got, kElements, MPI_INT, next, 0, kElements, MPI_INT,
                                 MPI_REPLACE, win, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (i = 0; i < kElements; ++i)
        CHECK_EQUAL(got[i], 2 * (2 * i + rank));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
}

/* Many at once, completed in one call, and beside messages. */
static void many(void)
{
    enum { kMany = 40 };
    const int rank = check_rank(), size = check_size();
    long* const memory = window_memory(sizeof(long) * (size_t)(kMany * size));
    long values[kMany], got[kMany];
    MPI_Request requests[kMany + 2];
    int i, sent = rank, received = -1;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(memory, (MPI_Aint)sizeof(long) * kMany * size, sizeof(long), MPI_INFO_NULL,
                            MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (i = 0; i < kMany; ++i) {
        values[i] = 1000 * rank + i;
        CHECK_OK(MPI_Rput(&values[i], 1, MPI_LONG, (rank + i) % size, (MPI_Aint)kMany * rank + i, 1, MPI_LONG, win,
                          &requests[i]));
    }
    MPI_Irecv(&received, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[kMany]);
    MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[kMany + 1]);
    CHECK_OK(MPI_Waitall(kMany + 2, requests, MPI_STATUSES_IGNORE));
    CHECK_EQUAL(received, (rank + size - 1) % size);
    CHECK_OK(MPI_Win_flush_all(win));
    for (i = 0; i < kMany; ++i)
        CHECK_OK(MPI_Rget(&got[i], 1, MPI_LONG, (rank + i) % size, (MPI_Aint)kMany * rank + i, 1, MPI_LONG, win,
                          &requests[i]));
    CHECK_OK(MPI_Waitall(kMany, requests, MPI_STATUSES_IGNORE));
    for (i = 0; i < kMany; ++i)
        CHECK_EQUAL(got[i], 1000 * rank + i);
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
}

static void nobody(void)
{
    int value = 1, former = 2;
    MPI_Request requests[4];
    MPI_Win win;
    CHECK_OK(MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Rput(&former, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &requests[0]));
    CHECK_OK(MPI_Rget(&former, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &requests[1]));
    CHECK_OK(MPI_Raccumulate(&former, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win, &requests[2]));
    CHECK_OK(MPI_Rget_accumulate(&former, 1, MPI_INT, &former, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win,
                                 &requests[3]));
    CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_EQUAL(value, 1);
    CHECK_OK(MPI_Win_free(&win));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    each_form();
    many();
    nobody();
    MPI_Finalize();
    return check_result();
}
