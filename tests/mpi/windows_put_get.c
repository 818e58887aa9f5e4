/* MPI_Put and MPI_Get: every origin and target, displacements and units, derived datatypes on both sides. */
#include <stdlib.h>
#include "windows.h"

enum { kElements = 64 };

/* Each rank writes a row of every rank's window, and reads one back. */
static void rows(int allocated)
{
    const int rank = check_rank(), size = check_size();
    int row[kElements], read[kElements], i, j;
    int* memory = NULL;
    const MPI_Aint bytes = (MPI_Aint)sizeof(int) * kElements * size;
    MPI_Win win;
    if (allocated) {
        CHECK_OK(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    } else {
        memory = window_memory((size_t)bytes);
        CHECK_OK(MPI_Win_create(memory, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    }
    for (i = 0; i < kElements * size; ++i)
        memory[i] = -1;
    CHECK_OK(MPI_Win_fence(0, win));
    for (j = 0; j < size; ++j) {
        for (i = 0; i < kElements; ++i)
            row[i] = 10000 * rank + 100 * j + i;
        CHECK_OK(MPI_Put(row, kElements, MPI_INT, j, (MPI_Aint)kElements * rank, kElements, MPI_INT, win));
        CHECK_OK(MPI_Win_fence(0, win));
    }
    for (j = 0; j < size; ++j)
        for (i = 0; i < kElements; ++i)
            CHECK_EQUAL(memory[kElements * j + i], 10000 * j + 100 * rank + i);
    for (j = 0; j < size; ++j) {
        const int from = (rank + j) % size;
        CHECK_OK(MPI_Win_fence(0, win));
        memset(read, 0, sizeof read);
        CHECK_OK(MPI_Get(read, kElements - 3, MPI_INT, from, (MPI_Aint)kElements * j + 3, kElements - 3, MPI_INT,
                         win));
        CHECK_OK(MPI_Win_fence(0, win));
        for (i = 0; i < kElements - 3; ++i)
            CHECK_EQUAL(read[i], 10000 * j + 100 * from + i + 3);
        CHECK_EQUAL(read[kElements - 1], 0);
    }
    CHECK_OK(MPI_Win_free(&win));
    if (!allocated)
        window_memory_free(memory);
}

/* Each rank has another unit, and sizes around those that take other paths. */
static void units_and_sizes(void)
{
    static const int sizes[] = {0, 1, 3, 8, 63, 64, 1000, 4096, 8191, 65536, 300001};
    enum { kMost = 300001 };
    const int rank = check_rank(), size = check_size();
    const int unit = rank % 3 + 1, next = (rank + 1) % size, unit_there = next % 3 + 1;
    const int before = (rank + size - 1) % size;
    char* const memory = window_memory(kMost + 16);
    char* sent = malloc(kMost);
    char* got = malloc(kMost);
    size_t s;
    int i, wrong;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(memory, kMost + 16, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const int count = sizes[s];
        memset(memory, 0, kMost + 16);
        for (i = 0; i < count; ++i)
            sent[i] = (char)(i * 7 + rank + count);
        CHECK_OK(MPI_Win_fence(0, win));
        CHECK_OK(MPI_Put(sent, count, MPI_CHAR, next, 4, count, MPI_CHAR, win));
        CHECK_OK(MPI_Win_fence(0, win));
        for (i = 0, wrong = 0; i < count; ++i)
            wrong += memory[4 * unit + i] != (char)(i * 7 + before + count);
        CHECK_EQUAL(wrong, 0);
        CHECK_EQUAL(memory[4 * unit - 1], 0);
        CHECK_EQUAL(memory[4 * unit + count], 0);
        memset(got, 0, kMost);
        CHECK_OK(MPI_Get(got, count, MPI_CHAR, next, 4, count, MPI_CHAR, win));
        CHECK_OK(MPI_Win_fence(0, win));
        CHECK_EQUAL(memcmp(got, sent, (size_t)count), 0);
    }
    (void)unit_there;
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
    free(sent);
    free(got);
}

/* Columns of matrices: a vector here and another type there. */
static void columns(void)
{
    enum { kRows = 9, kColumns = 7 };
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    int(*const matrix)[kColumns] = window_memory(sizeof(int) * kRows * kColumns);
    int mine[kRows * 2], i, j;
    int lengths[3] = {1, 2, 1}, places[3] = {0, 3, 8};
    MPI_Datatype column, every_second, pieces;
    MPI_Win win;
    CHECK_OK(MPI_Type_vector(kRows, 1, kColumns, MPI_INT, &column));
    CHECK_OK(MPI_Type_vector(kRows, 1, 2, MPI_INT, &every_second));
    CHECK_OK(MPI_Type_indexed(3, lengths, places, MPI_INT, &pieces));
    CHECK_OK(MPI_Type_commit(&column));
    CHECK_OK(MPI_Type_commit(&every_second));
    CHECK_OK(MPI_Type_commit(&pieces));
    for (i = 0; i < kRows; ++i)
        for (j = 0; j < kColumns; ++j)
            matrix[i][j] = 1000 * rank + 10 * i + j;
    for (i = 0; i < 2 * kRows; ++i)
        mine[i] = -(100 * rank + i);
    CHECK_OK(MPI_Win_create(matrix, sizeof(int) * kRows * kColumns, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(mine, 1, every_second, next, 2, 1, column, win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < kRows; ++i)
        for (j = 0; j < kColumns; ++j)
            CHECK_EQUAL(matrix[i][j], j == 2 ? -(100 * before + 2 * i) : 1000 * rank + 10 * i + j);
    /* Four elements, dense here and in pieces there. */
    memset(mine, 0, sizeof mine);
    CHECK_OK(MPI_Get(mine + 1, 4, MPI_INT, next, 0, 1, pieces, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(mine[0], 0);
    CHECK_EQUAL(mine[1], 1000 * next);
    CHECK_EQUAL(mine[2], 1000 * next + 3);
    CHECK_EQUAL(mine[3], 1000 * next + 4);
    CHECK_EQUAL(mine[4], 1000 * next + 11);
    CHECK_EQUAL(mine[5], 0);
    CHECK_OK(MPI_Get(mine, 1, every_second, next, 5, 1, column, win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < kRows; ++i)
        CHECK_EQUAL(mine[2 * i], 1000 * next + 10 * i + 5);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Type_free(&column));
    CHECK_OK(MPI_Type_free(&every_second));
    CHECK_OK(MPI_Type_free(&pieces));
    window_memory_free(matrix);
}

/* Types that a program frees at once, structures with gaps, several elements of a derived type. */
static void structures(void)
{
    struct entry {
        char sort;
        double value;
        int number;
    };
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    struct entry* const table = window_memory(6 * sizeof *table);
    struct entry sent[3];
    int lengths[3] = {1, 1, 1}, i;
    MPI_Aint places[3];
    MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, bare, type;
    MPI_Win win;
    places[0] = 0;
    places[1] = (char*)&table[0].value - (char*)&table[0];
    places[2] = (char*)&table[0].number - (char*)&table[0];
    CHECK_OK(MPI_Type_create_struct(3, lengths, places, types, &bare));
    CHECK_OK(MPI_Type_create_resized(bare, 0, sizeof(struct entry), &type));
    CHECK_OK(MPI_Type_commit(&type));
    for (i = 0; i < 3; ++i) {
        sent[i].sort = (char)('a' + i);
        sent[i].value = rank + 0.5 * i;
        sent[i].number = 10 * rank + i;
    }
    CHECK_OK(MPI_Win_create(table, 6 * sizeof *table, sizeof(struct entry), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(sent, 3, type, next, 2, 3, type, win));
    CHECK_OK(MPI_Type_free(&bare));
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < 6; ++i) {
        const int is_there = i >= 2 && i < 5;
        CHECK_EQUAL(table[i].sort, is_there ? 'a' + i - 2 : 0);
        CHECK(table[i].value == (is_there ? before + 0.5 * (i - 2) : 0));
        CHECK_EQUAL(table[i].number, is_there ? 10 * before + i - 2 : 0);
    }
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(table);
}

static void nobody(void)
{
    int value = 5, memory = 6;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Get(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Accumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(value, 5);
    CHECK_EQUAL(memory, 6);
    CHECK_OK(MPI_Win_free(&win));
}

#if MPI_VERSION >= 4
static void large(void)
{
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    int* const memory = window_memory(4 * sizeof(int));
    int sent[2], got[2] = {0, 0};
    MPI_Win win;
    sent[0] = rank;
    sent[1] = rank + 1;
    CHECK_OK(MPI_Win_create(memory, 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put_c(sent, 2, MPI_INT, next, 1, 2, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(memory[1], (rank + size - 1) % size);
    CHECK_EQUAL(memory[2], (rank + size - 1) % size + 1);
    CHECK_OK(MPI_Get_c(got, 2, MPI_INT, next, 1, 2, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(got[0], rank);
    CHECK_EQUAL(got[1], rank + 1);
    CHECK_OK(MPI_Accumulate_c(sent, 2, MPI_INT, next, 1, 2, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(memory[1], 2 * ((rank + size - 1) % size));
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
}
#endif

/* One side may have more room than what is moved: the rest stays as it is. */
static void more_room(void)
{
    enum { kInts = 12 };
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size,
              before = (rank + size - 1) % size;
    int* const memory = window_memory(sizeof(int) * kInts);
    int given[kInts], got[kInts], i;
    MPI_Datatype four_apart; /* ints 0, 2, 4 and 6 */
    MPI_Request request;
    MPI_Win win;
    CHECK_OK(MPI_Type_vector(4, 1, 2, MPI_INT, &four_apart));
    CHECK_OK(MPI_Type_commit(&four_apart));
    for (i = 0; i < kInts; ++i) {
        memory[i] = 1000 * rank + i;
        given[i] = 100 * rank + 50 + i;
        got[i] = -1;
    }
    CHECK_OK(MPI_Win_create(memory, sizeof(int) * kInts, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Get(got, 4, MPI_INT, next, 1, 2, MPI_INT, win));
    CHECK_OK(MPI_Get(got + 4, 1, four_apart, next, 3, 3, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(got[0], 1000 * next + 1);
    CHECK_EQUAL(got[1], 1000 * next + 2);
    CHECK_EQUAL(got[2], -1);
    for (i = 0; i < 3; ++i) {
        CHECK_EQUAL(got[4 + 2 * i], 1000 * next + 3 + i);
        CHECK_EQUAL(got[5 + 2 * i], -1);
    }
    CHECK_EQUAL(got[10], -1);
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(given, 1, MPI_INT, next, 0, 3, MPI_INT, win));
    CHECK_OK(MPI_Put(given + 1, 3, MPI_INT, next, 4, 2, four_apart, win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < kInts; ++i) {
        const int place = i == 0 ? 0 : i == 4 ? 1 : i == 6 ? 2 : i == 8 ? 3 : -1;
        CHECK_EQUAL(memory[i], place < 0 ? 1000 * rank + i : 100 * before + 50 + place);
        memory[i] = i;
    }
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Accumulate(given, 2, MPI_INT, next, 0, 5, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Accumulate(given + 2, 2, MPI_INT, next, 5, 1, four_apart, MPI_REPLACE, win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < kInts; ++i) {
        const int place = i < 2 ? i : i == 5 ? 2 : i == 7 ? 3 : -1;
        CHECK_EQUAL(memory[i],
                    (place < 0 || place < 2 ? i : 0) + (place < 0 ? 0 : 100 * before + 50 + place));
        memory[i] = 10 * i;
        got[i] = -1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_lock_all(0, win));
    /* All of the target comes back, of which a part changes. */
    CHECK_OK(MPI_Get_accumulate(given, 1, MPI_INT, got, 4, MPI_INT, next, 1, 3, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Rget_accumulate(given, 2, MPI_INT, got + 4, 4, MPI_INT, next, 5, 1, four_apart, MPI_SUM, win,
                                 &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < 3; ++i)
        CHECK_EQUAL(got[i], 10 * (i + 1));
    CHECK_EQUAL(got[3], -1);
    for (i = 0; i < 4; ++i)
        CHECK_EQUAL(got[4 + i], 10 * (5 + 2 * i));
    CHECK_EQUAL(got[8], -1);
    for (i = 0; i < kInts; ++i)
        CHECK_EQUAL(memory[i], 10 * i + (i == 1 || i == 5 ? 100 * before + 50
                                         : i == 7         ? 100 * before + 51
                                                          : 0));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Type_free(&four_apart));
    window_memory_free(memory);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rows(0);
    rows(1);
    units_and_sizes();
    columns();
    structures();
    nobody();
#if MPI_VERSION >= 4
    large();
#endif
    more_room();
    MPI_Finalize();
    return check_result();
}
