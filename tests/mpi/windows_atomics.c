/* MPI_Get_accumulate, MPI_Fetch_and_op and MPI_Compare_and_swap. */
#include <stdint.h>
#include <stdlib.h>
#include "windows.h"

/* Each number is given away once. */
static void tickets(void)
{
    enum { kEach = 50 };
    const int rank = check_rank(), size = check_size();
    const long one = 1;
    long* counter = NULL;
    long mine[kEach];
    long* all = malloc(sizeof(long) * (size_t)(kEach * size));
    int i, wrong = 0;
    char* seen = calloc((size_t)(kEach * size), 1);
    MPI_Win win;
    CHECK_OK(MPI_Win_allocate(rank == 0 ? sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                              &win));
    if (rank == 0)
        *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (i = 0; i < kEach; ++i) {
        CHECK_OK(MPI_Fetch_and_op(&one, &mine[i], MPI_LONG, 0, 0, MPI_SUM, win));
        CHECK_OK(MPI_Win_flush(0, win));
        if (i > 0)
            CHECK(mine[i] > mine[i - 1]);
    }
    CHECK_OK(MPI_Win_unlock_all(win));
    MPI_Allgather(mine, kEach, MPI_LONG, all, kEach, MPI_LONG, MPI_COMM_WORLD);
    for (i = 0; i < kEach * size; ++i) {
        if (all[i] < 0 || all[i] >= kEach * size || seen[all[i]]++)
            ++wrong;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_OK(MPI_Win_free(&win));
    free(all);
    free(seen);
}

#define CHECK_FETCH(Type, datatype, op, there, given, expected)                                       \
    do {                                                                                              \
        Type value = (given), memory = (there), before = 99;                                          \
        MPI_Win over;                                                                                 \
        MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &over);               \
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank(), 0, over));                                          \
        CHECK_OK(MPI_Fetch_and_op(&value, &before, datatype, check_rank(), 0, op, over));                        \
        CHECK_OK(MPI_Win_unlock(check_rank(), over));                                                            \
        CHECK(before == (Type)(there));                                                               \
        CHECK(memory == (Type)(expected));                                                            \
        MPI_Win_free(&over);                                                                          \
    } while (0)

#define CHECK_NUMBER(Type, datatype)                      \
    CHECK_FETCH(Type, datatype, MPI_SUM, 5, 7, 12);       \
    CHECK_FETCH(Type, datatype, MPI_PROD, 5, 7, 35);      \
    CHECK_FETCH(Type, datatype, MPI_MIN, 7, 5, 5);        \
    CHECK_FETCH(Type, datatype, MPI_MAX, 5, 7, 7);        \
    CHECK_FETCH(Type, datatype, MPI_REPLACE, 5, 7, 7);    \
    CHECK_FETCH(Type, datatype, MPI_NO_OP, 5, 7, 5)

#define CHECK_INTEGER(Type, datatype)                     \
    CHECK_NUMBER(Type, datatype);                         \
    CHECK_FETCH(Type, datatype, MPI_BAND, 5, 6, 4);       \
    CHECK_FETCH(Type, datatype, MPI_BOR, 5, 6, 7);        \
    CHECK_FETCH(Type, datatype, MPI_BXOR, 5, 6, 3);       \
    CHECK_FETCH(Type, datatype, MPI_LXOR, 5, 6, 0);       \
    CHECK_SWAP(Type, datatype)

/* One that is equal, and one that is not. */
#define CHECK_SWAP(Type, datatype)                                                                    \
    do {                                                                                              \
        const Type new_value = 9, right = 5, wrong = 6;                                               \
        Type memory = 5, before = 99;                                                                 \
        MPI_Win over;                                                                                 \
        MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &over);               \
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_rank(), 0, over));                                       \
        CHECK_OK(MPI_Compare_and_swap(&new_value, &wrong, &before, datatype, check_rank(), 0, over));            \
        CHECK_OK(MPI_Win_flush(check_rank(), over));                                                             \
        CHECK(before == 5);                                                                           \
        CHECK(memory == 5);                                                                           \
        CHECK_OK(MPI_Compare_and_swap(&new_value, &right, &before, datatype, check_rank(), 0, over));            \
        CHECK_OK(MPI_Win_unlock(check_rank(), over));                                                            \
        CHECK(before == 5);                                                                           \
        CHECK(memory == 9);                                                                           \
        MPI_Win_free(&over);                                                                          \
    } while (0)

static void types(void)
{
    CHECK_INTEGER(signed char, MPI_SIGNED_CHAR);
    CHECK_INTEGER(unsigned char, MPI_UNSIGNED_CHAR);
    CHECK_INTEGER(short, MPI_SHORT);
    CHECK_INTEGER(unsigned short, MPI_UNSIGNED_SHORT);
    CHECK_INTEGER(int, MPI_INT);
    CHECK_INTEGER(unsigned, MPI_UNSIGNED);
    CHECK_INTEGER(long, MPI_LONG);
    CHECK_INTEGER(unsigned long, MPI_UNSIGNED_LONG);
    CHECK_INTEGER(long long, MPI_LONG_LONG);
    CHECK_INTEGER(int64_t, MPI_INT64_T);
    CHECK_INTEGER(uint32_t, MPI_UINT32_T);
    CHECK_NUMBER(float, MPI_FLOAT);
    CHECK_NUMBER(double, MPI_DOUBLE);
    CHECK_NUMBER(long double, MPI_LONG_DOUBLE);
    CHECK_SWAP(unsigned char, MPI_BYTE);
}

/* A lock made of compare_and_swap guards what is no atomic. */
static void spin_lock(void)
{
    enum { kEach = 15 };
    const int rank = check_rank(), size = check_size(), free_word = 0, taken = 1;
    int* memory = NULL; /* the lock, the guarded number */
    int before = 0, i;
    MPI_Win win;
    CHECK_OK(MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (i = 0; i < kEach; ++i) {
        int number = 0;
        do {
            CHECK_OK(MPI_Compare_and_swap(&taken, &free_word, &before, MPI_INT, 0, 0, win));
            CHECK_OK(MPI_Win_flush(0, win));
        } while (before != 0 && check_failures == 0);
        CHECK_OK(MPI_Get(&number, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(0, win));
        ++number;
        CHECK_OK(MPI_Put(&number, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(0, win));
        CHECK_OK(MPI_Fetch_and_op(&free_word, &before, MPI_INT, 0, 0, MPI_REPLACE, win));
        CHECK_OK(MPI_Win_flush(0, win));
        CHECK_EQUAL(before, 1);
    }
    CHECK_OK(MPI_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        CHECK_EQUAL(memory[1], kEach * size);
        CHECK_OK(MPI_Win_unlock(0, win));
    }
    CHECK_OK(MPI_Win_free(&win));
}

static void get_accumulate(void)
{
    enum { kElements = 200 };
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    const int before_me = (rank + size - 1) % size;
    int* const memory = window_memory(sizeof(int) * 2 * kElements);
    int given[kElements], former[2 * kElements], i;
    MPI_Datatype spread;
    MPI_Win win;
    CHECK_OK(MPI_Type_vector(kElements, 1, 2, MPI_INT, &spread));
    CHECK_OK(MPI_Type_commit(&spread));
    for (i = 0; i < 2 * kElements; ++i)
        memory[i] = 1000 * rank + i;
    for (i = 0; i < kElements; ++i)
        given[i] = 3 * i + rank;
    CHECK_OK(MPI_Win_create(memory, sizeof(int) * 2 * kElements, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    memset(former, 0, sizeof former);
    CHECK_OK(MPI_Get_accumulate(given, kElements, MPI_INT, former, kElements, MPI_INT, next, 5, kElements, MPI_INT,
                                MPI_SUM, win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < kElements; ++i) {
        CHECK_EQUAL(former[i], 1000 * next + 5 + i);
        CHECK_EQUAL(memory[5 + i], 1000 * rank + 5 + i + 3 * i + before_me);
    }
    CHECK_EQUAL(memory[4], 1000 * rank + 4);
    CHECK_EQUAL(memory[5 + kElements], 1000 * rank + 5 + kElements);
    /* Derived types at all three places. */
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < 2 * kElements; ++i)
        memory[i] = i;
    CHECK_OK(MPI_Win_fence(0, win));
    memset(former, 0, sizeof former);
    CHECK_OK(MPI_Get_accumulate(given, kElements, MPI_INT, former, 1, spread, next, 1, 1, spread, MPI_REPLACE, win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < kElements; ++i) {
        CHECK_EQUAL(former[2 * i], 2 * i + 1);
        CHECK_EQUAL(former[2 * i + 1], 0);
        CHECK_EQUAL(memory[2 * i], 2 * i);
        CHECK_EQUAL(memory[2 * i + 1], 3 * i + before_me);
    }
    /* An atomic get: nothing is given. */
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Get_accumulate(NULL, 0, MPI_INT, former, 10, MPI_INT, next, 0, 10, MPI_INT, MPI_NO_OP,
                                win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < 10; ++i)
        CHECK_EQUAL(former[i], i % 2 ? 3 * (i / 2) + rank : i);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Type_free(&spread));
    window_memory_free(memory);
}

/* Fetched sums of all ranks at once: each sees another one. */
static void concurrent(void)
{
    enum { kElements = 33, kRounds = 10 };
    const int rank = check_rank(), size = check_size();
    double* memory = NULL;
    double ones[kElements], former[kElements], last = -1;
    int i, round;
    MPI_Win win;
    CHECK_OK(MPI_Win_allocate(sizeof ones, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    for (i = 0; i < kElements; ++i) {
        memory[i] = 0;
        ones[i] = 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (round = 0; round < kRounds; ++round) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, win));
        CHECK_OK(MPI_Get_accumulate(ones, kElements, MPI_DOUBLE, former, kElements, MPI_DOUBLE, size - 1, 0,
                                    kElements, MPI_DOUBLE, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock(size - 1, win));
        CHECK(former[0] > last);
        last = former[0];
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
        for (i = 0; i < kElements; ++i)
            CHECK_EQUAL(memory[i], kRounds * size);
        CHECK_OK(MPI_Win_unlock(rank, win));
    }
    CHECK_OK(MPI_Win_free(&win));
}

static void nobody(void)
{
    int value = 1, before = 7, memory = 3;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Fetch_and_op(&value, &before, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win));
    CHECK_OK(MPI_Compare_and_swap(&value, &value, &before, MPI_INT, MPI_PROC_NULL, 0, win));
    CHECK_OK(MPI_Get_accumulate(&value, 1, MPI_INT, &before, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(memory, 3);
    CHECK_OK(MPI_Win_free(&win));
}

/* MPI_Compare_and_swap takes integers, logical values, bytes and the integers of MPI, and no other types. */
static void comparable(void)
{
    static const struct {
        MPI_Datatype type;
        int bytes;
    } kTaken[] = {{MPI_SIGNED_CHAR, 1},
                  {MPI_UNSIGNED_CHAR, 1},
                  {MPI_SHORT, 2},
                  {MPI_UNSIGNED_SHORT, 2},
                  {MPI_INT, 4},
                  {MPI_UNSIGNED, 4},
                  {MPI_LONG, 8},
                  {MPI_UNSIGNED_LONG, 8},
                  {MPI_LONG_LONG, 8},
                  {MPI_LONG_LONG_INT, 8},
                  {MPI_UNSIGNED_LONG_LONG, 8},
                  {MPI_INT8_T, 1},
                  {MPI_INT16_T, 2},
                  {MPI_INT32_T, 4},
                  {MPI_INT64_T, 8},
                  {MPI_UINT8_T, 1},
                  {MPI_UINT16_T, 2},
                  {MPI_UINT32_T, 4},
                  {MPI_UINT64_T, 8},
                  {MPI_AINT, 8},
                  {MPI_OFFSET, 8},
                  {MPI_COUNT, 8},
                  {MPI_C_BOOL, 1},
                  {MPI_BYTE, 1},
                  {MPI_INTEGER, 4},
                  {MPI_LOGICAL, 4}};
    static const MPI_Datatype kRefused[] = {MPI_FLOAT,      MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_DOUBLE_COMPLEX,
                                            MPI_DOUBLE_INT, MPI_2INT};
    unsigned char memory[32], desired[32], expected[32], before[32];
    size_t i;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    for (i = 0; i < sizeof kTaken / sizeof *kTaken; ++i) {
        const size_t bytes = (size_t)kTaken[i].bytes;
        memset(memory, 1, sizeof memory);
        memset(expected, 1, sizeof expected);
        memset(desired, 0, sizeof desired);
        memset(before, 9, sizeof before);
        CHECK_OK(MPI_Compare_and_swap(desired, expected, before, kTaken[i].type, 0, 0, win));
        CHECK_OK(MPI_Compare_and_swap(expected, expected, before + 16, kTaken[i].type, 0, 0, win));
        CHECK_OK(MPI_Win_flush(0, win));
        CHECK_EQUAL(before[0] == 1 && before[bytes - 1] == 1 && before[bytes] == 9, 1);
        CHECK_EQUAL(before[16] == 0 && before[15 + bytes] == 0 && before[16 + bytes] == 9, 1);
        CHECK_EQUAL(memory[0] == 0 && memory[bytes - 1] == 0 && memory[bytes] == 1, 1);
    }
    for (i = 0; i < sizeof kRefused / sizeof *kRefused; ++i)
        CHECK_ERROR(MPI_Compare_and_swap(desired, expected, before, kRefused[i], 0, 0, win), MPI_ERR_TYPE,
                    "cannot be compared");
    CHECK_OK(MPI_Win_unlock(0, win));
    CHECK_OK(MPI_Win_free(&win));
}

/* With MPI_NO_OP nothing of the origin is looked at; MPI_PROC_NULL leaves all as it is. */
static void fetches(void)
{
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    int* const memory = window_memory(2 * sizeof(int));
    int got[2] = {-1, -1}, one = 1;
    MPI_Request request;
    MPI_Win win;
    memory[0] = rank;
    memory[1] = 7;
    CHECK_OK(MPI_Win_create(memory, 2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Get_accumulate(NULL, -3, MPI_DATATYPE_NULL, got, 2, MPI_INT, next, 0, 2, MPI_INT, MPI_NO_OP,
                                win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_EQUAL(got[0], next);
    CHECK_EQUAL(got[1], 7);
    CHECK_OK(MPI_Fetch_and_op(NULL, got, MPI_INT, next, 1, MPI_NO_OP, win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_EQUAL(got[0], 7);
    got[0] = -1;
    CHECK_OK(MPI_Fetch_and_op(&one, got, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win));
    CHECK_OK(MPI_Compare_and_swap(&one, &one, got, MPI_INT, MPI_PROC_NULL, 0, win));
    CHECK_OK(
        MPI_Get_accumulate(&one, 1, MPI_INT, got, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Rget_accumulate(NULL, 0, MPI_INT, got, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_NO_OP,
                                 win, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQUAL(got[0], -1);
    CHECK_OK(MPI_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQUAL(memory[0], rank);
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    tickets();
    types();
    spin_lock();
    get_accumulate();
    concurrent();
    nobody();
    comparable();
    fetches();
    MPI_Finalize();
    return check_result();
}
