/* Windows: how they are made, what they tell, attributes, names, infos, groups and error handlers. */
#include <stdlib.h>
#include "windows.h"

static int deletes = 0;
static void* deleted_value = NULL;
static MPI_Win deleted_from;
static int handled = 0;
static int handled_class = 0;
static MPI_Win handled_win;

static int copy_fn(MPI_Win win, int key, void* extra, void* in, void* out, int* flag)
{
    (void)win, (void)key, (void)extra, (void)in, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

static int delete_fn(MPI_Win win, int key, void* value, void* extra)
{
    (void)key;
    ++deletes;
    deleted_from = win;
    deleted_value = value;
    return extra == NULL ? MPI_SUCCESS : *(int*)extra;
}

static void handler(MPI_Win* win, int* code, ...)
{
    ++handled;
    handled_win = *win;
    MPI_Error_class(*code, &handled_class);
}

/* The attributes that MPI sets. */
static void check_kind(MPI_Win win, void* base, MPI_Aint size, int unit, int flavor)
{
    void* value = NULL;
    int flag = 0;
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag));
    CHECK(flag);
    CHECK(value == base);
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag));
    CHECK(flag);
    CHECK_EQUAL(*(MPI_Aint*)value, size);
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag));
    CHECK(flag);
    CHECK_EQUAL(*(int*)value, unit);
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
    CHECK(flag);
    CHECK_EQUAL(*(int*)value, flavor);
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag));
    CHECK(flag);
    CHECK_EQUAL(*(int*)value, MPI_WIN_UNIFIED);
}

static void flavors(void)
{
    const int rank = check_rank();
    double memory[8];
    void* base = NULL;
    MPI_Win win = MPI_WIN_NULL;

    CHECK_OK(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK(win != MPI_WIN_NULL);
    check_kind(win, memory, sizeof memory, 8, MPI_WIN_FLAVOR_CREATE);
    CHECK_OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);

    /* Sizes and units may differ between ranks, and a rank may give nothing. */
    CHECK_OK(MPI_Win_create(rank == 0 ? NULL : memory, rank == 0 ? 0 : rank % 2 ? 16 : 32, rank % 2 ? 1 : 4,
                            MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    check_kind(win, rank == 0 ? NULL : memory, rank == 0 ? 0 : rank % 2 ? 16 : 32, rank % 2 ? 1 : 4,
               MPI_WIN_FLAVOR_CREATE);
    CHECK_OK(MPI_Win_free(&win));

    CHECK_OK(MPI_Win_allocate(40 + 8 * rank, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK(base != NULL);
    memset(base, 1, (size_t)(40 + 8 * rank));
    check_kind(win, base, 40 + 8 * rank, 4, MPI_WIN_FLAVOR_ALLOCATE);
    CHECK_OK(MPI_Win_free(&win));

    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    check_kind(win, NULL, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
    CHECK_OK(MPI_Win_free(&win));

    CHECK_OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    CHECK_OK(MPI_Win_free(&win));
}

static void several(void)
{
    enum { kWindows = 12 };
    const int rank = check_rank(), size = check_size();
    int* const memory = window_memory(sizeof(int) * kWindows);
    int i;
    MPI_Win windows[kWindows];
    for (i = 0; i < kWindows; ++i) {
        memory[i] = -1;
        CHECK_OK(MPI_Win_create(&memory[i], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]));
    }
    for (i = 0; i < kWindows; ++i)
        MPI_Win_fence(0, windows[i]);
    for (i = 0; i < kWindows; ++i) {
        const int value = 100 * rank + i;
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, windows[i]));
        MPI_Win_fence(0, windows[i]);
    }
    for (i = 0; i < kWindows; ++i) {
        CHECK_EQUAL(memory[i], 100 * ((rank + size - 1) % size) + i);
        CHECK_OK(MPI_Win_free(&windows[kWindows - 1 - i]));
    }
    window_memory_free(memory);
}

static void groups(void)
{
    const int rank = check_rank();
    int result = -1;
    MPI_Comm half;
    MPI_Group of_win, of_comm;
    MPI_Win win;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, half, &win));
    CHECK_OK(MPI_Comm_group(half, &of_comm));
    /* The window has its group for itself. */
    CHECK_OK(MPI_Comm_free(&half));
    CHECK_OK(MPI_Win_get_group(win, &of_win));
    CHECK_OK(MPI_Group_compare(of_win, of_comm, &result));
    CHECK_EQUAL(result, MPI_IDENT);
    CHECK_OK(MPI_Group_free(&of_win));
    CHECK_OK(MPI_Group_free(&of_comm));
    CHECK_OK(MPI_Win_free(&win));
}

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME] = "before";
    int length = -1;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_set_name(win, "the table"));
    CHECK_OK(MPI_Win_get_name(win, name, &length));
    CHECK(strcmp(name, "the table") == 0);
    CHECK_EQUAL(length, 9);
    CHECK_OK(MPI_Win_free(&win));
}

/* A name is as long as MPI allows at most; a window without one has an empty name. */
static void longest_names(void)
{
    char name[MPI_MAX_OBJECT_NAME] = "before", longest[2 * MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    CHECK_OK(MPI_Win_get_name(win, name, &length));
    CHECK_EQUAL(length, 0);
    CHECK(name[0] == 0);
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = 0;
    CHECK_OK(MPI_Win_set_name(win, longest));
    CHECK_OK(MPI_Win_get_name(win, name, &length));
    CHECK_EQUAL(length, MPI_MAX_OBJECT_NAME - 1);
    CHECK_EQUAL((int)strlen(name), MPI_MAX_OBJECT_NAME - 1);
    CHECK_OK(MPI_Win_set_name(win, ""));
    CHECK_OK(MPI_Win_get_name(win, name, &length));
    CHECK_EQUAL(length, 0);
    CHECK_OK(MPI_Win_free(&win));
}

static void infos(void)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    MPI_Info info, used;
    MPI_Win win;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "no_locks", "true"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ordering", "rar,war"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ops", "same_op"));
    CHECK_OK(MPI_Info_set(info, "same_size", "true"));
    CHECK_OK(MPI_Info_set(info, "same_disp_unit", "true"));
    CHECK_OK(MPI_Info_set(info, "what_nobody_knows", "7"));
    CHECK_OK(MPI_Win_create(NULL, 0, 1, info, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_get_info(win, &used));
    CHECK_OK(MPI_Info_get(used, "no_locks", MPI_MAX_INFO_VAL, value, &flag));
    CHECK(flag);
    CHECK(strcmp(value, "true") == 0);
    CHECK_OK(MPI_Info_free(&used));
    CHECK_OK(MPI_Win_set_info(win, info));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Win_free(&win));
}

static void attributes(void)
{
    static int code = 0;
    int first = MPI_KEYVAL_INVALID, second = MPI_KEYVAL_INVALID, flag = -1, values[2];
    void* found = NULL;
    MPI_Win win, other;
    CHECK_OK(MPI_Win_create_keyval(copy_fn, delete_fn, &first, &code));
    CHECK_OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &second, NULL));
    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other));
    CHECK_OK(MPI_Win_get_attr(win, first, &found, &flag));
    CHECK(!flag);
    CHECK_OK(MPI_Win_set_attr(win, first, &values[0]));
    CHECK_OK(MPI_Win_set_attr(win, second, &values[1]));
    CHECK_OK(MPI_Win_get_attr(win, first, &found, &flag));
    CHECK(flag && found == &values[0]);
    CHECK_OK(MPI_Win_get_attr(win, second, &found, &flag));
    CHECK(flag && found == &values[1]);
    CHECK_OK(MPI_Win_get_attr(other, first, &found, &flag));
    CHECK(!flag);
    /* A new value deletes the old one. */
    CHECK_OK(MPI_Win_set_attr(win, first, &values[1]));
    CHECK_EQUAL(deletes, 1);
    CHECK(deleted_value == &values[0]);
    CHECK(deleted_from == win);
    CHECK_OK(MPI_Win_delete_attr(win, first));
    CHECK_EQUAL(deletes, 2);
    CHECK(deleted_value == &values[1]);
    /* A freed key is there as long as attributes have it. */
    CHECK_OK(MPI_Win_set_attr(win, first, &values[0]));
    CHECK_OK(MPI_Win_free_keyval(&first));
    CHECK_EQUAL(first, MPI_KEYVAL_INVALID);
    CHECK_OK(MPI_Win_free_keyval(&second));
    CHECK_OK(MPI_Win_free(&other));
    CHECK_EQUAL(deletes, 2);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_EQUAL(deletes, 3);
}

static void error_handlers(void)
{
    MPI_Errhandler ours, found;
    MPI_Win win, other;
    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other));
    CHECK_OK(MPI_Win_get_errhandler(win, &found));
    CHECK(found == MPI_ERRORS_ARE_FATAL);
    CHECK_OK(MPI_Win_create_errhandler(handler, &ours));
    CHECK_OK(MPI_Win_set_errhandler(win, ours));
    CHECK_OK(MPI_Win_get_errhandler(win, &found));
    CHECK(found == ours);
    CHECK_OK(MPI_Errhandler_free(&found));
    CHECK_OK(MPI_Errhandler_free(&ours));
    CHECK_OK(MPI_Win_set_errhandler(other, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_call_errhandler(win, MPI_ERR_RMA_SYNC));
    CHECK_EQUAL(handled, 1);
    CHECK_EQUAL(handled_class, MPI_ERR_RMA_SYNC);
    CHECK(handled_win == win);
    CHECK_OK(MPI_Win_call_errhandler(other, MPI_ERR_RMA_SYNC));
    CHECK_EQUAL(handled, 1);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Win_free(&other));
}

#if MPI_VERSION >= 4
static void large(void)
{
    const MPI_Aint unit = 4;
    int* base = NULL;
    MPI_Aint of_rank = 0, size = 0;
    MPI_Win win;
    CHECK_OK(MPI_Win_create_c(&size, sizeof size, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    check_kind(win, &size, sizeof size, 4, MPI_WIN_FLAVOR_CREATE);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Win_allocate_c(64, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    check_kind(win, base, 64, 4, MPI_WIN_FLAVOR_ALLOCATE);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Win_allocate_shared_c(64, unit, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
    check_kind(win, base, 64, 4, MPI_WIN_FLAVOR_SHARED);
    CHECK_OK(MPI_Win_shared_query_c(win, 0, &size, &of_rank, &base));
    CHECK_EQUAL(size, 64);
    CHECK_EQUAL(of_rank, 4);
    CHECK_OK(MPI_Win_free(&win));
}
#endif

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    flavors();
    several();
    groups();
    names();
    longest_names();
    infos();
    attributes();
    error_handlers();
#if MPI_VERSION >= 4
    large();
#endif
    MPI_Finalize();
    return check_result();
}
