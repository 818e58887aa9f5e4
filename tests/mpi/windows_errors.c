/* Wrong uses of windows: an error class and a sentence at the origin, and the window stays usable. */
#include "windows.h"

static MPI_Win made(void* memory, MPI_Aint bytes)
{
    MPI_Win win = MPI_WIN_NULL;
    CHECK_OK(MPI_Win_create(memory, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

static void creation(void)
{
    int memory = 0;
    void* base = NULL;
    MPI_Win win = MPI_WIN_NULL;
    CHECK_ERROR(MPI_Win_create(&memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE, "the size is -1");
    CHECK_ERROR(MPI_Win_create(&memory, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP, "unit is 0");
    CHECK_ERROR(MPI_Win_create(NULL, 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_BASE, "null pointer");
    CHECK_ERROR(MPI_Win_create(&memory, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Win_create(&memory, 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, NULL), MPI_ERR_ARG, "win");
    CHECK_ERROR(MPI_Win_allocate(-8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_SIZE, "-8");
    CHECK_ERROR(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, NULL, &win), MPI_ERR_ARG, "baseptr");
    CHECK_ERROR(MPI_Win_allocate_shared(8, -1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_DISP, "-1");
    CHECK(win == MPI_WIN_NULL);
    CHECK_ERROR(MPI_Win_free(&win), MPI_ERR_WIN, "MPI_WIN_NULL");
}

static void arguments(void)
{
    const int size = check_size();
    int memory[4] = {0, 0, 0, 0}, value = 1;
    MPI_Datatype loose;
    MPI_Errhandler of_comm;
    MPI_Group group;
    MPI_Request request;
    MPI_Win win = made(memory, sizeof memory);
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &loose));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK, "the ranks of this window are");
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, -77, 0, 1, MPI_INT, win), MPI_ERR_RANK, "-77");
    CHECK_ERROR(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT, "MPI_Put");
    CHECK_ERROR(MPI_Put(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Put(&value, 1, loose, 0, 0, 1, loose, win), MPI_ERR_TYPE, "not committed");
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP, "-1");
    CHECK_ERROR(MPI_Put(memory, 2, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_TRUNCATE,
                "the origin has 8 bytes, and the target has room for 4");
    CHECK_ERROR(MPI_Get(memory, 1, MPI_INT, 0, 0, 2, MPI_INT, win), MPI_ERR_TRUNCATE,
                "the target has 8 bytes, and the origin has room for 4");
    CHECK_ERROR(MPI_Accumulate(memory, 2, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_TRUNCATE, "room for 4");
    CHECK_ERROR(MPI_Get_accumulate(memory, 1, MPI_INT, memory, 1, MPI_INT, 0, 0, 2, MPI_INT, MPI_SUM, win),
                MPI_ERR_TRUNCATE, "the target has 8 bytes, and the result has room for 4");
    CHECK_ERROR(MPI_Get_accumulate(memory, 2, MPI_INT, memory, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win),
                MPI_ERR_TRUNCATE, "the origin has 8 bytes, and the target has room for 4");
    CHECK_ERROR(MPI_Accumulate(memory, 3, MPI_BYTE, 0, 0, 1, MPI_INT, MPI_REPLACE, win), MPI_ERR_TYPE, "whole");
    CHECK_ERROR(MPI_Put(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_BUFFER, "null pointer");
    CHECK_ERROR(MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL), MPI_ERR_WIN, "MPI_WIN_NULL");
    CHECK_ERROR(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP, "MPI_OP_NULL");
    CHECK_ERROR(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP, "fetch");
    CHECK_ERROR(MPI_Accumulate(&value, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win), MPI_ERR_OP, "MPI_FLOAT");
    CHECK_ERROR(MPI_Accumulate(&value, 1, MPI_FLOAT, 0, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_TYPE, "origin");
    CHECK_ERROR(MPI_Compare_and_swap(&value, &value, &value, MPI_FLOAT, 0, 0, win), MPI_ERR_TYPE, "MPI_FLOAT");
    CHECK_ERROR(MPI_Fetch_and_op(&value, &value, loose, 0, 0, MPI_SUM, win), MPI_ERR_TYPE, "MPI_Fetch_and_op");
    CHECK_ERROR(MPI_Fetch_and_op(&value, NULL, MPI_INT, 0, 0, MPI_SUM, win), MPI_ERR_ARG, "result_addr");
    CHECK_ERROR(MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, NULL), MPI_ERR_ARG, "request");
    CHECK_ERROR(MPI_Rget(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win, &request), MPI_ERR_RANK, "MPI_Rget");
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_ERROR(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT, "none of this call's");
    CHECK_ERROR(MPI_Win_lock(12345, 0, 0, win), MPI_ERR_LOCKTYPE, "12345");
    CHECK_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT, "MPI_Win_lock");
    CHECK_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK, "MPI_Win_lock");
    CHECK_ERROR(MPI_Win_post(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP, "MPI_GROUP_NULL");
    CHECK_ERROR(MPI_Win_start(MPI_GROUP_EMPTY, MPI_MODE_NOSTORE, win), MPI_ERR_ASSERT, "MPI_Win_start");
    CHECK_ERROR(MPI_Win_test(win, NULL), MPI_ERR_ARG, "flag");
    CHECK_OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_comm));
    CHECK_OK(MPI_Win_set_errhandler(win, of_comm)); /* a predefined one fits both */
    if (size > 1) {
        MPI_Win alone;
        CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
        CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &alone));
        CHECK_OK(MPI_Win_set_errhandler(alone, MPI_ERRORS_RETURN));
        CHECK_ERROR(MPI_Win_start(group, 0, alone), MPI_ERR_GROUP, "not in the window");
        CHECK_OK(MPI_Group_free(&group));
        CHECK_OK(MPI_Win_free(&alone));
    }
    CHECK_OK(MPI_Type_free(&loose));
    CHECK_OK(MPI_Win_free(&win));
}

static void ranges(void)
{
    int memory[4] = {0, 0, 0, 0}, values[8] = {0};
    MPI_Win win = made(memory, sizeof memory);
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_ERROR(MPI_Put(values, 1, MPI_INT, 0, 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE, "16");
    CHECK_ERROR(MPI_Put(values, 5, MPI_INT, 0, 0, 5, MPI_INT, win), MPI_ERR_RMA_RANGE, "20");
    CHECK_ERROR(MPI_Get(values, 2, MPI_INT, 0, 3, 2, MPI_INT, win), MPI_ERR_RMA_RANGE, "MPI_Get");
    CHECK_ERROR(MPI_Get(values, 1, MPI_INT, 0, (MPI_Aint)1 << 61, 1, MPI_INT, win), MPI_ERR_RMA_RANGE, "");
    CHECK_ERROR(MPI_Accumulate(values, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_RANGE, "");
    CHECK_ERROR(MPI_Fetch_and_op(values, values + 1, MPI_INT, 0, 4, MPI_SUM, win), MPI_ERR_RMA_RANGE, "");
    CHECK_ERROR(MPI_Compare_and_swap(values, values, values + 1, MPI_INT, 0, 4, win), MPI_ERR_RMA_RANGE, "");
    CHECK_OK(MPI_Put(values, 4, MPI_INT, check_rank(), 0, 4, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
}

static void epochs(void)
{
    const int size = check_size(), rank = check_rank();
    int memory[2] = {0, 0}, value = 1;
    MPI_Win win = made(memory, sizeof memory);
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC, "epoch");
    CHECK_ERROR(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC, "MPI_Win_unlock");
    CHECK_ERROR(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC, "");
    CHECK_ERROR(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC, "");
    CHECK_ERROR(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC, "");
    CHECK_ERROR(MPI_Win_complete(win), MPI_ERR_RMA_SYNC, "");
    CHECK_ERROR(MPI_Win_wait(win), MPI_ERR_RMA_SYNC, "");
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    CHECK_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_SYNC, "");
    CHECK_ERROR(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC, "");
    CHECK_ERROR(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC, "");
    if (size > 1)
        CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC, "");
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    CHECK_ERROR(MPI_Win_free(&win), MPI_ERR_RMA_SYNC, "");
    CHECK(win != MPI_WIN_NULL);
    CHECK_OK(MPI_Win_unlock(rank, win));
    CHECK_EQUAL(memory[0], 1);
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_ERROR(MPI_Win_unlock(rank, win), MPI_ERR_RMA_SYNC, "");
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
}

/* Accesses to each rank's `memory`, which alone is attached, and to what is not. */
static void attached_only(MPI_Win win, int* memory)
{
    enum { kMany = 100000 };
    static int many[kMany];
    const int next = (check_rank() + 1) % check_size();
    const int before = (check_rank() + check_size() - 1) % check_size();
    char named[64];
    int value = 5;
    MPI_Aint mine, theirs, none;
    CHECK_OK(MPI_Get_address(memory, &mine));
    MPI_Sendrecv(&mine, 1, MPI_AINT, before, 0, &theirs, 1, MPI_AINT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Win_set_name(win, "heap"));
    CHECK_OK(MPI_Win_lock_all(0, win));
    none = theirs + 4;
    snprintf(named, sizeof named, "heap, rank %d: addresses 0x%llx to 0x%llx", next, (unsigned long long)none,
             (unsigned long long)none + 4);
    CHECK_OPERATION_ERROR(MPI_Put(&value, 1, MPI_INT, next, none, 1, MPI_INT, win), next, win,
                          MPI_ERR_RMA_RANGE, named);
    CHECK_OPERATION_ERROR(MPI_Get(&value, 1, MPI_INT, next, none, 1, MPI_INT, win), next, win,
                          MPI_ERR_RMA_RANGE, "the epoch of lock_all()");
    CHECK_OPERATION_ERROR(MPI_Accumulate(many, kMany, MPI_INT, next, theirs, kMany, MPI_INT, MPI_SUM, win),
                          next, win, MPI_ERR_RMA_RANGE, "not in memory that it has attached");
    CHECK_OPERATION_ERROR(MPI_Compare_and_swap(&value, &value, &value, MPI_INT, next, none, win), next, win,
                          MPI_ERR_RMA_RANGE, named);
    CHECK_OPERATION_ERROR(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win), next, win, MPI_ERR_RMA_RANGE,
                          "addresses 0x0 to 0x4");
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, next, -8, 1, MPI_INT, win), MPI_ERR_RMA_RANGE, "outside");
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, theirs, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQUAL(*memory, 5);
}

static void flavors(void)
{
    int memory = 0, unit = 0;
    MPI_Aint size = 0;
    void* base = NULL;
    MPI_Win win = made(&memory, sizeof memory), dynamic;
    CHECK_ERROR(MPI_Win_attach(win, &memory, sizeof memory), MPI_ERR_RMA_FLAVOR, "");
    CHECK_ERROR(MPI_Win_detach(win, &memory), MPI_ERR_RMA_FLAVOR, "");
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    CHECK_OK(MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN));
    CHECK_ERROR(MPI_Win_shared_query(dynamic, 0, &size, &unit, &base), MPI_ERR_RMA_FLAVOR, "dynamic");
    CHECK_ERROR(MPI_Win_detach(dynamic, &memory), MPI_ERR_RMA_ATTACH, "");
    CHECK_ERROR(MPI_Win_attach(dynamic, &memory, -1), MPI_ERR_SIZE, "-1");
    CHECK_OK(MPI_Win_attach(dynamic, &memory, sizeof memory));
    CHECK_ERROR(MPI_Win_attach(dynamic, &memory, sizeof memory), MPI_ERR_RMA_ATTACH, "overlap");
    CHECK_ERROR(MPI_Win_attach(dynamic, (char*)&memory + 3, 1), MPI_ERR_RMA_ATTACH, "overlap");
    attached_only(dynamic, &memory);
    CHECK_OK(MPI_Win_detach(dynamic, &memory));
    CHECK_OK(MPI_Win_free(&dynamic));
}

static void keys(void)
{
    int key = MPI_KEYVAL_INVALID, of_comm = MPI_KEYVAL_INVALID, flag = 0, memory = 0;
    void* value = NULL;
    MPI_Win win = made(&memory, sizeof memory);
    CHECK_ERROR(MPI_Win_set_attr(win, key, NULL), MPI_ERR_KEYVAL, "MPI_KEYVAL_INVALID");
    CHECK_ERROR(MPI_Win_set_attr(win, MPI_WIN_BASE, NULL), MPI_ERR_KEYVAL, "predefined");
    CHECK_ERROR(MPI_Win_delete_attr(win, MPI_WIN_SIZE), MPI_ERR_KEYVAL, "predefined");
    CHECK_ERROR(MPI_Win_get_attr(win, MPI_TAG_UB, &value, &flag), MPI_ERR_KEYVAL, "");
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &of_comm, NULL));
    CHECK_ERROR(MPI_Win_set_attr(win, of_comm, NULL), MPI_ERR_KEYVAL, "another kind of object");
    CHECK_OK(MPI_Comm_free_keyval(&of_comm));
    CHECK_OK(MPI_Win_free(&win));
}

static void comm_handler(MPI_Comm* comm, int* code, ...)
{
    (void)comm, (void)code;
}

static void win_handler(MPI_Win* win, int* code, ...)
{
    (void)win, (void)code;
}

static void handlers(void)
{
    int memory = 0;
    MPI_Errhandler of_comm, of_win;
    MPI_Win win = made(&memory, sizeof memory);
    CHECK_OK(MPI_Comm_create_errhandler(comm_handler, &of_comm));
    CHECK_OK(MPI_Win_create_errhandler(win_handler, &of_win));
    CHECK_ERROR(MPI_Win_set_errhandler(win, of_comm), MPI_ERR_ERRHANDLER, "MPI_Win_create_errhandler");
    CHECK_ERROR(MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_win), MPI_ERR_ERRHANDLER, "MPI_Comm_create_errhandler");
    CHECK_OK(MPI_Errhandler_free(&of_comm));
    CHECK_OK(MPI_Errhandler_free(&of_win));
    /* The sentence has the window's name. */
    CHECK_OK(MPI_Win_set_name(win, "counters"));
    CHECK_ERROR(MPI_Win_lock(0, 0, 0, win), MPI_ERR_LOCKTYPE, "MPI_Win_lock on counters");
    CHECK_OK(MPI_Win_free(&win));
}

static void concatenate(void* in, void* inout, int* count, MPI_Datatype* type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

/* What is wrong beside what windows_errors has. */
static void wrong(void)
{
    int memory[4] = {0, 0, 0, 0}, got = 0, unit = 0, size = check_size(), lengths[2] = {1, 1};
    MPI_Aint bytes = 0, places[2] = {0, 8};
    MPI_Comm half, other;
    MPI_Datatype mixed, types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Info info, freed;
    MPI_Op own;
    MPI_Win win, none = MPI_WIN_NULL;
    void* base = NULL;
    CHECK_OK(MPI_Op_create(concatenate, 1, &own));
    CHECK_OK(MPI_Type_create_struct(2, lengths, places, types, &mixed));
    CHECK_OK(MPI_Type_commit(&mixed));
    CHECK_OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_ERROR(MPI_Accumulate(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, own, win), MPI_ERR_OP, "predefined");
    CHECK_ERROR(MPI_Fetch_and_op(memory, &got, MPI_INT, 0, 0, own, win), MPI_ERR_OP, "predefined");
    CHECK_ERROR(MPI_Accumulate(memory, 1, mixed, 0, 0, 1, mixed, MPI_SUM, win), MPI_ERR_OP,
                "one predefined type");
    CHECK_ERROR(MPI_Compare_and_swap(memory, memory, &got, MPI_INT, 0, -1, win), MPI_ERR_DISP, "-1");
    CHECK_ERROR(MPI_Fetch_and_op(memory, &got, MPI_INT, 0, -4, MPI_SUM, win), MPI_ERR_DISP, "-4");
    CHECK_ERROR(MPI_Get(memory, 1, MPI_INT, MPI_ANY_SOURCE, 0, 1, MPI_INT, win), MPI_ERR_RANK, "MPI_Get");
    CHECK_ERROR(MPI_Put(MPI_IN_PLACE, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_BUFFER, "MPI_IN_PLACE");
#if MPI_VERSION >= 4
    const MPI_Count most = (MPI_Count)1 << 62;
    CHECK_ERROR(MPI_Put_c(memory, 3000000000, MPI_BYTE, 0, 0, 3000000000, MPI_BYTE, win), MPI_ERR_RMA_RANGE,
                "3000000000");
    CHECK_ERROR(MPI_Get_c(memory, 3000000000, MPI_INT, 0, 0, 3000000000, MPI_INT, win), MPI_ERR_RMA_RANGE,
                "12000000000");
    CHECK_ERROR(MPI_Accumulate_c(memory, 3000000000, MPI_INT, 0, 0, 3000000000, MPI_INT, MPI_SUM, win),
                MPI_ERR_RMA_RANGE, "12000000000");
    CHECK_ERROR(MPI_Put_c(memory, most, MPI_LONG, 0, 0, most, MPI_LONG, win), MPI_ERR_COUNT, "address space");
#endif
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_ERROR(MPI_Win_get_info(win, NULL), MPI_ERR_ARG, "info_used");
    CHECK_ERROR(MPI_Win_get_group(win, NULL), MPI_ERR_ARG, "group");
    CHECK_ERROR(MPI_Win_get_errhandler(win, NULL), MPI_ERR_ARG, "errhandler");
    CHECK_ERROR(MPI_Win_set_errhandler(win, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER, "is none");
    CHECK_ERROR(MPI_Win_set_name(win, NULL), MPI_ERR_ARG, "win_name");
    CHECK_ERROR(MPI_Win_shared_query(win, 0, NULL, &unit, &base), MPI_ERR_ARG, "size");
    CHECK_ERROR(MPI_Win_shared_query(win, 0, &bytes, NULL, &base), MPI_ERR_ARG, "disp_unit");
    CHECK_ERROR(MPI_Win_shared_query(win, size, &bytes, &unit, &base), MPI_ERR_RANK, "MPI_Win_shared_query");
    CHECK_ERROR(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, NULL, NULL), MPI_ERR_ARG,
                "keyval");
    CHECK_ERROR(MPI_Win_create_errhandler(NULL, NULL), MPI_ERR_ARG, "win_errhandler_fn");
    CHECK_OK(MPI_Info_create(&info));
    freed = info;
    CHECK_OK(MPI_Info_free(&info));
    CHECK_ERROR(MPI_Win_set_info(win, freed), MPI_ERR_INFO, "MPI_Win_set_info");
    CHECK_OK(MPI_Win_free(&win));
    if (size > 1) {
        const int side = check_rank() % 2;
        CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half));
        CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 3, &other));
        MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
        CHECK_ERROR(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, other, &none), MPI_ERR_COMM,
                    "intercommunicator");
        CHECK_ERROR(MPI_Win_allocate(8, 1, MPI_INFO_NULL, other, &base, &none), MPI_ERR_COMM,
                    "intercommunicator");
        CHECK_ERROR(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, other, &base, &none), MPI_ERR_COMM,
                    "intercommunicator");
        CHECK_ERROR(MPI_Win_create_dynamic(MPI_INFO_NULL, other, &none), MPI_ERR_COMM, "intercommunicator");
        CHECK(none == MPI_WIN_NULL);
        CHECK_OK(MPI_Comm_free(&other));
        CHECK_OK(MPI_Comm_free(&half));
    }
    CHECK_OK(MPI_Op_free(&own));
    CHECK_OK(MPI_Type_free(&mixed));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    creation();
    arguments();
    ranges();
    epochs();
    flavors();
    keys();
    handlers();
    wrong();
    MPI_Finalize();
    return check_result();
}
