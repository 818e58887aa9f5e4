/* Corners of windows: null handles, MPI_PROC_NULL, nothing to move, hints, assertions, and who may use
 * requests. */
#include <stdlib.h>
#include "windows.h"

/* Each call that takes a window refuses MPI_WIN_NULL. */
static void null_windows(void)
{
    int value = 0, got = 0, flag = 0, unit = 0, length = 0;
    char name[MPI_MAX_OBJECT_NAME] = "";
    void *attribute = NULL, *base = NULL;
    MPI_Aint size = 0;
    MPI_Errhandler handler;
    MPI_Group group;
    MPI_Info info;
    MPI_Request request;
    MPI_Win win = MPI_WIN_NULL;
#define REFUSED(call) CHECK_ERROR(call, MPI_ERR_WIN, "MPI_WIN_NULL")
    REFUSED(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    REFUSED(MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    REFUSED(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Get_accumulate(&value, 1, MPI_INT, &got, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Fetch_and_op(&value, &got, MPI_INT, 0, 0, MPI_SUM, win));
    REFUSED(MPI_Compare_and_swap(&value, &value, &got, MPI_INT, 0, 0, win));
    REFUSED(MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request));
    REFUSED(MPI_Rget(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request));
    REFUSED(MPI_Raccumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request));
    REFUSED(
        MPI_Rget_accumulate(&value, 1, MPI_INT, &got, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request));
    REFUSED(MPI_Win_fence(0, win));
    REFUSED(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
    REFUSED(MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
    REFUSED(MPI_Win_complete(win));
    REFUSED(MPI_Win_wait(win));
    REFUSED(MPI_Win_test(win, &flag));
    REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    REFUSED(MPI_Win_unlock(0, win));
    REFUSED(MPI_Win_lock_all(0, win));
    REFUSED(MPI_Win_unlock_all(win));
    REFUSED(MPI_Win_flush(0, win));
    REFUSED(MPI_Win_flush_all(win));
    REFUSED(MPI_Win_flush_local(0, win));
    REFUSED(MPI_Win_flush_local_all(win));
    REFUSED(MPI_Win_sync(win));
    REFUSED(MPI_Win_attach(win, &value, sizeof value));
    REFUSED(MPI_Win_detach(win, &value));
    REFUSED(MPI_Win_shared_query(win, 0, &size, &unit, &base));
    REFUSED(MPI_Win_get_group(win, &group));
    REFUSED(MPI_Win_get_info(win, &info));
    REFUSED(MPI_Win_set_info(win, MPI_INFO_NULL));
    REFUSED(MPI_Win_set_name(win, "nobody"));
    REFUSED(MPI_Win_get_errhandler(win, &handler));
    REFUSED(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    REFUSED(MPI_Win_call_errhandler(win, MPI_ERR_RMA_SYNC));
    REFUSED(MPI_Win_get_attr(win, MPI_WIN_BASE, &attribute, &flag));
    REFUSED(MPI_Win_free(&win));
#undef REFUSED
    /* It has a name. */
    CHECK_OK(MPI_Win_get_name(win, name, &length));
    CHECK(strcmp(name, "MPI_WIN_NULL") == 0);
    CHECK_EQUAL(length, 12);
}

/* Synchronisation with nobody. */
static void nobody(void)
{
    int memory = 7, flag = 0;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win));
    CHECK_OK(MPI_Win_flush(MPI_PROC_NULL, win));
    CHECK_OK(MPI_Win_flush_local(MPI_PROC_NULL, win));
    CHECK_OK(MPI_Win_unlock(MPI_PROC_NULL, win));
    CHECK_OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
    CHECK_OK(MPI_Win_complete(win));
    CHECK_OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
    CHECK_OK(MPI_Win_wait(win));
    CHECK_OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
    CHECK_OK(MPI_Win_test(win, &flag));
    CHECK(flag);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_EQUAL(memory, 7);
}

/* Operations on nobody: in any epoch, without buffers, and done at once. */
static void on_nobody(void)
{
    int memory = 7, epoch, i, wrong = MPI_ERR_RANK;
    MPI_Request requests[4];
    MPI_Win win;
    CHECK_OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (epoch = 0; epoch < 3; ++epoch) { /* after a fence, of one lock, of all locks */
        const int to = MPI_PROC_NULL;
        CHECK_OK(MPI_Win_fence(0, win));
        if (epoch == 1)
            CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank(), 0, win));
        else if (epoch == 2)
            CHECK_OK(MPI_Win_lock_all(0, win));
        CHECK_OK(MPI_Put(NULL, 3, MPI_INT, to, 5, 3, MPI_INT, win));
        CHECK_OK(MPI_Get(NULL, 3, MPI_INT, to, -5, 2, MPI_INT, win));
        CHECK_OK(MPI_Accumulate(NULL, 3, MPI_INT, to, 0, 3, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Get_accumulate(NULL, 3, MPI_INT, NULL, 3, MPI_INT, to, 0, 3, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Fetch_and_op(NULL, NULL, MPI_INT, to, 0, MPI_SUM, win));
        CHECK_OK(MPI_Compare_and_swap(NULL, NULL, NULL, MPI_INT, to, 0, win));
        CHECK_OK(MPI_Rput(NULL, 3, MPI_INT, to, 0, 3, MPI_INT, win, &requests[0]));
        CHECK_OK(MPI_Rget(NULL, 3, MPI_INT, to, 0, 3, MPI_INT, win, &requests[1]));
        CHECK_OK(MPI_Raccumulate(NULL, 3, MPI_INT, to, 0, 3, MPI_INT, MPI_SUM, win, &requests[2]));
        CHECK_OK(MPI_Rget_accumulate(NULL, 3, MPI_INT, NULL, 3, MPI_INT, to, 0, 3, MPI_INT, MPI_SUM, win,
                                     &requests[3]));
        for (i = 0; i < 4; ++i)
            CHECK(requests[i] != MPI_REQUEST_NULL);
        CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
        /* What is wrong for any target stays wrong. */
        CHECK_ERROR(MPI_Put(NULL, 3, MPI_DATATYPE_NULL, to, 0, 3, MPI_INT, win), MPI_ERR_TYPE, "MPI_Put");
        CHECK_ERROR(MPI_Accumulate(NULL, 3, MPI_INT, to, 0, 3, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP,
                    "MPI_NO_OP");
        if (epoch == 1)
            CHECK_OK(MPI_Win_unlock(check_rank(), win));
        else if (epoch == 2)
            CHECK_OK(MPI_Win_unlock_all(win));
    }
    CHECK_ERROR(MPI_Put(NULL, 0, MPI_INT, check_size(), 0, 0, MPI_INT, win), wrong, "");
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_EQUAL(memory, 7);
}

/* No elements, at any place: nothing moves, and buffers may be null pointers. */
static void nothing(void)
{
    const int next = (check_rank() + 1) % check_size();
    int* const memory = window_memory(sizeof(int) * 2);
    MPI_Request requests[4];
    MPI_Datatype empty;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(memory, sizeof(int) * 2, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Put(NULL, 0, MPI_INT, next, 0, 0, MPI_INT, win));
    CHECK_OK(MPI_Put(NULL, 0, MPI_INT, next, 2, 0, MPI_DOUBLE, win));
    CHECK_OK(MPI_Get(NULL, 0, MPI_INT, next, 0, 0, MPI_INT, win));
    CHECK_OK(MPI_Accumulate(NULL, 0, MPI_INT, next, 0, 0, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Get_accumulate(NULL, 0, MPI_INT, NULL, 0, MPI_INT, next, 0, 0, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Rput(NULL, 0, MPI_INT, next, 0, 0, MPI_INT, win, &requests[0]));
    CHECK_OK(MPI_Rget(NULL, 0, MPI_INT, next, 0, 0, MPI_INT, win, &requests[1]));
    CHECK_OK(MPI_Raccumulate(NULL, 0, MPI_INT, next, 0, 0, MPI_INT, MPI_SUM, win, &requests[2]));
    CHECK_OK(MPI_Rget_accumulate(NULL, 0, MPI_INT, NULL, 0, MPI_INT, next, 0, 0, MPI_INT, MPI_SUM, win,
                                 &requests[3]));
    CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    /* Elements that nobody has are of any type. */
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &empty));
    CHECK_OK(MPI_Type_commit(&empty));
    CHECK_OK(MPI_Accumulate(NULL, 0, MPI_INT, next, 0, 0, MPI_DOUBLE, MPI_SUM, win));
    CHECK_OK(MPI_Accumulate(NULL, 2, empty, next, 0, 0, MPI_DOUBLE, MPI_SUM, win));
    CHECK_OK(MPI_Accumulate(NULL, 0, MPI_FLOAT, next, 0, 1, empty, MPI_BAND, win));
    CHECK_OK(MPI_Get_accumulate(NULL, 1, empty, NULL, 0, MPI_INT, next, 0, 0, MPI_DOUBLE, MPI_PROD, win));
    CHECK_OK(MPI_Get_accumulate(NULL, 0, MPI_CHAR, NULL, 1, empty, next, 0, 0, MPI_DOUBLE, MPI_NO_OP, win));
    CHECK_ERROR(MPI_Accumulate(memory, 1, MPI_INT, next, 0, 1, MPI_FLOAT, MPI_SUM, win), MPI_ERR_TYPE,
                "not of the type of the target's");
    CHECK_ERROR(MPI_Accumulate(memory, 0, MPI_INT, next, 0, 0, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP, "");
    CHECK_OK(MPI_Type_free(&empty));
    CHECK_OK(MPI_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQUAL(memory[0], 0);
    CHECK_EQUAL(memory[1], 0);
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
}

static void check_hint(MPI_Win win, const char* key, const char* expected)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    MPI_Info used = MPI_INFO_NULL;
    CHECK_OK(MPI_Win_get_info(win, &used));
    CHECK_OK(MPI_Info_get(used, key, MPI_MAX_INFO_VAL, value, &flag));
    if (flag != (expected != NULL) || (flag && strcmp(value, expected) != 0)) {
        fprintf(stderr, "hint %s is %s instead of %s\n", key, flag ? value : "none",
                expected ? expected : "none");
        CHECK(0);
    }
    CHECK_OK(MPI_Info_free(&used));
}

/* What is in use: the defaults, what was given and has a meaning, and what was set later. */
static void hints(void)
{
    MPI_Info info;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    check_hint(win, "no_locks", "false");
    check_hint(win, "accumulate_ordering", "rar,raw,war,waw");
    check_hint(win, "accumulate_ops", "same_op_no_op");
    check_hint(win, "same_size", "false");
    check_hint(win, "same_disp_unit", "false");
    check_hint(win, "mpi_accumulate_granularity", "0");
    check_hint(win, "alloc_shared_noncontig", NULL);
    check_hint(win, "what_nobody_knows", NULL);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "no_locks", "true"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ordering", "none"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ops", "anything"));
    CHECK_OK(MPI_Info_set(info, "same_size", "perhaps"));
    CHECK_OK(MPI_Info_set(info, "mpi_accumulate_granularity", "64"));
    CHECK_OK(MPI_Info_set(info, "what_nobody_knows", "7"));
    CHECK_OK(MPI_Win_set_info(win, info));
    check_hint(win, "no_locks", "true");
    check_hint(win, "accumulate_ordering", "none");
    check_hint(win, "accumulate_ops", "same_op_no_op");
    check_hint(win, "same_size", "false");
    check_hint(win, "mpi_accumulate_granularity", "64");
    check_hint(win, "what_nobody_knows", NULL);
    CHECK_OK(MPI_Info_set(info, "mpi_accumulate_granularity", "-1"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ordering", "waw,nonsense"));
    CHECK_OK(MPI_Win_set_info(win, info));
    check_hint(win, "mpi_accumulate_granularity", "64");
    check_hint(win, "accumulate_ordering", "none");
    CHECK_OK(MPI_Info_set(info, "accumulate_ordering", "waw"));
    CHECK_OK(MPI_Win_set_info(win, info));
    check_hint(win, "accumulate_ordering", "waw");
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Info_free(&info));
}

/* Assertions change nothing that a correct program can see. */
static void assertions(void)
{
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size,
              before = (rank + size - 1) % size;
    int* const memory = window_memory(sizeof(int));
    int i;
    MPI_Group all, from, to;
    MPI_Win win;
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    CHECK_OK(MPI_Group_incl(all, 1, &before, &from));
    CHECK_OK(MPI_Group_incl(all, 1, &next, &to));
    CHECK_OK(MPI_Win_create(memory, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSTORE, win));
    for (i = 1; i <= 5; ++i) {
        const int value = 100 * i + rank;
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_fence(i == 5 ? MPI_MODE_NOSUCCEED : 0, win));
        CHECK_EQUAL(*memory, 100 * i + before);
        if (i < 5)
            CHECK_OK(MPI_Win_fence(MPI_MODE_NOSTORE, win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 1; i <= 5; ++i) {
        const int value = 1000 * i + rank;
        /* All have posted before anybody starts. */
        CHECK_OK(MPI_Win_post(from, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE, win));
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(MPI_Win_start(to, MPI_MODE_NOCHECK, win));
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_complete(win));
        CHECK_OK(MPI_Win_wait(win));
        CHECK_EQUAL(*memory, 1000 * i + before);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, MPI_MODE_NOCHECK, win)); /* nobody else locks it */
    CHECK_OK(MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock(next, win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQUAL(*memory, before);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Group_free(&from));
    CHECK_OK(MPI_Group_free(&to));
    window_memory_free(memory);
}

/* Requests are for epochs of locks. */
static void requests_in_active_epochs(void)
{
    int memory = 3, value = 4, got = 0;
    MPI_Group own;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win win;
    const int rank = check_rank();
    MPI_Group all;
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    CHECK_OK(MPI_Group_incl(all, 1, &rank, &own));
    CHECK_OK(MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < 2; ++i) {
        if (i == 0) {
            CHECK_OK(MPI_Win_fence(0, win));
        } else {
            CHECK_OK(MPI_Win_post(own, 0, win));
            CHECK_OK(MPI_Win_start(own, 0, win));
        }
        CHECK_ERROR(MPI_Rput(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC,
                    "MPI_Win_lock");
        CHECK_ERROR(MPI_Rget(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC,
                    "MPI_Win_lock");
        CHECK_ERROR(MPI_Raccumulate(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, win, &request),
                    MPI_ERR_RMA_SYNC, "MPI_Win_lock");
        CHECK_ERROR(MPI_Rget_accumulate(&value, 1, MPI_INT, &got, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM,
                                        win, &request),
                    MPI_ERR_RMA_SYNC, "MPI_Win_lock");
        CHECK(request == MPI_REQUEST_NULL);
        CHECK_ERROR(MPI_Win_flush(rank, win), MPI_ERR_RMA_SYNC, "flush");
        if (i == 0) {
            CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        } else {
            CHECK_OK(MPI_Win_complete(win));
            CHECK_OK(MPI_Win_wait(win));
        }
    }
    CHECK_EQUAL(memory, 3);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Group_free(&own));
    CHECK_OK(MPI_Group_free(&all));
}

/* MPI_Win_shared_query of other windows: the memory where it is mapped, nothing elsewhere; of no memory at
 * all. */
static void queries(void)
{
    const int rank = check_rank();
    int *base = NULL, unit = -1, flag = 0;
    void* of = &unit;
    MPI_Aint bytes = -1;
    MPI_Win win;
    CHECK_OK(MPI_Win_allocate(sizeof(int) * 3, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK_OK(MPI_Win_shared_query(win, rank, &bytes, &unit, &of));
    CHECK(of == base);
    CHECK_EQUAL(bytes, (MPI_Aint)sizeof(int) * 3);
    CHECK_EQUAL(unit, sizeof(int));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Win_allocate_shared(0, 4, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
    CHECK_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &of));
    CHECK_EQUAL(bytes, 0);
    CHECK_EQUAL(unit, 4);
    CHECK_OK(MPI_Win_free(&win));
    /* A window of no bytes still has the base that it was made with. */
    CHECK_OK(MPI_Win_create(&unit, 0, 16, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &of, &flag));
    CHECK(flag && of == (void*)&unit);
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &of, &flag));
    CHECK(flag && *(int*)of == 16);
    CHECK_OK(MPI_Win_shared_query(win, rank, &bytes, &flag, &of));
    CHECK_EQUAL(bytes, 0);
    CHECK_EQUAL(flag, 16);
    CHECK_OK(MPI_Win_free(&win));
}

static int is_aligned(const void* memory, size_t bytes)
{
    return ((size_t)memory & (bytes - 1)) == 0;
}

/* mpi_minimum_memory_alignment. */
static void alignment(void)
{
    const int rank = check_rank();
    int rank_of_node = -1;
    int* base = NULL;
    void* memory[3];
    size_t i;
    MPI_Comm node;
    MPI_Info info;
    MPI_Win win;
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    CHECK_OK(MPI_Comm_rank(node, &rank_of_node));
    CHECK_OK(MPI_Info_create(&info));
    for (i = 4096; i <= 65536; i *= 16) {
        char text[32];
        size_t j;
        snprintf(text, sizeof text, "%zu", i);
        CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", text));
        for (j = 0; j < 3; ++j) {
            CHECK_OK(MPI_Alloc_mem(100 + 5000 * (MPI_Aint)j, info, &memory[j]));
            CHECK(is_aligned(memory[j], i));
            memset(memory[j], (int)j, 100 + 5000 * j);
        }
        for (j = 0; j < 3; ++j) {
            CHECK_EQUAL(((char*)memory[j])[99], (int)j);
            CHECK_OK(MPI_Free_mem(memory[j]));
        }
        CHECK_OK(MPI_Win_allocate(40 + 4 * rank, 4, info, MPI_COMM_WORLD, &base, &win));
        CHECK(is_aligned(base, i));
        check_hint(win, "mpi_minimum_memory_alignment", text);
        CHECK_OK(MPI_Win_free(&win));
        CHECK_OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
        CHECK_OK(MPI_Win_allocate_shared(40, 4, info, node, &base, &win));
        CHECK(is_aligned(base, i));
        check_hint(win, "alloc_shared_noncontig", "true");
        check_hint(win, "mpi_minimum_memory_alignment", text);
        CHECK_OK(MPI_Info_set(info, "alloc_shared_noncontig", "false"));
        CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "8"));
        CHECK_OK(MPI_Win_set_info(win, info)); /* too late for them */
        check_hint(win, "alloc_shared_noncontig", "true");
        check_hint(win, "mpi_minimum_memory_alignment", text);
        CHECK_OK(MPI_Win_free(&win));
    }
    /* The first memory is aligned, the others' follows. */
    CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
    CHECK_OK(MPI_Win_allocate_shared(24, 4, info, node, &base, &win));
    CHECK(is_aligned((char*)base - 24 * rank_of_node, 4096));
    check_hint(win, "mpi_minimum_memory_alignment", "4096");
    CHECK_OK(MPI_Win_free(&win));
    /* What is no alignment changes nothing. */
    CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "100"));
    CHECK_OK(MPI_Win_allocate(8, 4, info, MPI_COMM_WORLD, &base, &win));
    check_hint(win, "mpi_minimum_memory_alignment", "64");
    CHECK(is_aligned(base, 64));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Comm_free(&node));
}

/* Where memory comes from: what the library takes, and what the program promises. */
static void kinds(void)
{
    MPI_Info info;
    MPI_Win win;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system,mpi:alloc_mem"));
    CHECK_OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win));
    check_hint(win, "mpi_memory_alloc_kinds", "mpi,system");
    check_hint(win, "mpi_assert_memory_alloc_kinds", "system,mpi:alloc_mem");
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system,,mpi"));
    CHECK_OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win));
    check_hint(win, "mpi_assert_memory_alloc_kinds", NULL);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Info_free(&info));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    null_windows();
    nobody();
    on_nobody();
    nothing();
    hints();
    assertions();
    requests_in_active_epochs();
    queries();
    alignment();
    kinds();
    MPI_Finalize();
    return check_result();
}
