/* Epochs: fence, post-start-complete-wait, locks, flushes. */
#include <stdlib.h>
#include "windows.h"

static void fences(void)
{
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    int* const memory = window_memory(sizeof(int));
    int round;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(memory, sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    for (round = 0; round < 5; ++round) {
        const int value = 10 * rank + round;
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSTORE, win));
        CHECK_EQUAL(*memory, 10 * before + round);
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSTORE | (round == 4 ? MPI_MODE_NOSUCCEED : 0), win));
    }
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT, win));
    CHECK_OK(MPI_Get(&round, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQUAL(round, 10 * rank + 4);
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
}

/* Neighbours on a ring write to each other; others take no part. */
static void ring_of_posts(int assertion)
{
    const int rank = check_rank(), size = check_size();
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    int* const memory = window_memory(2 * sizeof(int));
    int round, flag, tests;
    int neighbors[2];
    MPI_Group world, around;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(memory, 2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_get_group(win, &world));
    neighbors[0] = left;
    neighbors[1] = right;
    CHECK_OK(MPI_Group_incl(world, left == right ? 1 : 2, neighbors, &around));
    for (round = 0; round < 6; ++round) {
        const int to_left = 100 * rank + round, to_right = -to_left;
        CHECK_OK(MPI_Win_post(around, round % 2 ? assertion : 0, win));
        if (assertion & MPI_MODE_NOCHECK)
            MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(MPI_Win_start(around, round % 2 ? assertion & MPI_MODE_NOCHECK : 0, win));
        CHECK_OK(MPI_Put(&to_right, 1, MPI_INT, right, 0, 1, MPI_INT, win));
        CHECK_OK(MPI_Put(&to_left, 1, MPI_INT, left, 1, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_complete(win));
        if (round < 3) {
            CHECK_OK(MPI_Win_wait(win));
        } else {
            for (flag = 0, tests = 0; !flag && tests < 100000000; ++tests)
                CHECK_OK(MPI_Win_test(win, &flag));
            CHECK(flag);
        }
        CHECK_EQUAL(memory[0], -(100 * left + round));
        CHECK_EQUAL(memory[1], 100 * right + round);
    }
    CHECK_OK(MPI_Group_free(&around));
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
}

/* One origin, all others targets; the group is given in another order. */
static void one_to_all(void)
{
    const int rank = check_rank(), size = check_size(), origin = size - 1;
    int* const memory = window_memory(sizeof(int));
    int i;
    int* ranks = malloc(sizeof(int) * (size_t)size);
    MPI_Group world, group;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(memory, sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (i = 0; i < size - 1; ++i)
        ranks[i] = size - 2 - i;
    if (rank == origin) {
        CHECK_OK(MPI_Group_incl(world, size - 1, ranks, &group));
        CHECK_OK(MPI_Win_start(group, 0, win));
        for (i = 0; i < size - 1; ++i) {
            const int value = 7 * i + 1;
            CHECK_OK(MPI_Accumulate(&value, 1, MPI_INT, i, 0, 1, MPI_INT, MPI_SUM, win));
        }
        CHECK_OK(MPI_Win_complete(win));
    } else {
        CHECK_OK(MPI_Group_incl(world, 1, &origin, &group));
        CHECK_OK(MPI_Win_post(group, 0, win));
        CHECK_OK(MPI_Win_wait(win));
        CHECK_EQUAL(*memory, 7 * rank + 1);
    }
    if (group != MPI_GROUP_EMPTY)
        CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
    free(ranks);
}

/* An empty group is legal. */
static void empty_groups(void)
{
    MPI_Win win;
    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
    CHECK_OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
    CHECK_OK(MPI_Win_complete(win));
    CHECK_OK(MPI_Win_wait(win));
    CHECK_OK(MPI_Win_free(&win));
}

/* What one reads and writes under an exclusive lock no other changes meanwhile. */
static void exclusive(void)
{
    enum { kEach = 20 };
    const int rank = check_rank(), size = check_size();
    int* memory = NULL;
    int pair[2], i;
    MPI_Win win;
    CHECK_OK(MPI_Win_allocate(sizeof pair, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < kEach; ++i) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        CHECK_OK(MPI_Get(pair, 2, MPI_INT, 0, 0, 2, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(0, win));
        CHECK_EQUAL(pair[0], pair[1]);
        ++pair[0];
        ++pair[1];
        CHECK_OK(MPI_Put(&pair[0], 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_flush_local(0, win));
        CHECK_OK(MPI_Put(&pair[1], 1, MPI_INT, 0, 1, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_unlock(0, win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    CHECK_OK(MPI_Get(pair, 2, MPI_INT, 0, 0, 2, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock(0, win));
    CHECK_EQUAL(pair[0], kEach * size);
    CHECK_EQUAL(pair[1], kEach * size);
    CHECK_OK(MPI_Win_free(&win));
    (void)rank;
}

/* Several targets at once, and all of them. */
static void shared_locks(void)
{
    const int rank = check_rank(), size = check_size();
    int* const memory = window_memory(sizeof(int) * (size_t)size);
    int* got = malloc(sizeof(int) * (size_t)size);
    int i;
    MPI_Win win;
    for (i = 0; i < size; ++i)
        memory[i] = 10 * rank + i;
    CHECK_OK(MPI_Win_create(memory, (MPI_Aint)sizeof(int) * size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (i = 0; i < size; ++i)
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, i, i % 2 ? MPI_MODE_NOCHECK : 0, win));
    for (i = 0; i < size; ++i)
        CHECK_OK(MPI_Get(&got[i], 1, MPI_INT, i, rank, 1, MPI_INT, win));
    for (i = size - 1; i >= 0; --i)
        CHECK_OK(MPI_Win_unlock(i, win));
    for (i = 0; i < size; ++i)
        CHECK_EQUAL(got[i], 10 * i + rank);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (i = 0; i < size; ++i) {
        const int value = 1000 + 10 * rank + i;
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, i, rank, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_flush_local(i, win));
    }
    CHECK_OK(MPI_Win_flush_local_all(win));
    CHECK_OK(MPI_Win_flush_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_sync(win));
    for (i = 0; i < size; ++i)
        CHECK_EQUAL(memory[i], 1000 + 10 * i + rank);
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
    free(got);
}

/* A target that computes without MPI calls in between is written to all the same: MPI_Win_unlock may wait for it,
 * what comes behind its next call is there. */
static void one_waits_for_memory(void)
{
    const int rank = check_rank(), size = check_size();
    volatile int* memory = NULL;
    const int one = 1;
    MPI_Win win;
    CHECK_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&memory, &win));
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Win_flush((rank + 1) % size, win));
    while (*memory == 0) {
        int flag = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK_OK(MPI_Win_sync(win));
    }
    CHECK_EQUAL(*memory, 1);
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
}

/* Kinds of epochs follow each other on one window. */
static void changing(void)
{
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    int* const memory = window_memory(sizeof(int));
    int one = 1, round;
    MPI_Group world;
    MPI_Win win;
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Win_create(memory, sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (round = 0; round < 4; ++round) {
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        CHECK_OK(MPI_Win_post(world, 0, win));
        CHECK_OK(MPI_Win_start(world, 0, win));
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_complete(win));
        CHECK_OK(MPI_Win_wait(win));
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock(next, win));
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(MPI_Win_lock_all(0, win));
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock_all(win));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    CHECK_EQUAL(*memory, 16);
    CHECK_OK(MPI_Win_unlock(rank, win));
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    fences();
    ring_of_posts(0);
    ring_of_posts(MPI_MODE_NOSTORE);
    ring_of_posts(MPI_MODE_NOCHECK);
    one_to_all();
    empty_groups();
    exclusive();
    shared_locks();
    one_waits_for_memory();
    changing();
    MPI_Finalize();
    return check_result();
}
