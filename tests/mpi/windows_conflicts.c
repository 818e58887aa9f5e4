/* Accesses of one rank that conflict, under tuttirun --check: MPI_ERR_RMA_CONFLICT, and the window stays usable. */
#include "windows.h"

static void locks(MPI_Win win, int next)
{
    int values[4] = {1, 2, 3, 4}, got[4] = {0, 0, 0, 0};
    MPI_Request request;
    char named[64];
    snprintf(named, sizeof named, "table, rank %d: bytes 8 to 12", next);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    CHECK_OK(MPI_Put(values, 3, MPI_INT, next, 0, 3, MPI_INT, win));
    CHECK_ERROR(MPI_Put(values, 2, MPI_INT, next, 2, 2, MPI_INT, win), MPI_ERR_RMA_CONFLICT, named);
    CHECK_ERROR(MPI_Get(got, 1, MPI_INT, next, 2, 1, MPI_INT, win), MPI_ERR_RMA_CONFLICT, "the epoch of lock()");
    CHECK_ERROR(MPI_Rget(got, 1, MPI_INT, next, 2, 1, MPI_INT, win, &request), MPI_ERR_RMA_CONFLICT, "MPI_Rget");
    CHECK_ERROR(MPI_Accumulate(values, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_CONFLICT, "put()");
    CHECK_ERROR(MPI_Fetch_and_op(values, got, MPI_INT, next, 1, MPI_SUM, win), MPI_ERR_RMA_CONFLICT, "");
    CHECK_ERROR(MPI_Compare_and_swap(values, values, got, MPI_INT, next, 1, win), MPI_ERR_RMA_CONFLICT, "");
    CHECK_ERROR(MPI_Get_accumulate(values, 1, MPI_INT, got, 1, MPI_INT, next, 1, 1, MPI_INT, MPI_NO_OP, win),
                MPI_ERR_RMA_CONFLICT, "MPI_Get_accumulate");
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_OK(MPI_Get(got, 3, MPI_INT, next, 0, 3, MPI_INT, win));
    CHECK_ERROR(MPI_Put(values, 1, MPI_INT, next, 0, 1, MPI_INT, win), MPI_ERR_RMA_CONFLICT, "an earlier get()");
    CHECK_OK(MPI_Win_flush_local(next, win));
    CHECK_EQUAL(got[0], 1);
    CHECK_EQUAL(got[2], 3);
    CHECK_OK(MPI_Fetch_and_op(values, got, MPI_INT, next, 0, MPI_SUM, win));
    CHECK_OK(MPI_Accumulate(values, 4, MPI_INT, next, 0, 4, MPI_INT, MPI_SUM, win));
    CHECK_ERROR(MPI_Put(values, 1, MPI_INT, next, 3, 1, MPI_INT, win), MPI_ERR_RMA_CONFLICT, "accumulate");
    CHECK_OK(MPI_Win_flush_all(win));
    CHECK_OK(MPI_Rget(got, 1, MPI_INT, next, 0, 1, MPI_INT, win, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQUAL(got[0], 3);
    CHECK_OK(MPI_Put(values, 4, MPI_INT, next, 0, 4, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock(next, win));
}

static void fences(MPI_Win win, int next)
{
    const int value = 7, pair[2] = {5, 6};
    MPI_Datatype columns;
    CHECK_OK(MPI_Type_vector(2, 1, 2, MPI_INT, &columns));
    CHECK_OK(MPI_Type_commit(&columns));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(pair, 2, MPI_INT, next, 0, 1, columns, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, win));
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, next, 2, 1, MPI_INT, win), MPI_ERR_RMA_CONFLICT, "the epoch of fence()");
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, 2, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Type_free(&columns));
}

int main(int argc, char** argv)
{
    int rank, size, i;
    int* memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank(), size = check_size();
    for (i = 0; i < 2; ++i) { /* memory that others map, and memory that they do not */
        static int ordinary[4];
        memory = i == 0 ? window_memory(4 * sizeof(int)) : ordinary;
        CHECK_OK(MPI_Win_create(memory, 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
        CHECK_OK(MPI_Win_set_name(win, "table"));
        locks(win, (rank + 1) % size);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_EQUAL(memory[0], 1);
        CHECK_EQUAL(memory[3], 4);
        fences(win, (rank + 1) % size);
        CHECK_EQUAL(memory[0], 5);
        CHECK_EQUAL(memory[1], 7);
        CHECK_EQUAL(memory[2], 7);
        CHECK_OK(MPI_Win_free(&win));
        if (i == 0)
            window_memory_free(memory);
    }
    MPI_Finalize();
    return check_result();
}
