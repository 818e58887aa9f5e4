/* The arguments that datatypes were made with. */
#include "type_checks.h"

static void arguments(void)
{
    MPI_Datatype type, inner[3], vector;
    int integers[20], numbers[4] = {-1, -1, -1, -1};
    const int lengths[] = {2, 1}, units[] = {-3, 5};
    MPI_Aint places[4], given[] = {-24, 40};
    CHECK_OK(MPI_Type_get_envelope(MPI_FLOAT, &numbers[0], &numbers[1], &numbers[2], &numbers[3]));
    CHECK_INTEGERS(numbers, 0, 0, 0, MPI_COMBINER_NAMED);
    CHECK_ERROR(MPI_Type_get_contents(MPI_FLOAT, 0, 0, 0, NULL, NULL, NULL), MPI_ERR_TYPE, "MPI_FLOAT is predefined");

    CHECK_OK(MPI_Type_vector(2, 3, 4, MPI_FLOAT, &vector));
    contents_of(vector, MPI_COMBINER_VECTOR, 3, 0, 1, integers, NULL, inner);
    CHECK_INTEGERS(integers, 2, 3, 4);
    CHECK(inner[0] == MPI_FLOAT);
    CHECK_ERROR(MPI_Type_get_contents(vector, 2, 0, 1, integers, NULL, inner), MPI_ERR_ARG, "room for 2");

    CHECK_OK(MPI_Type_contiguous(5, vector, &type));
    contents_of(type, MPI_COMBINER_CONTIGUOUS, 1, 0, 1, integers, NULL, inner);
    CHECK_EQUAL(integers[0], 5);
    CHECK_OK(MPI_Type_free(&vector));
    CHECK_OK(MPI_Type_free(&type));
    contents_of(inner[0], MPI_COMBINER_VECTOR, 3, 0, 1, integers, NULL, &type);
    CHECK_INTEGERS(integers, 2, 3, 4);
    check_bounds(inner[0], 24, 0, 28, 0, 28);
    CHECK_OK(MPI_Type_free(&inner[0]));

    CHECK_OK(MPI_Type_create_hvector(2, 3, 40, MPI_INT, &type));
    contents_of(type, MPI_COMBINER_HVECTOR, 2, 1, 1, integers, places, inner);
    CHECK_INTEGERS(integers, 2, 3);
    CHECK_EQUAL(places[0], 40);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_indexed(2, lengths, units, MPI_INT, &type));
    contents_of(type, MPI_COMBINER_INDEXED, 5, 0, 1, integers, NULL, inner);
    CHECK_INTEGERS(integers, 2, 2, 1, -3, 5);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_create_hindexed(2, lengths, given, MPI_INT, &type));
    contents_of(type, MPI_COMBINER_HINDEXED, 3, 2, 1, integers, places, inner);
    CHECK_INTEGERS(integers, 2, 2, 1);
    CHECK_INTEGERS(places, -24, 40);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_create_indexed_block(2, 3, units, MPI_INT, &type));
    contents_of(type, MPI_COMBINER_INDEXED_BLOCK, 4, 0, 1, integers, NULL, inner);
    CHECK_INTEGERS(integers, 2, 3, -3, 5);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_create_hindexed_block(2, 3, given, MPI_INT, &type));
    contents_of(type, MPI_COMBINER_HINDEXED_BLOCK, 2, 2, 1, integers, places, inner);
    CHECK_INTEGERS(integers, 2, 3);
    CHECK_INTEGERS(places, -24, 40);
    CHECK_OK(MPI_Type_free(&type));
    type = record_type();
    contents_of(type, MPI_COMBINER_STRUCT, 4, 3, 3, integers, places, inner);
    CHECK_INTEGERS(integers, 3, 1, 1, 3);
    CHECK_INTEGERS(places, 0, 8, 12);
    CHECK(inner[0] == MPI_DOUBLE && inner[1] == MPI_CHAR && inner[2] == MPI_INT);
    CHECK_OK(MPI_Type_create_resized(type, -8, 64, &vector));
    contents_of(vector, MPI_COMBINER_RESIZED, 0, 2, 1, NULL, places, inner);
    CHECK_INTEGERS(places, -8, 64);
    CHECK_OK(MPI_Type_free(&vector));
    CHECK_OK(MPI_Type_free(&inner[0]));
    CHECK_OK(MPI_Type_dup(type, &vector));
    contents_of(vector, MPI_COMBINER_DUP, 0, 0, 1, NULL, NULL, inner);
    CHECK_OK(MPI_Type_free(&vector));
    CHECK_OK(MPI_Type_free(&type));
    check_bounds(inner[0], 21, 0, (MPI_Aint)sizeof(Record), 0, (MPI_Aint)sizeof(Record));
    CHECK_OK(MPI_Type_free(&inner[0]));
}

static void arguments_for_large_counts(void)
{
    const MPI_Count lengths[] = {2, 1}, places[] = {-24, 1LL << 40};
    const MPI_Datatype types[] = {MPI_INT, MPI_CHAR};
    MPI_Count counts[8], numbers[4];
    MPI_Datatype type, inner[2];
    int combiner = 0, small[4], integers[2], got[4];
    CHECK_OK(MPI_Type_create_struct_c(2, lengths, places, types, &type));
    CHECK_OK(MPI_Type_get_envelope_c(type, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &combiner));
    CHECK_INTEGERS(numbers, 0, 0, 5, 2);
    CHECK_EQUAL(combiner, MPI_COMBINER_STRUCT);
    CHECK_OK(MPI_Type_get_contents_c(type, 0, 0, 5, 2, NULL, NULL, counts, inner));
    CHECK_INTEGERS(counts, 2, 2, 1, -24);
    CHECK_EQUAL(counts[4], 1LL << 40);
    CHECK(inner[0] == MPI_INT && inner[1] == MPI_CHAR);
    CHECK_ERROR(MPI_Type_get_envelope(type, &got[0], &got[1], &got[2], &got[3]), MPI_ERR_TYPE, "_c");
    CHECK_ERROR(MPI_Type_get_contents(type, 4, 4, 4, small, NULL, inner), MPI_ERR_TYPE, "_c");
    CHECK_OK(MPI_Type_free(&type));
    {
        const MPI_Count sizes[] = {4, 1LL << 33}, taken[] = {2, 3}, starts[] = {1, 1LL << 32};
        CHECK_OK(MPI_Type_create_subarray_c(2, sizes, taken, starts, MPI_ORDER_C, MPI_INT, &type));
        CHECK_OK(MPI_Type_get_envelope_c(type, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &combiner));
        CHECK_INTEGERS(numbers, 2, 0, 6, 1);
        CHECK_OK(MPI_Type_get_contents_c(type, 2, 0, 6, 1, integers, NULL, counts, inner));
        CHECK_INTEGERS(integers, 2, MPI_ORDER_C);
        CHECK(counts[1] == sizes[1] && counts[5] == starts[1]);
        CHECK_OK(MPI_Type_free(&type));
    }
    CHECK_OK(MPI_Type_contiguous(7, MPI_INT, &type));
    CHECK_OK(MPI_Type_get_envelope_c(type, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &combiner));
    CHECK_INTEGERS(numbers, 1, 0, 0, 1);
    CHECK_OK(MPI_Type_free(&type));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    arguments();
    arguments_for_large_counts();
    MPI_Finalize();
    return check_result();
}
