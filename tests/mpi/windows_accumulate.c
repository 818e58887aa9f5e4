/* MPI_Accumulate: all operators on all types that they are defined on, derived datatypes, many origins at
 * once. */
#include <complex.h>
#include <stdint.h>
#include <stdlib.h>
#include "windows.h"

/* Every rank adds to every rank's counters at once: none is lost. */
static void counters(MPI_Info info)
{
    enum { kCounters = 37, kRounds = 20 };
    const int rank = check_rank(), size = check_size();
    long long* counters = NULL;
    long long mine[kCounters];
    int i, j, round;
    MPI_Win win;
    CHECK_OK(MPI_Win_allocate(sizeof mine, sizeof(long long), info, MPI_COMM_WORLD, &counters, &win));
    memset(counters, 0, sizeof mine);
    for (i = 0; i < kCounters; ++i)
        mine[i] = rank + i;
    CHECK_OK(MPI_Win_fence(0, win));
    for (round = 0; round < kRounds; ++round)
        for (j = 0; j < size; ++j)
            CHECK_OK(MPI_Accumulate(mine, kCounters, MPI_LONG_LONG, (rank + j) % size, 0, kCounters,
                                    MPI_LONG_LONG, MPI_SUM, win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < kCounters; ++i)
        CHECK_EQUAL(counters[i], kRounds * (size * (size - 1) / 2 + (long long)i * size));
    CHECK_OK(MPI_Win_free(&win));
}

/* `there` op 3 `given`s of a rank, one after the other: what is expected was computed by hand. */
#define CHECK_OP(Type, datatype, op, there, given, expected)                                       \
    do {                                                                                           \
        Type value = (given), memory[3];                                                           \
        MPI_Win over;                                                                              \
        memory[0] = memory[1] = memory[2] = (there);                                               \
        MPI_Win_create(memory, sizeof memory, sizeof(Type), MPI_INFO_NULL, MPI_COMM_WORLD, &over); \
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_rank(), 0, over));                         \
        CHECK_OK(MPI_Accumulate(&value, 1, datatype, check_rank(), 1, 1, datatype, op, over));     \
        CHECK_OK(MPI_Win_unlock(check_rank(), over));                                              \
        CHECK(memory[0] == (Type)(there));                                                         \
        CHECK(memory[1] == (Type)(expected));                                                      \
        CHECK(memory[2] == (Type)(there));                                                         \
        MPI_Win_free(&over);                                                                       \
    } while (0)

#define CHECK_ARITHMETIC(Type, datatype)          \
    CHECK_OP(Type, datatype, MPI_SUM, 5, 7, 12);  \
    CHECK_OP(Type, datatype, MPI_PROD, 5, 7, 35); \
    CHECK_OP(Type, datatype, MPI_REPLACE, 5, 7, 7)

#define CHECK_ORDERED(Type, datatype)           \
    CHECK_ARITHMETIC(Type, datatype);           \
    CHECK_OP(Type, datatype, MPI_MIN, 5, 7, 5); \
    CHECK_OP(Type, datatype, MPI_MIN, 7, 5, 5); \
    CHECK_OP(Type, datatype, MPI_MAX, 5, 7, 7); \
    CHECK_OP(Type, datatype, MPI_MAX, 7, 5, 7)

#define CHECK_INTEGER(Type, datatype)            \
    CHECK_ORDERED(Type, datatype);               \
    CHECK_OP(Type, datatype, MPI_BAND, 5, 6, 4); \
    CHECK_OP(Type, datatype, MPI_BOR, 5, 6, 7);  \
    CHECK_OP(Type, datatype, MPI_BXOR, 5, 6, 3); \
    CHECK_OP(Type, datatype, MPI_LAND, 5, 0, 0); \
    CHECK_OP(Type, datatype, MPI_LAND, 5, 6, 1); \
    CHECK_OP(Type, datatype, MPI_LOR, 0, 0, 0);  \
    CHECK_OP(Type, datatype, MPI_LOR, 0, 6, 1);  \
    CHECK_OP(Type, datatype, MPI_LXOR, 5, 6, 0); \
    CHECK_OP(Type, datatype, MPI_LXOR, 5, 0, 1)

static void operators(void)
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
    CHECK_INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG);
    CHECK_INTEGER(int8_t, MPI_INT8_T);
    CHECK_INTEGER(uint8_t, MPI_UINT8_T);
    CHECK_INTEGER(int16_t, MPI_INT16_T);
    CHECK_INTEGER(uint16_t, MPI_UINT16_T);
    CHECK_INTEGER(int32_t, MPI_INT32_T);
    CHECK_INTEGER(uint32_t, MPI_UINT32_T);
    CHECK_INTEGER(int64_t, MPI_INT64_T);
    CHECK_INTEGER(uint64_t, MPI_UINT64_T);
    CHECK_INTEGER(MPI_Aint, MPI_AINT);
    CHECK_ORDERED(float, MPI_FLOAT);
    CHECK_ORDERED(double, MPI_DOUBLE);
    CHECK_ORDERED(long double, MPI_LONG_DOUBLE);
    CHECK_ARITHMETIC(float complex, MPI_C_FLOAT_COMPLEX);
    CHECK_ARITHMETIC(double complex, MPI_C_DOUBLE_COMPLEX);
    CHECK_OP(double complex, MPI_C_DOUBLE_COMPLEX, MPI_PROD, 1 + 2 * I, 3 - I, 5 + 5 * I);
    CHECK_OP(unsigned char, MPI_BYTE, MPI_BXOR, 5, 6, 3);
    CHECK_OP(unsigned char, MPI_BYTE, MPI_REPLACE, 5, 6, 6);
    CHECK_OP(char, MPI_CHAR, MPI_REPLACE, 'a', 'b', 'b');
}

static void pairs(void)
{
    struct {
        double value;
        int place;
    } memory[2], given = {2.5, 7};
    MPI_Win win;
    memset(memory, 0, sizeof memory);
    memory[0].value = 3;
    memory[1].value = 2;
    CHECK_OK(MPI_Win_create(memory, sizeof memory, sizeof given, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Accumulate(&given, 1, MPI_DOUBLE_INT, check_rank(), 0, 1, MPI_DOUBLE_INT, MPI_MINLOC, win));
    CHECK_OK(MPI_Accumulate(&given, 1, MPI_DOUBLE_INT, check_rank(), 1, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK(memory[0].value == 2.5 && memory[0].place == 7);
    CHECK(memory[1].value == 2.5 && memory[1].place == 7);
    CHECK_OK(MPI_Win_free(&win));
}

/* Pairs in datatypes that are made of them, at either end. C's structs have gaps within them, behind them, or
 * none. */
#define CHECK_PAIRS(Value, type)                                                                           \
    do {                                                                                                   \
        enum { kPairs = 25 };                                                                              \
        typedef struct {                                                                                   \
            Value value;                                                                                   \
            int place;                                                                                     \
        } Pair;                                                                                            \
        static Pair memory[kPairs], given[kPairs];                                                         \
        const int lengths[2] = {2, 3}, places[2] = {1, 7};                                                 \
        MPI_Datatype forms[4], row;                                                                        \
        int form, i;                                                                                       \
        CHECK_OK(MPI_Type_contiguous(3, type, &forms[0]));                                                 \
        CHECK_OK(MPI_Type_vector(5, 3, 5, type, &forms[1]));                                               \
        CHECK_OK(MPI_Type_indexed(2, lengths, places, type, &forms[2]));                                   \
        CHECK_OK(MPI_Type_contiguous(2, type, &row));                                                      \
        CHECK_OK(MPI_Type_create_hvector(3, 1, (MPI_Aint)(4 * sizeof(Pair)), row, &forms[3]));             \
        CHECK_OK(MPI_Type_free(&row));                                                                     \
        for (form = 0; form < 4; ++form) {                                                                 \
            MPI_Win win;                                                                                   \
            int bytes = 0, count;                                                                          \
            CHECK_OK(MPI_Type_commit(&forms[form]));                                                       \
            memset(memory, 0, sizeof memory);                                                              \
            for (i = 0; i < kPairs; ++i) {                                                                 \
                given[i].value = (Value)(i % 2 == 0 ? 1 + i : -1);                                         \
                given[i].place = 100 + i;                                                                  \
            }                                                                                              \
            CHECK_OK(MPI_Type_size(type, &count));                                                         \
            CHECK_OK(MPI_Type_size(forms[form], &bytes));                                                  \
            count = bytes / count;                                                                         \
            CHECK_OK(                                                                                      \
                MPI_Win_create(memory, sizeof memory, sizeof(Pair), MPI_INFO_NULL, MPI_COMM_WORLD, &win)); \
            CHECK_OK(MPI_Win_fence(0, win));                                                               \
            if (check_rank() == 0) {                                                                       \
                CHECK_OK(MPI_Accumulate(given, 1, forms[form], check_size() - 1, 0, 1, forms[form],        \
                                        MPI_MAXLOC, win));                                                 \
                CHECK_OK(MPI_Accumulate(given, count, type, check_size() - 1, 0, 1, forms[form],           \
                                        MPI_REPLACE, win));                                                \
                CHECK_OK(MPI_Accumulate(given, 1, forms[form], check_size() - 1, 0, 1, forms[form],        \
                                        MPI_MAXLOC, win));                                                 \
            }                                                                                              \
            CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));                                              \
            for (i = 0, count = 0; i < kPairs && check_rank() == check_size() - 1; ++i) {                  \
                const int hit = form == 0   ? i < 3                                                        \
                                : form == 1 ? i % 5 < 3 && i < 25                                          \
                                : form == 2 ? (i >= 1 && i < 3) || (i >= 7 && i < 10)                      \
                                            : i < 10 && i % 4 < 2;                                         \
                /* The greater of what replaced it, which came packed, and of what stands at its place. */ \
                const Pair* best = hit && given[i].value > given[count].value ? &given[i] : &given[count]; \
                CHECK(hit ? memory[i].value == best->value&& memory[i].place == best->place                \
                          : memory[i].value == 0 && memory[i].place == 0);                                 \
                count += hit;                                                                              \
            }                                                                                              \
            CHECK_OK(MPI_Win_free(&win));                                                                  \
            CHECK_OK(MPI_Type_free(&forms[form]));                                                         \
        }                                                                                                  \
    } while (0)

static void pairs_in_derived(void)
{
    MPI_Datatype mixed, members[2];
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 8};
    int memory[4] = {0}, given[4] = {1, 1, 1, 1};
    MPI_Win win;
    CHECK_PAIRS(int, MPI_2INT);
    CHECK_PAIRS(float, MPI_FLOAT_INT);
    CHECK_PAIRS(double, MPI_DOUBLE_INT);
    CHECK_PAIRS(long, MPI_LONG_INT);
    CHECK_PAIRS(short, MPI_SHORT_INT);
    CHECK_PAIRS(long double, MPI_LONG_DOUBLE_INT);
    /* Of two kinds of pairs there is no operator. */
    members[0] = MPI_2INT;
    members[1] = MPI_FLOAT_INT;
    CHECK_OK(MPI_Type_create_struct(2, lengths, places, members, &mixed));
    CHECK_OK(MPI_Type_commit(&mixed));
    CHECK_OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_ERROR(MPI_Accumulate(given, 1, mixed, 0, 0, 1, mixed, MPI_MAXLOC, win), MPI_ERR_OP,
                "one predefined type");
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Type_free(&mixed));
}

/* Elements in pieces at both ends; the datatypes are made of one basic type. */
static void derived(void)
{
    enum { kRows = 8, kColumns = 5 };
    const int rank = check_rank(), size = check_size();
    double(*const matrix)[kColumns] = window_memory(sizeof(double) * kRows * kColumns);
    double column_here[kRows], twice[2 * kRows];
    int i, j, lengths[2] = {2, 1}, places[2] = {1, 4};
    MPI_Datatype column, every_second, pieces;
    MPI_Win win;
    CHECK_OK(MPI_Type_vector(kRows, 1, kColumns, MPI_DOUBLE, &column));
    CHECK_OK(MPI_Type_vector(kRows, 1, 2, MPI_DOUBLE, &every_second));
    CHECK_OK(MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &pieces));
    CHECK_OK(MPI_Type_commit(&column));
    CHECK_OK(MPI_Type_commit(&every_second));
    CHECK_OK(MPI_Type_commit(&pieces));
    for (i = 0; i < kRows; ++i) {
        column_here[i] = rank + i;
        twice[2 * i] = 10 * rank + i;
        twice[2 * i + 1] = -1000;
        for (j = 0; j < kColumns; ++j)
            matrix[i][j] = 100 * i + j;
    }
    CHECK_OK(MPI_Win_create(matrix, sizeof(double) * kRows * kColumns, sizeof(double), MPI_INFO_NULL,
                            MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (j = 0; j < size; ++j) {
        CHECK_OK(MPI_Accumulate(column_here, kRows, MPI_DOUBLE, j, 1, 1, column, MPI_SUM, win));
        CHECK_OK(MPI_Accumulate(twice, 1, every_second, j, 3, 1, column, MPI_SUM, win));
    }
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < kRows; ++i)
        for (j = 0; j < kColumns; ++j) {
            const int ranks = size * (size - 1) / 2;
            const int added = j == 1 ? ranks + i * size : j == 3 ? 10 * ranks + i * size : 0;
            CHECK_EQUAL(matrix[i][j], 100 * i + j + added);
        }
    CHECK_OK(MPI_Win_fence(0, win));
    if (rank == 0)
        CHECK_OK(MPI_Accumulate(column_here, 3, MPI_DOUBLE, size - 1, 0, 1, pieces, MPI_REPLACE, win));
    CHECK_OK(MPI_Win_fence(0, win));
    if (rank == size - 1) {
        CHECK_EQUAL(matrix[0][0], 0);
        CHECK_EQUAL(matrix[0][1], 0);
        CHECK_EQUAL(matrix[0][2], 1);
        CHECK_EQUAL(matrix[0][4], 2);
    }
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Type_free(&column));
    CHECK_OK(MPI_Type_free(&every_second));
    CHECK_OK(MPI_Type_free(&pieces));
    window_memory_free(matrix);
}

/* Accumulates of one origin to one place are done in order. */
static void ordered(void)
{
    const int rank = check_rank(), size = check_size(), next = (rank + 1) % size;
    int* const memory = window_memory(2 * sizeof(int));
    int given[100], i;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(memory, 2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (i = 0; i < 100; ++i) {
        given[i] = i;
        CHECK_OK(MPI_Accumulate(&given[i], 1, MPI_INT, next, 0, 1, MPI_INT, MPI_REPLACE, win));
        CHECK_OK(
            MPI_Accumulate(&given[i], 1, MPI_INT, next, 1, 1, MPI_INT, i % 2 ? MPI_SUM : MPI_REPLACE, win));
    }
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL(memory[0], 99);
    CHECK_EQUAL(memory[1], 98 + 99);
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
}

/* Sizes that take other paths. */
static void sizes(void)
{
    static const int counts[] = {0, 1, 7, 512, 8193, 100003};
    enum { kMost = 100003 };
    const int rank = check_rank(), size = check_size();
    double* const memory = window_memory(sizeof(double) * kMost);
    double* given = malloc(sizeof(double) * kMost);
    size_t s;
    int i, j, wrong;
    MPI_Win win;
    CHECK_OK(
        MPI_Win_create(memory, sizeof(double) * kMost, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (s = 0; s < sizeof counts / sizeof *counts; ++s) {
        for (i = 0; i < kMost; ++i) {
            memory[i] = i;
            given[i] = rank + 1;
        }
        CHECK_OK(MPI_Win_fence(0, win));
        for (j = 0; j < size; ++j)
            CHECK_OK(MPI_Accumulate(given, counts[s], MPI_DOUBLE, (rank + j) % size, 0, counts[s], MPI_DOUBLE,
                                    MPI_SUM, win));
        CHECK_OK(MPI_Win_fence(0, win));
        for (i = 0, wrong = 0; i < kMost; ++i)
            wrong += memory[i] != i + (i < counts[s] ? size * (size + 1) / 2 : 0);
        CHECK_EQUAL(wrong, 0);
        CHECK_OK(MPI_Win_fence(0, win));
    }
    CHECK_OK(MPI_Win_free(&win));
    window_memory_free(memory);
    free(given);
}

int main(int argc, char** argv)
{
    MPI_Info info;
    MPI_Init(&argc, &argv);
    check_errors_return();
    counters(MPI_INFO_NULL);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Info_set(info, "accumulate_ops", "same_op");
    counters(info);
    MPI_Info_free(&info);
    operators();
    pairs();
    pairs_in_derived();
    derived();
    ordered();
    sizes();
    MPI_Finalize();
    return check_result();
}
