/* What the tests of datatypes share. */
#ifndef TUTTI_TESTS_MPI_TYPE_CHECKS_H
#define TUTTI_TESTS_MPI_TYPE_CHECKS_H

#include "check.h"

#include <stddef.h>

typedef struct {
    double value;
    char letter;
    int numbers[3];
} Record;

static inline MPI_Datatype record_type(void)
{
    const int lengths[] = {1, 1, 3};
    const MPI_Aint places[] = {offsetof(Record, value), offsetof(Record, letter), offsetof(Record, numbers)};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR, MPI_INT};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    CHECK_OK(MPI_Type_create_struct(3, lengths, places, types, &made));
    return made;
}

static inline void check_bounds(MPI_Datatype type, int bytes, MPI_Aint low, MPI_Aint extent, MPI_Aint true_low,
                         MPI_Aint true_extent)
{
    int got = -1;
    MPI_Count wide = -1, wide_low = -1, wide_extent = -1;
    MPI_Aint got_low = -1, got_extent = -1;
    CHECK_OK(MPI_Type_size(type, &got));
    CHECK_EQUAL(got, bytes);
    CHECK_OK(MPI_Type_size_x(type, &wide));
    CHECK_EQUAL(wide, bytes);
    CHECK_OK(MPI_Type_get_extent(type, &got_low, &got_extent));
    CHECK_EQUAL(got_low, low);
    CHECK_EQUAL(got_extent, extent);
    CHECK_OK(MPI_Type_get_extent_x(type, &wide_low, &wide_extent));
    CHECK_EQUAL(wide_low, low);
    CHECK_EQUAL(wide_extent, extent);
    CHECK_OK(MPI_Type_get_true_extent(type, &got_low, &got_extent));
    CHECK_EQUAL(got_low, true_low);
    CHECK_EQUAL(got_extent, true_extent);
    CHECK_OK(MPI_Type_get_true_extent_c(type, &wide_low, &wide_extent));
    CHECK_EQUAL(wide_low, true_low);
    CHECK_EQUAL(wide_extent, true_extent);
}

static inline void contents_of(MPI_Datatype type, int combiner, int integers, int addresses, int types, int* into,
                        MPI_Aint* places, MPI_Datatype* inner)
{
    int got[4] = {-1, -1, -1, -1};
    CHECK_OK(MPI_Type_get_envelope(type, &got[0], &got[1], &got[2], &got[3]));
    CHECK_EQUAL(got[0], integers);
    CHECK_EQUAL(got[1], addresses);
    CHECK_EQUAL(got[2], types);
    CHECK_EQUAL(got[3], combiner);
    CHECK_OK(MPI_Type_get_contents(type, integers, addresses, types, into, places, inner));
}

#define CHECK_INTEGERS(got, ...)                                                    \
    do {                                                                            \
        const int check_expected[] = {__VA_ARGS__};                                 \
        size_t check_i;                                                             \
        for (check_i = 0; check_i < sizeof check_expected / sizeof(int); ++check_i) \
            CHECK_EQUAL((got)[check_i], check_expected[check_i]);                   \
    } while (0)

#endif
