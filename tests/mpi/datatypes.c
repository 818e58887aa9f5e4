/* Datatypes: constructors, bounds, names, predefined types by what they hold, lifetime, wrong arguments. */
#include "type_checks.h"

#include <stdlib.h>

static int rank, size, right, left;

static void bounds(void)
{
    MPI_Datatype type, other;
    const int lengths[] = {1, 1};
    MPI_Aint places[] = {8, -4};
    MPI_Datatype types[] = {MPI_DOUBLE_INT, MPI_CHAR};
    check_bounds(MPI_INT, 4, 0, 4, 0, 4);
    check_bounds(MPI_DOUBLE_INT, 12, 0, 16, 0, 12);
    check_bounds(MPI_SHORT_INT, 6, 0, 8, 0, 8);
    check_bounds(MPI_LONG_DOUBLE_INT, 20, 0, 32, 0, 20);
    check_bounds(MPI_C_LONG_DOUBLE_COMPLEX, 32, 0, 32, 0, 32);
    check_bounds(MPI_COMPLEX4, 4, 0, 4, 0, 4);
    type = record_type();
    check_bounds(type, 21, 0, (MPI_Aint)sizeof(Record), 0, (MPI_Aint)sizeof(Record));
    CHECK_OK(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
    /* A predefined pair has no explicit bounds. */
    CHECK_OK(MPI_Type_create_struct(2, lengths, places, types, &type));
    check_bounds(type, 13, -4, 24, -4, 24);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_vector(3, 2, -4, MPI_INT, &type));
    check_bounds(type, 24, -32, 40, -32, 40);
    CHECK_OK(MPI_Type_create_resized(type, -2, 100, &other));
    check_bounds(other, 24, -2, 100, -32, 40);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_contiguous(2, other, &type));
    check_bounds(type, 48, -2, 200, -32, 140);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_free(&other));
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &type));
    check_bounds(type, 0, 0, 0, 0, 0);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_create_struct(0, NULL, NULL, NULL, &type));
    check_bounds(type, 0, 0, 0, 0, 0);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_contiguous_c(1LL << 40, MPI_DOUBLE, &type));
    {
        int small = 0;
        MPI_Count wide = 0;
        CHECK_OK(MPI_Type_size(type, &small));
        CHECK_EQUAL(small, MPI_UNDEFINED);
        CHECK_OK(MPI_Type_size_c(type, &wide));
        CHECK_EQUAL(wide, 1LL << 43);
    }
    CHECK_OK(MPI_Type_free(&type));
}

static void arrays(void)
{
    const int sizes[] = {4, 6}, taken[] = {2, 3}, starts[] = {1, 2};
    const int distributions[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    const int arguments_given[] = {1, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 1};
    int in[24], out[24], integers[12], i, k;
    MPI_Datatype type, inner[1];
    for (i = 0; i < 24; ++i) {
        out[i] = 100 * rank + i;
        in[i] = -1;
    }
    CHECK_OK(MPI_Type_create_subarray(2, sizes, taken, starts, MPI_ORDER_C, MPI_INT, &type));
    CHECK_OK(MPI_Type_commit(&type));
    check_bounds(type, 24, 0, 96, 32, 36);
    contents_of(type, MPI_COMBINER_SUBARRAY, 8, 0, 1, integers, NULL, inner);
    CHECK_INTEGERS(integers, 2, 4, 6, 2, 3, 1, 2, MPI_ORDER_C);
    CHECK_OK(MPI_Sendrecv(out, 1, type, right, 0, in, 1, type, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (i = 0; i < 24; ++i)
        CHECK_EQUAL(in[i], i / 6 >= 1 && i / 6 < 3 && i % 6 >= 2 && i % 6 < 5 ? 100 * left + i : -1);
    CHECK_OK(MPI_Type_free(&type));
    for (k = 0; k < 2; ++k) {
        CHECK_OK(MPI_Type_create_darray(2, k, 2, sizes, distributions, arguments_given, grid, MPI_ORDER_C, MPI_INT,
                                        &type));
        CHECK_OK(MPI_Type_commit(&type));
        contents_of(type, MPI_COMBINER_DARRAY, 12, 0, 1, integers, NULL, inner);
        CHECK_INTEGERS(integers, 2, k, 2, 4, 6, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, 1,
                       MPI_DISTRIBUTE_DFLT_DARG, 2, 1, MPI_ORDER_C);
        memset(in, -1, sizeof in);
        CHECK_OK(MPI_Sendrecv(out, 1, type, right, 0, in, 1, type, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (i = 0; i < 24; ++i)
            CHECK_EQUAL(in[i], i / 6 % 2 == k ? 100 * left + i : -1);
        CHECK_OK(MPI_Type_free(&type));
    }
}

static void wrong_arrays(void)
{
    const int sizes[] = {4, 6}, taken[] = {2, 7}, none[] = {0, 1}, starts[] = {1, 0};
    const int distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}, unknown[] = {3, 4};
    const int usual[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 1}, blocks[] = {1, -1};
    MPI_Datatype type;
    CHECK_ERROR(MPI_Type_create_subarray(0, sizes, sizes, starts, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG,
                "0 dimensions");
    CHECK_ERROR(MPI_Type_create_subarray(2, sizes, taken, starts, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG,
                "takes 7 elements");
    CHECK_ERROR(MPI_Type_create_subarray(2, sizes, none, starts, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG,
                "0 elements of dimension 0");
    CHECK_ERROR(MPI_Type_create_subarray(2, sizes, starts, starts, 77, MPI_INT, &type), MPI_ERR_ARG, "at least one");
    CHECK_ERROR(MPI_Type_create_subarray(2, sizes, sizes, none, 77, MPI_INT, &type), MPI_ERR_ARG, "the order is 77");
    CHECK_ERROR(MPI_Type_create_subarray(2, NULL, sizes, none, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG,
                "array_of_sizes");
    CHECK_ERROR(MPI_Type_create_darray(3, 0, 2, sizes, distributions, usual, grid, MPI_ORDER_C, MPI_INT, &type),
                MPI_ERR_ARG, "do not multiply to the 3 ranks");
    CHECK_ERROR(MPI_Type_create_darray(2, 2, 2, sizes, distributions, usual, grid, MPI_ORDER_C, MPI_INT, &type),
                MPI_ERR_ARG, "rank 2 of 2 ranks");
    CHECK_ERROR(MPI_Type_create_darray(2, 0, 2, sizes, unknown, usual, grid, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG,
                "the distribution of dimension 0 is 3");
    CHECK_ERROR(MPI_Type_create_darray(2, 0, 2, sizes, distributions, blocks, grid, MPI_ORDER_C, MPI_INT, &type),
                MPI_ERR_ARG, "blocks of dimension 1 have -1");
    CHECK_ERROR(MPI_Type_create_darray(2, 0, 2, sizes, distributions, grid, grid, MPI_ORDER_C, MPI_INT, &type),
                MPI_ERR_ARG, "make the blocks longer");
}

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME], longest[2 * MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Datatype type = record_type();
    CHECK_OK(MPI_Type_get_name(type, name, &length));
    CHECK_EQUAL(length, 0);
    CHECK(name[0] == '\0');
    CHECK_OK(MPI_Type_set_name(type, "record"));
    CHECK_OK(MPI_Type_get_name(type, name, &length));
    CHECK_EQUAL(length, 6);
    CHECK(strcmp(name, "record") == 0);
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    CHECK_OK(MPI_Type_set_name(type, longest));
    CHECK_OK(MPI_Type_get_name(type, name, &length));
    CHECK_EQUAL(length, MPI_MAX_OBJECT_NAME - 1);
    CHECK_EQUAL(strlen(name), MPI_MAX_OBJECT_NAME - 1);
    CHECK_OK(MPI_Type_free(&type));
    /* Of two names of one type that which the standard's tables have, not the synonym. */
    CHECK_OK(MPI_Type_get_name(MPI_LONG_LONG, name, &length));
    CHECK(strcmp(name, "MPI_LONG_LONG_INT") == 0);
    CHECK_OK(MPI_Type_get_name(MPI_C_FLOAT_COMPLEX, name, &length));
    CHECK(strcmp(name, "MPI_C_COMPLEX") == 0);
    CHECK_OK(MPI_Type_get_name(MPI_DOUBLE_INT, name, &length));
    CHECK(strcmp(name, "MPI_DOUBLE_INT") == 0);
    CHECK_OK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
    CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0);
    CHECK_ERROR(MPI_Type_set_name(MPI_INT, NULL), MPI_ERR_ARG, "type_name");
}

static void predefined_by_contents(void)
{
    MPI_Datatype type, again, members[2];
    int integers[2];
    CHECK_OK(MPI_Type_create_f90_real(6, 30, &type));
    check_bounds(type, 4, 0, 4, 0, 4);
    contents_of(type, MPI_COMBINER_F90_REAL, 2, 0, 0, integers, NULL, NULL);
    CHECK_INTEGERS(integers, 6, 30);
    CHECK_OK(MPI_Type_create_f90_real(6, 30, &again));
    CHECK(type == again);
    CHECK_ERROR(MPI_Type_free(&again), MPI_ERR_TYPE, "predefined");
    CHECK_OK(MPI_Type_create_f90_real(MPI_UNDEFINED, 300, &type));
    check_bounds(type, 8, 0, 8, 0, 8);
    CHECK_OK(MPI_Type_create_f90_complex(15, MPI_UNDEFINED, &type));
    check_bounds(type, 16, 0, 16, 0, 16);
    contents_of(type, MPI_COMBINER_F90_COMPLEX, 2, 0, 0, integers, NULL, NULL);
    CHECK_INTEGERS(integers, 15, MPI_UNDEFINED);
    CHECK_OK(MPI_Type_create_f90_integer(10, &type));
    check_bounds(type, 8, 0, 8, 0, 8);
    contents_of(type, MPI_COMBINER_F90_INTEGER, 1, 0, 0, integers, NULL, NULL);
    CHECK_EQUAL(integers[0], 10);
    CHECK_ERROR(MPI_Type_create_f90_integer(39, &type), MPI_ERR_ARG, "39");
    CHECK_ERROR(MPI_Type_create_f90_real(34, 10, &type), MPI_ERR_ARG, "34");
    CHECK_ERROR(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &type), MPI_ERR_ARG, "both MPI_UNDEFINED");

    CHECK_OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type));
    CHECK(type == MPI_REAL8);
    CHECK_OK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &type));
    CHECK(type == MPI_INTEGER2);
    CHECK_OK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &type));
    CHECK(type == MPI_COMPLEX8);
    CHECK_ERROR(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type), MPI_ERR_ARG, "MPI_TYPECLASS_REAL has 3 bytes");
    CHECK_ERROR(MPI_Type_match_size(5, 4, &type), MPI_ERR_ARG, "class 5, which is none");

    CHECK_OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type));
    CHECK(type == MPI_DOUBLE_INT);
    CHECK_OK(MPI_Type_get_value_index(MPI_FLOAT, MPI_INT64_T, &type));
    CHECK_OK(MPI_Type_get_value_index(MPI_FLOAT, MPI_INT64_T, &again));
    CHECK(type == again);
    check_bounds(type, 12, 0, 16, 0, 16);
    contents_of(type, MPI_COMBINER_VALUE_INDEX, 0, 0, 2, NULL, NULL, members);
    CHECK(members[0] == MPI_FLOAT && members[1] == MPI_INT64_T);
    CHECK_OK(MPI_Type_get_value_index(MPI_C_DOUBLE_COMPLEX, MPI_INT, &type));
    CHECK(type == MPI_DATATYPE_NULL);
}

/* A type may be freed while a message of it is on its way, and its own inner types before that. */
static void freed_in_use(void)
{
    enum { kColumn = 20000 };
    int* const out = malloc(sizeof(int) * 2 * kColumn);
    int* const in = malloc(sizeof(int) * 2 * kColumn);
    MPI_Datatype pair, column;
    MPI_Request requests[2];
    int i;
    for (i = 0; i < 2 * kColumn; ++i) {
        out[i] = rank + i;
        in[i] = -1;
    }
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 8, &pair));
    CHECK_OK(MPI_Type_contiguous(kColumn, pair, &column));
    CHECK_OK(MPI_Type_free(&pair));
    CHECK_OK(MPI_Type_commit(&column));
    CHECK_OK(MPI_Irecv(in, 1, column, left, 4, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Isend(out, 1, column, right, 4, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Type_free(&column));
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (i = 0; i < 2 * kColumn; ++i)
        if (in[i] != (i % 2 == 0 ? left + i : -1))
            break;
    CHECK_EQUAL(i, 2 * kColumn);
    free(out);
    free(in);
}

static void wrong_arguments(void)
{
    const int lengths[] = {1, -1}, units[] = {0, 1};
    const MPI_Aint places[] = {0, 8};
    const MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL};
    MPI_Datatype type = MPI_DATATYPE_NULL, freed;
    MPI_Aint low;
    int number, i;
    CHECK_ERROR(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT, "MPI_Type_contiguous: ");
    CHECK_ERROR(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Type_contiguous(1, MPI_INT, NULL), MPI_ERR_ARG, "newtype");
    CHECK_ERROR(MPI_Type_contiguous_c(1LL << 61, MPI_INT, &type), MPI_ERR_ARG, "address space");
    CHECK_ERROR(MPI_Type_vector(2, -3, 1, MPI_INT, &type), MPI_ERR_ARG, "block is -3");
    CHECK_ERROR(MPI_Type_create_hvector(-2, 3, 1, MPI_INT, &type), MPI_ERR_COUNT, "-2");
    CHECK_ERROR(MPI_Type_indexed(2, lengths, units, MPI_INT, &type), MPI_ERR_ARG, "block is -1");
    CHECK_ERROR(MPI_Type_indexed(2, NULL, units, MPI_INT, &type), MPI_ERR_ARG, "array_of_blocklengths");
    CHECK_ERROR(MPI_Type_create_hindexed(2, units, NULL, MPI_INT, &type), MPI_ERR_ARG, "array_of_displacements");
    CHECK_ERROR(MPI_Type_create_indexed_block(-1, 2, units, MPI_INT, &type), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Type_create_hindexed_block(2, -1, places, MPI_INT, &type), MPI_ERR_ARG, "block is -1");
    CHECK_ERROR(MPI_Type_create_hindexed_block_c(1LL << 60, 1, NULL, MPI_INT, &type), MPI_ERR_ARG, "displacements");
    CHECK_ERROR(MPI_Type_create_hindexed_block_c(1LL << 60, 1, (const MPI_Count*)places, MPI_INT, &type),
                MPI_ERR_COUNT, "address space");
    CHECK_ERROR(MPI_Type_create_struct(2, units, places, types, &type), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Type_create_struct(2, units, places, NULL, &type), MPI_ERR_ARG, "array_of_types");
    CHECK_ERROR(MPI_Type_create_resized(MPI_DATATYPE_NULL, 0, 8, &type), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Type_dup(MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Type_commit(&type), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Type_commit(NULL), MPI_ERR_ARG, "datatype");
    CHECK_ERROR(MPI_Type_free(&type), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    type = MPI_INT;
    CHECK_ERROR(MPI_Type_free(&type), MPI_ERR_TYPE, "MPI_INT is predefined");
    CHECK_ERROR(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG, "size");
    CHECK_ERROR(MPI_Type_get_extent(MPI_INT, &low, NULL), MPI_ERR_ARG, "extent");
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &type));
    CHECK_ERROR(MPI_Send(&number, 1, type, rank, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, "not committed");
    freed = type;
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)1 << 60, &type));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_ERROR(MPI_Send(&number, 100, type, rank, 0, MPI_COMM_WORLD), MPI_ERR_ARG, "address space");
    CHECK_OK(MPI_Type_free(&type));
    CHECK_ERROR(MPI_Type_size(freed, &number), MPI_ERR_TYPE, "freed");
    CHECK_ERROR(MPI_Send(&number, 1, freed, rank, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, "freed");
    /* No chain of types is so long that its end overflows the stack. */
    type = MPI_INT;
    for (i = 0; i < 2000; ++i) {
        MPI_Datatype next = MPI_DATATYPE_NULL;
        const int code = MPI_Type_dup(type, &next);
        if (i > 0)
            MPI_Type_free(&type);
        if (code != MPI_SUCCESS) {
            CHECK_ERROR(code, MPI_ERR_TYPE, "nested");
            break;
        }
        type = next;
    }
    CHECK(i < 2000);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    bounds();
    arrays();
    wrong_arrays();
    names();
    predefined_by_contents();
    freed_in_use();
    wrong_arguments();
    MPI_Finalize();
    return check_result();
}
