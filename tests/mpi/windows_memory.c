/* Memory of windows: what ranks of a node share, and what is attached later. */
#include <sched.h>
#include <stdlib.h>
#include "windows.h"

static void shared(int noncontiguous)
{
    int rank, size, i, unit = 0;
    MPI_Aint bytes = 0;
    MPI_Comm node;
    MPI_Info info = MPI_INFO_NULL;
    long *mine = NULL, *of = NULL, *last_end = NULL;
    void* value = NULL;
    MPI_Win win;
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    if (noncontiguous) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "alloc_shared_noncontig", "true");
    }
    /* Rank r has r + 1 elements. */
    CHECK_OK(
        MPI_Win_allocate_shared((MPI_Aint)sizeof(long) * (rank + 1), sizeof(long), info, node, &mine, &win));
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &i));
    CHECK(i);
    CHECK_EQUAL(*(int*)value, MPI_WIN_FLAVOR_SHARED);
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &i));
    CHECK(value == mine);
    CHECK_OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (i = 0; i <= rank; ++i)
        mine[i] = 100 * rank + i;
    CHECK_OK(MPI_Win_sync(win));
    MPI_Barrier(node);
    CHECK_OK(MPI_Win_sync(win));
    for (i = 0; i < size; ++i) {
        CHECK_OK(MPI_Win_shared_query(win, i, &bytes, &unit, &of));
        CHECK_EQUAL(bytes, (MPI_Aint)sizeof(long) * (i + 1));
        CHECK_EQUAL(unit, sizeof(long));
        CHECK_EQUAL(of[0], 100 * i);
        CHECK_EQUAL(of[i], 101 * i);
        if (!noncontiguous && last_end != NULL)
            CHECK(of == last_end);
        last_end = of + i + 1;
        if (i == rank)
            CHECK(of == mine);
    }
    /* MPI_PROC_NULL: the lowest rank that has memory. */
    CHECK_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &of));
    CHECK_EQUAL(bytes, sizeof(long));
    CHECK_EQUAL(of[0], 0);
    MPI_Barrier(node);
    /* Written directly, and read by MPI_Get, and the other way round. */
    CHECK_OK(MPI_Win_shared_query(win, (rank + 1) % size, &bytes, &unit, &of));
    of[0] = 5000 + rank;
    CHECK_OK(MPI_Win_sync(win));
    MPI_Barrier(node);
    CHECK_OK(MPI_Win_sync(win));
    CHECK_EQUAL(mine[0], 5000 + (rank + size - 1) % size);
    {
        long got = 0, put = 6000 + rank;
        CHECK_OK(MPI_Get(&got, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, win));
        CHECK_OK(MPI_Win_flush((rank + 1) % size, win));
        CHECK_EQUAL(got, 5000 + rank);
        MPI_Barrier(node);
        CHECK_OK(MPI_Put(&put, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, win));
        CHECK_OK(MPI_Win_flush((rank + 1) % size, win));
        MPI_Barrier(node);
        CHECK_OK(MPI_Win_sync(win));
        CHECK_EQUAL(mine[0], 6000 + (rank + size - 1) % size);
    }
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
    if (noncontiguous)
        MPI_Info_free(&info);
    MPI_Comm_free(&node);
}

/* Ranks without bytes, in a row with others: first, last, between, many one after the other. Their memory
 * begins where that of the one before them ends. */
static void shared_by_some(void)
{
    int rank, size, i, which, unit = 0;
    MPI_Comm node;
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    for (which = 0; which < 4; ++which) { /* the even ones, the odd ones, the last one, nobody */
#define BYTES(of)                                                \
    (which == 0                       ? (of) % 2 == 0 ? 1000 : 0 \
     : which == 1                     ? (of) % 2 * 12            \
     : which == 2 && (of) == size - 1 ? 4096                     \
                                      : 0)
        char *mine = NULL, *of = NULL, *end = NULL;
        int anybody = 0;
        MPI_Aint bytes = -1;
        MPI_Win win;
        CHECK_OK(MPI_Win_allocate_shared(BYTES(rank), 1, MPI_INFO_NULL, node, &mine, &win));
        for (i = 0; i < size; ++i)
            anybody += BYTES(i) != 0;
        for (i = 0; i < size; ++i) {
            CHECK_OK(MPI_Win_shared_query(win, i, &bytes, &unit, &of));
            CHECK_EQUAL(bytes, BYTES(i));
            CHECK((of != NULL) == (anybody != 0));
            if (i != 0)
                CHECK(of == end);
            if (i == rank)
                CHECK(of == mine);
            end = of + bytes;
        }
        CHECK_OK(MPI_Win_fence(0, win));
        memset(mine, rank + 1, BYTES(rank));
        CHECK_OK(MPI_Win_fence(0, win));
        for (i = 0; i < size; ++i) {
            CHECK_OK(MPI_Win_shared_query(win, i, &bytes, &unit, &of));
            if (bytes != 0)
                CHECK(of[0] == i + 1 && of[bytes - 1] == i + 1);
        }
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        CHECK_OK(MPI_Win_free(&win));
#undef BYTES
    }
    /* One rank alone allows gaps: the others count on a row. */
    {
        long *mine = NULL, *of = NULL, *end = NULL;
        MPI_Aint bytes = 0;
        MPI_Info info = MPI_INFO_NULL;
        MPI_Win win;
        if (rank == size - 1) {
            MPI_Info_create(&info);
            MPI_Info_set(info, "alloc_shared_noncontig", "true");
        }
        CHECK_OK(MPI_Win_allocate_shared(sizeof(long), sizeof(long), info, node, &mine, &win));
        for (i = 0; i < size; ++i) {
            CHECK_OK(MPI_Win_shared_query(win, i, &bytes, &unit, &of));
            if (size > 1 && i != 0)
                CHECK(of == end);
            end = of + 1;
        }
        CHECK_OK(MPI_Win_free(&win));
        if (info != MPI_INFO_NULL)
            MPI_Info_free(&info);
    }
    MPI_Comm_free(&node);
}

/* One access to several pieces that are attached one behind the other; a gap ends them. */
static void attached_in_a_row(void)
{
    enum { kPiece = 50, kPieces = 4 };
    static int memory[kPieces * kPiece + 1];
    int got[kPieces * kPiece], i;
    const int rank = check_rank(), next = (rank + 1) % check_size(),
              last = (rank + check_size() - 1) % check_size();
    MPI_Aint own, there;
    MPI_Win win;
    for (i = 0; i < kPieces * kPiece; ++i)
        memory[i] = 1000 * rank + i;
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (i = 0; i < kPieces; ++i) /* in no order */
        CHECK_OK(MPI_Win_attach(win, memory + (i * 3 % kPieces) * kPiece, kPiece * sizeof(int)));
    CHECK_OK(MPI_Get_address(memory, &own));
    CHECK_OK(MPI_Sendrecv(&own, 1, MPI_AINT, last, 0, &there, 1, MPI_AINT, next, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    CHECK_OK(MPI_Get(got, kPieces * kPiece, MPI_INT, next, there, kPieces * kPiece, MPI_INT, win));
    CHECK_OK(MPI_Win_flush(next, win));
    for (i = 0; i < kPieces * kPiece; ++i)
        CHECK_EQUAL(got[i], 1000 * next + i);
    for (i = 0; i < kPieces * kPiece; ++i)
        got[i] = -i;
    CHECK_OK(MPI_Put(got, kPieces * kPiece - 1, MPI_INT, next, there + (MPI_Aint)sizeof(int),
                     kPieces * kPiece - 1, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock(next, win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQUAL(memory[0], 1000 * rank);
    for (i = 1; i < kPieces * kPiece; ++i)
        CHECK_EQUAL(memory[i], 1 - i);
    CHECK_EQUAL(memory[kPieces * kPiece], 0);
    MPI_Barrier(MPI_COMM_WORLD);
    /* Behind the last piece, and over the hole that one leaves. */
    CHECK_OK(MPI_Win_detach(win, memory + 2 * kPiece));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_OK(MPI_Get(got, 2 * kPiece, MPI_INT, next, there, 2 * kPiece, MPI_INT, win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_OK(MPI_Win_unlock(next, win));
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < kPieces; ++i)
        if (i != 2)
            CHECK_OK(MPI_Win_detach(win, memory + i * kPiece));
    CHECK_OK(MPI_Win_free(&win));
}

/* One rank has all memory, as programs for nodes do. */
static void one_has_all(void)
{
    int rank, size, unit = 0;
    MPI_Aint bytes = 0;
    MPI_Comm node;
    double *mine = NULL, *all = NULL;
    MPI_Win win;
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    CHECK_OK(MPI_Win_allocate_shared(rank == size - 1 ? (MPI_Aint)sizeof(double) * size : 0, sizeof(double),
                                     MPI_INFO_NULL, node, &mine, &win));
    CHECK_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &all));
    CHECK_EQUAL(bytes, (MPI_Aint)sizeof(double) * size);
    CHECK_OK(MPI_Win_fence(0, win));
    all[rank] = rank + 0.5;
    CHECK_OK(MPI_Win_fence(0, win));
    for (unit = 0; unit < size; ++unit)
        CHECK(all[unit] == unit + 0.5);
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Win_free(&win));
    MPI_Comm_free(&node);
}

/* Memory that is attached, found by its address, and detached again. */
static void dynamic(void)
{
    enum { kPieces = 3, kElements = 10 };
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    int* pieces[kPieces];
    MPI_Aint mine[kPieces], theirs[kPieces];
    int i, j, got[kElements], one = 1, fetched = -1, swapped = -1;
    MPI_Win win;
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (i = 0; i < kPieces; ++i) {
        pieces[i] = malloc(sizeof(int) * kElements);
        for (j = 0; j < kElements; ++j)
            pieces[i][j] = 100 * rank + 10 * i + j;
        CHECK_OK(MPI_Win_attach(win, pieces[i], sizeof(int) * kElements));
        CHECK_OK(MPI_Get_address(pieces[i], &mine[i]));
    }
    MPI_Sendrecv(mine, kPieces, MPI_AINT, before, 0, theirs, kPieces, MPI_AINT, next, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (i = 0; i < kPieces; ++i) {
        CHECK_OK(MPI_Get(got, kElements, MPI_INT, next, theirs[i], kElements, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(next, win));
        for (j = 0; j < kElements; ++j)
            CHECK_EQUAL(got[j], 100 * next + 10 * i + j);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Put(&rank, 1, MPI_INT, next, MPI_Aint_add(theirs[1], 4 * sizeof(int)), 1, MPI_INT, win));
    CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, next, theirs[2], 1, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_OK(MPI_Fetch_and_op(&one, &fetched, MPI_INT, next, theirs[2], MPI_SUM, win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_EQUAL(fetched, 100 * next + 21);
    CHECK_OK(MPI_Compare_and_swap(&one, &i, &swapped, MPI_INT, next, MPI_Aint_add(theirs[0], 4), win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_EQUAL(swapped, 100 * next + 1);
    CHECK_OK(MPI_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQUAL(pieces[1][4], before);
    CHECK_EQUAL(pieces[2][0], 100 * rank + 22);
    CHECK_OK(MPI_Win_detach(win, pieces[1]));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&rank, 1, MPI_INT, next, theirs[0], 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(pieces[0][0], before);
    /* It may be attached again. */
    CHECK_OK(MPI_Win_attach(win, pieces[1], sizeof(int)));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&rank, 1, MPI_INT, next, theirs[1], 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(pieces[1][0], before);
    for (i = 0; i < kPieces; ++i)
        CHECK_OK(MPI_Win_detach(win, pieces[i]));
    CHECK_OK(MPI_Win_free(&win));
    for (i = 0; i < kPieces; ++i)
        free(pieces[i]);
}

/* Memory that ranks of the node map is reached without its rank, which makes no call meanwhile. */
static void attached_and_mapped(void)
{
    enum { kElements = 1000 };
    int rank, size, i;
    long *memory = NULL, one = 1, fetched = -1, expected = 0, swapped = -1, got[3] = {-1, -1, -1};
    MPI_Aint there = 0;
    MPI_Comm node;
    MPI_Datatype every_second;
    MPI_Win win;
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, node, &win));
    CHECK_OK(MPI_Type_vector(3, 1, 2, MPI_LONG, &every_second));
    CHECK_OK(MPI_Type_commit(&every_second));
    CHECK_OK(MPI_Alloc_mem(sizeof(long) * kElements, MPI_INFO_NULL, &memory));
    memset(memory, 0, sizeof(long) * kElements);
    CHECK_OK(MPI_Win_attach(win, memory, sizeof(long) * kElements));
    CHECK_OK(MPI_Get_address(memory, &there));
    MPI_Bcast(&there, 1, MPI_AINT, 0, node);
    MPI_Barrier(node);
    if (rank == 0) {
        while (__atomic_load_n(&memory[0], __ATOMIC_ACQUIRE) != size - 1)
            sched_yield();
        for (i = 1; i < size; ++i)
            CHECK_EQUAL(memory[i], 100 + i);
        CHECK_EQUAL(memory[size], size - 1);
    } else {
        const long put = 100 + rank;
        CHECK_OK(MPI_Win_lock_all(0, win));
        CHECK_OK(MPI_Put(&put, 1, MPI_LONG, 0, MPI_Aint_add(there, (MPI_Aint)sizeof(long) * rank), 1,
                         MPI_LONG, win));
        CHECK_OK(MPI_Win_flush(0, win));
        CHECK_OK(MPI_Get(got, 1, MPI_LONG, 0, MPI_Aint_add(there, (MPI_Aint)sizeof(long) * rank), 1, MPI_LONG,
                         win));
        CHECK_OK(MPI_Win_flush(0, win));
        CHECK_EQUAL(got[0], put);
        CHECK_OK(MPI_Compare_and_swap(&put, &expected, &swapped, MPI_LONG, 0,
                                      MPI_Aint_add(there, (MPI_Aint)sizeof(long) * (500 + 2 * rank)), win));
        CHECK_OK(MPI_Win_flush(0, win));
        CHECK_OK(MPI_Get(got, 3, MPI_LONG, 0, MPI_Aint_add(there, (MPI_Aint)sizeof(long) * (498 + 2 * rank)),
                         1, every_second, win));
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, MPI_Aint_add(there, (MPI_Aint)sizeof(long) * size), 1,
                                MPI_LONG, MPI_SUM, win));
        CHECK_OK(MPI_Win_flush(0, win));
        CHECK_EQUAL(swapped, 0);
        CHECK_EQUAL(got[1], put);
        CHECK_OK(MPI_Fetch_and_op(&one, &fetched, MPI_LONG, 0, there, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock_all(win));
        CHECK(fetched >= 0 && fetched < size - 1);
    }
    MPI_Barrier(node);
    CHECK_OK(MPI_Win_detach(win, memory));
    MPI_Barrier(node);
    /* What is not attached any more, or not as long, is an error, though it is mapped. */
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    CHECK_OPERATION_ERROR(MPI_Get(got, 1, MPI_LONG, 0, there, 1, MPI_LONG, win), 0, win, MPI_ERR_RMA_RANGE,
                          "attached");
    CHECK_OK(MPI_Win_unlock(0, win));
    MPI_Barrier(node);
    CHECK_OK(MPI_Win_attach(win, memory, sizeof(long) * 2));
    MPI_Barrier(node);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    CHECK_OK(MPI_Get(got, 2, MPI_LONG, 0, there, 2, MPI_LONG, win));
    CHECK_OPERATION_ERROR(MPI_Get(got, 3, MPI_LONG, 0, there, 3, MPI_LONG, win), 0, win, MPI_ERR_RMA_RANGE,
                          "attached");
    CHECK_OPERATION_ERROR(MPI_Get(got, 1, MPI_LONG, 0, MPI_Aint_add(there, -1), 1, MPI_LONG, win), 0, win,
                          MPI_ERR_RMA_RANGE, "attached");
    CHECK_OK(MPI_Win_unlock(0, win));
    CHECK_EQUAL(got[0], size - 1);
    MPI_Barrier(node);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Free_mem(memory));
    MPI_Type_free(&every_second);
    MPI_Comm_free(&node);
}

/* More pieces than others are told of, in an order of their own, some of which are detached again. */
static void many_attached(void)
{
    enum { kPieces = 300 };
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size,
              before = (rank + size - 1) % size;
    static int* pieces[kPieces];
    static MPI_Aint mine[kPieces], theirs[kPieces];
    static int got[kPieces];
    int i;
    MPI_Win win;
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (i = 0; i < kPieces; ++i) {
        CHECK_OK(MPI_Alloc_mem(sizeof(int), MPI_INFO_NULL, &pieces[i]));
        *pieces[i] = 1000 * rank + i;
        CHECK_OK(MPI_Win_attach(win, pieces[i], sizeof(int)));
        CHECK_OK(MPI_Get_address(pieces[i], &mine[i]));
    }
    for (i = 0; i < kPieces; i += 7)
        CHECK_OK(MPI_Win_detach(win, pieces[i]));
    for (i = 0; i < kPieces; i += 7)
        CHECK_OK(MPI_Win_attach(win, pieces[i], sizeof(int)));
    MPI_Sendrecv(mine, kPieces, MPI_AINT, before, 0, theirs, kPieces, MPI_AINT, next, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < kPieces; ++i)
        CHECK_OK(MPI_Get(&got[i], 1, MPI_INT, next, theirs[i], 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < kPieces; ++i)
        CHECK_EQUAL(got[i], 1000 * next + i);
    for (i = 0; i < kPieces; ++i) {
        CHECK_OK(MPI_Win_detach(win, pieces[i]));
        CHECK_OK(MPI_Free_mem(pieces[i]));
    }
    CHECK_OK(MPI_Win_free(&win));
}

/* Memory of MPI_Alloc_mem, and of the stack. */
static void other_memory(void)
{
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    int* allocated = NULL;
    MPI_Win win;
    CHECK_OK(MPI_Alloc_mem(1 << 16, MPI_INFO_NULL, &allocated));
    memset(allocated, 0, 1 << 16);
    CHECK_OK(MPI_Win_create(allocated, 1 << 16, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&rank, 1, MPI_INT, next, 16000, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(allocated[16000], (rank + size - 1) % size);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Free_mem(allocated));
}

/* Absolute addresses on both sides: MPI_BOTTOM as the origin's buffer, and 0 as the displacement of a dynamic
 * window. */
static void bottom(void)
{
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size,
              before = (rank + size - 1) % size;
    int* const memory = window_memory(4 * sizeof(int));
    int given[3] = {0, 0, 0}, got = -1, lengths[2] = {1, 2};
    MPI_Aint mine, theirs, here, places[2];
    MPI_Datatype of_here, of_there;
    MPI_Win win;
    given[0] = 10 * rank + 1;
    given[1] = 10 * rank + 2;
    given[2] = 10 * rank + 3;
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_attach(win, memory, 4 * sizeof(int)));
    CHECK_OK(MPI_Get_address(memory, &mine));
    MPI_Sendrecv(&mine, 1, MPI_AINT, before, 0, &theirs, 1, MPI_AINT, next, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Get_address(given, &here));
    places[0] = here;
    places[1] = MPI_Aint_add(here, sizeof(int));
    CHECK_OK(MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &of_here));
    places[0] = MPI_Aint_add(theirs, 3 * sizeof(int));
    places[1] = theirs;
    CHECK_OK(MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &of_there));
    CHECK_OK(MPI_Type_commit(&of_here));
    CHECK_OK(MPI_Type_commit(&of_there));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(MPI_BOTTOM, 1, of_here, next, (MPI_Aint)MPI_BOTTOM, 1, of_there, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(memory[3], 10 * before + 1);
    CHECK_EQUAL(memory[0], 10 * before + 2);
    CHECK_EQUAL(memory[1], 10 * before + 3);
    CHECK_EQUAL(memory[2], 0);
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Accumulate(MPI_BOTTOM, 1, of_here, next, 0, 1, of_there, MPI_SUM, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(memory[3], 20 * before + 2);
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Get(&got, 1, MPI_INT, next, MPI_Aint_add(theirs, sizeof(int)), 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(got, 20 * rank + 6);
    CHECK_OK(MPI_Win_detach(win, memory));
    /* No bytes may be attached, too. */
    CHECK_OK(MPI_Win_attach(win, memory, 0));
    CHECK_OK(MPI_Win_detach(win, memory));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Type_free(&of_here));
    CHECK_OK(MPI_Type_free(&of_there));
    window_memory_free(memory);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    shared(0);
    shared(1);
    shared_by_some();
    one_has_all();
    attached_in_a_row();
    dynamic();
    attached_and_mapped();
    many_attached();
    other_memory();
    bottom();
    MPI_Finalize();
    return check_result();
}
