/* Collectives of derived datatypes: a type per side, gaps that stay as they are, absolute addresses, and operators of
   programs on such types. */
#include <stdlib.h>

#include "forms.h"

enum { kRows = 4, kMostRanks = 16 };

static int rank, size;

static MPI_Datatype committed(MPI_Datatype type)
{
    CHECK_OK(MPI_Type_commit(&type));
    return type;
}

/* A column of a matrix with `columns` columns; the next one is one element behind. */
static MPI_Datatype column_of(int columns)
{
    MPI_Datatype vector, column;
    CHECK_OK(MPI_Type_vector(kRows, 1, columns, MPI_DOUBLE, &vector));
    CHECK_OK(MPI_Type_create_resized(vector, 0, sizeof(double), &column));
    CHECK_OK(MPI_Type_free(&vector));
    return committed(column);
}

static double value(int from, int row)
{
    return 100 * from + row;
}

/* Column 1 + `step` * r of `matrix` is rank r's; all others are -1. */
static void check_columns(const double* matrix, int columns, int step)
{
    int column, row, wrong = 0;
    for (column = 0; column < columns; ++column)
        for (row = 0; row < kRows; ++row) {
            const int r = (column - 1) / step;
            const int is_set = column >= 1 && (column - 1) % step == 0 && r < size;
            wrong += matrix[row * columns + column] != (is_set ? value(r, row) : -1);
        }
    CHECK_EQUAL(wrong, 0);
}

static void clear(double* matrix, int columns)
{
    int i;
    for (i = 0; i < kRows * columns; ++i)
        matrix[i] = -1;
}

/* Equal bytes by different counts and types. */
static void types_of_two_sides(void)
{
    double matrix[2 * kRows * 4], own[8];
    MPI_Datatype vector;
    int root, i;
    CHECK_OK(MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &vector));
    vector = committed(vector);
    for (root = 0; root < size; ++root) {
        for (i = 0; i < 32; ++i)
            matrix[i] = rank == root ? i : -1;
        for (i = 0; i < 8; ++i)
            own[i] = -1;
        /* Two vectors: elements 0, 2, 4, 6 and 7, 9, 11, 13. */
        if (rank == root)
            COLLECTIVE(Bcast, bcast, matrix, 2, vector, root, MPI_COMM_WORLD);
        else
            COLLECTIVE(Bcast, bcast, own, 8, MPI_DOUBLE, root, MPI_COMM_WORLD);
        for (i = 0; i < 8 && rank != root; ++i)
            CHECK(own[i] == (i < 4 ? 2 * i : 7 + 2 * (i - 4)));
        for (i = 0; i < 8; ++i)
            own[i] = value(rank, i);
        if (rank == root) {
            double* all = malloc((size_t)size * 8 * sizeof *all);
            COLLECTIVE(Gather, gather, own, 8, MPI_DOUBLE, all, 64, MPI_BYTE, root, MPI_COMM_WORLD);
            for (i = 0; i < 8 * size; ++i)
                CHECK(all[i] == (i / 8 == rank ? value(rank, i % 8) : value(i / 8, i % 8)));
            free(all);
        } else {
            for (i = 0; i < 8; ++i)
                matrix[i < 4 ? 2 * i : 7 + 2 * (i - 4)] = own[i];
            COLLECTIVE(Gather, gather, matrix, 2, vector, NULL, 0, MPI_BYTE, root, MPI_COMM_WORLD);
        }
    }
    CHECK_OK(MPI_Type_free(&vector));
}

static void columns(void)
{
    const int wide = 2 * kMostRanks + 2;
    double* matrix = malloc((size_t)(kRows * wide) * sizeof *matrix);
    double own[kRows], taken[kRows];
    int counts[kMostRanks], places[kMostRanks], root, row, r;
    MPI_Datatype column = column_of(wide);
    for (row = 0; row < kRows; ++row)
        own[row] = value(rank, row);
    for (r = 0; r < size; ++r) {
        counts[r] = 1;
        places[r] = 2 * r;
    }
    for (root = 0; root < size; ++root) {
        clear(matrix, wide);
        COLLECTIVE(Gather, gather, own, kRows, MPI_DOUBLE, matrix + 1, 1, column, root, MPI_COMM_WORLD);
        if (rank == root)
            check_columns(matrix, wide, 1);
        for (row = 0; row < kRows; ++row)
            taken[row] = -1;
        COLLECTIVE(Scatter, scatter, matrix + 1, 1, column, taken, kRows, MPI_DOUBLE, root, MPI_COMM_WORLD);
        CHECK(memcmp(taken, own, sizeof own) == 0);
        clear(matrix, wide);
        COLLECTIVE(Gatherv, gatherv, own, kRows, MPI_DOUBLE, matrix + 1, counts, places, column, root,
                   MPI_COMM_WORLD);
        if (rank == root)
            check_columns(matrix, wide, 2);
        taken[0] = -1;
        COLLECTIVE(Scatterv, scatterv, matrix + 1, counts, places, column, taken, kRows, MPI_DOUBLE, root,
                   MPI_COMM_WORLD);
        CHECK(memcmp(taken, own, sizeof own) == 0);
    }
    clear(matrix, wide);
    COLLECTIVE(Allgather, allgather, own, kRows, MPI_DOUBLE, matrix + 1, 1, column, MPI_COMM_WORLD);
    check_columns(matrix, wide, 1);
    clear(matrix, wide);
    COLLECTIVE(Allgatherv, allgatherv, own, kRows, MPI_DOUBLE, matrix + 1, counts, places, column, MPI_COMM_WORLD);
    check_columns(matrix, wide, 2);
    clear(matrix, wide);
    for (row = 0; row < kRows; ++row)
        matrix[row * wide + 1 + 2 * rank] = own[row];
    COLLECTIVE(Allgatherv, allgatherv, MPI_IN_PLACE, 0, MPI_DOUBLE, matrix + 1, counts, places, column,
               MPI_COMM_WORLD);
    check_columns(matrix, wide, 2);
    /* Rank r sends its column to all. */
    clear(matrix, wide);
    {
        double* all = malloc((size_t)(size * kRows) * sizeof *all);
        for (r = 0; r < size; ++r)
            memcpy(all + r * kRows, own, sizeof own);
        COLLECTIVE(Alltoall, alltoall, all, kRows, MPI_DOUBLE, matrix + 1, 1, column, MPI_COMM_WORLD);
        check_columns(matrix, wide, 1);
        free(all);
    }
    CHECK_OK(MPI_Type_free(&column));
    free(matrix);
}

/* Two operations at once, into columns that take turns. */
static void columns_at_once(void)
{
    const int wide = 2 * kMostRanks;
    double* matrix = malloc((size_t)(kRows * wide) * sizeof *matrix);
    double own[2][kRows];
    int counts[kMostRanks], places[2][kMostRanks], row, r, wrong = 0;
    MPI_Datatype column = column_of(wide);
    MPI_Request requests[2];
    for (row = 0; row < kRows; ++row) {
        own[0][row] = value(rank, row);
        own[1][row] = -value(rank, row);
    }
    for (r = 0; r < size; ++r) {
        counts[r] = 1;
        places[0][r] = 2 * r;
        places[1][r] = 2 * r + 1;
    }
    for (r = 0; r < 2; ++r)
        CHECK_OK(MPI_Iallgatherv(own[r], kRows, MPI_DOUBLE, matrix, counts, places[r], column, MPI_COMM_WORLD,
                                 &requests[r]));
    CHECK_OK(MPI_Type_free(&column));
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (r = 0; r < 2 * size; ++r)
        for (row = 0; row < kRows; ++row)
            wrong += matrix[row * wide + r] != (r % 2 == 0 ? value(r / 2, row) : -value(r / 2, row));
    CHECK_EQUAL(wrong, 0);
    free(matrix);
}

/* A matrix is distributed by rows, and then by columns: rank r gets columns 2r and 2r + 1 as a subarray. */
static void transposed(void)
{
    const int wide = 2 * size;
    int* mine = malloc((size_t)(3 * wide) * sizeof *mine);
    int* got = malloc((size_t)(2 * 3 * size) * sizeof *got);
    int ones[kMostRanks], zeros[kMostRanks], six[kMostRanks], places[kMostRanks], r, i, wrong = 0;
    MPI_Datatype parts[kMostRanks], ints[kMostRanks];
    for (i = 0; i < 3 * wide; ++i)
        mine[i] = 1000 * rank + i;
    for (r = 0; r < size; ++r) {
        int sizes[2], part[2] = {3, 2}, starts[2] = {0, 0};
        sizes[0] = 3;
        sizes[1] = wide;
        starts[1] = 2 * r;
        CHECK_OK(MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_INT, &parts[r]));
        parts[r] = committed(parts[r]);
        ints[r] = MPI_INT;
        ones[r] = 1;
        six[r] = 6;
        zeros[r] = 0;
        places[r] = 24 * r;
    }
    COLLECTIVE(Alltoallw, alltoallw, mine, ones, zeros, parts, got, six, places, ints, MPI_COMM_WORLD);
    for (r = 0; r < size; ++r)
        for (i = 0; i < 6; ++i)
            wrong += got[6 * r + i] != 1000 * r + i / 2 * wide + 2 * rank + i % 2;
    CHECK_EQUAL(wrong, 0);
    /* In place: the blocks of the row matrix are exchanged. */
    COLLECTIVE(Alltoallw, alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, mine, ones, zeros, parts, MPI_COMM_WORLD);
    for (r = 0; r < size; ++r)
        for (i = 0; i < 6; ++i)
            wrong += mine[i / 2 * wide + 2 * r + i % 2] != 1000 * r + i / 2 * wide + 2 * rank + i % 2;
    CHECK_EQUAL(wrong, 0);
    for (r = 0; r < size; ++r)
        CHECK_OK(MPI_Type_free(&parts[r]));
    free(mine);
    free(got);
}

/* MPI_BOTTOM and a type of absolute addresses. */
static void addresses(void)
{
    int first = rank == 0 ? 11 : -1, lengths[2] = {1, 2};
    double second[3] = {-1, -1, -1};
    MPI_Aint places[2];
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, both;
    if (rank == 0) {
        second[1] = 0.5;
        second[2] = 0.25;
    }
    CHECK_OK(MPI_Get_address(&first, &places[0]));
    CHECK_OK(MPI_Get_address(&second[1], &places[1]));
    CHECK_OK(MPI_Type_create_struct(2, lengths, places, types, &both));
    both = committed(both);
    COLLECTIVE(Bcast, bcast, MPI_BOTTOM, 1, both, 0, MPI_COMM_WORLD);
    CHECK(first == 11 && second[0] == -1 && second[1] == 0.5 && second[2] == 0.25);
    CHECK_OK(MPI_Type_free(&both));
}

/* Does not commute. The elements are columns, of which only rows 0 and 2 count. */
static int width;
static int function_calls;

static void join_columns(void* in, void* inout, int* length, MPI_Datatype* type)
{
    MPI_Aint low, extent;
    int i, row;
    CHECK_OK(MPI_Type_get_extent(*type, &low, &extent));
    CHECK_EQUAL(extent, sizeof(double));
    ++function_calls;
    for (i = 0; i < *length; ++i)
        for (row = 0; row < kRows; row += 2) {
            const double* left = (double*)((char*)in + i * extent) + row * width;
            double* right = (double*)((char*)inout + i * extent) + row * width;
            *right = *left * 10 + *right;
        }
}

static void maximum(void* in, void* inout, int* length, MPI_Datatype* type)
{
    MPI_Aint low, extent;
    int i, row;
    CHECK_OK(MPI_Type_get_extent(*type, &low, &extent));
    for (i = 0; i < *length; ++i)
        for (row = 0; row < kRows; row += 2) {
            const double* left = (double*)((char*)in + i * extent) + row * width;
            double* right = (double*)((char*)inout + i * extent) + row * width;
            if (*left > *right)
                *right = *left;
        }
}

static void operators_on_columns(void)
{
    enum { kColumns = 3 };
    double in[kRows * 5], out[kRows * 5];
    int i;
    MPI_Datatype vector, column;
    MPI_Op op;
    width = 5;
    CHECK_OK(MPI_Type_vector(kRows / 2, 1, 2 * width, MPI_DOUBLE, &vector));
    CHECK_OK(MPI_Type_create_resized(vector, 0, sizeof(double), &column));
    column = committed(column);
    for (i = 0; i < kRows * width; ++i) {
        in[i] = rank * (i % 2 == 0 ? 1 : -1) + i;
        out[i] = -7;
    }
    CHECK_OK(MPI_Op_create(maximum, 1, &op));
    COLLECTIVE(Allreduce, allreduce, in + 1, out + 1, kColumns, column, op, MPI_COMM_WORLD);
    for (i = 0; i < kRows * width; ++i) {
        const int is_set = i / width % 2 == 0 && i % width >= 1 && i % width <= kColumns;
        CHECK(out[i] == (is_set ? i + (i % 2 == 0 ? size - 1 : 0) : -7));
    }
    COLLECTIVE(Reduce, reduce, rank == 0 ? MPI_IN_PLACE : (void*)(in + 1), rank == 0 ? in + 1 : NULL, kColumns,
               column, op, 0, MPI_COMM_WORLD);
    for (i = 0; i < kRows * width && rank == 0; ++i) {
        const int is_set = i / width % 2 == 0 && i % width >= 1 && i % width <= kColumns;
        CHECK(in[i] == (is_set && i % 2 == 0 ? i + size - 1 : i));
    }
    CHECK_OK(MPI_Op_free(&op));

    CHECK_OK(MPI_Op_create(join_columns, 0, &op));
    function_calls = 0;
    for (i = 0; i < kRows * width; ++i) {
        in[i] = 3 + i;
        out[i] = 2;
    }
    CHECK_OK(MPI_Reduce_local(in, out, kColumns, column, op));
    for (i = 0; i < kRows * width; ++i)
        CHECK(out[i] == (i / width % 2 == 0 && i % width < kColumns ? 10 * (3 + i) + 2 : 2));
    CHECK_EQUAL(function_calls, 1);
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&vector));
    CHECK_OK(MPI_Type_free(&column));
}

/* A 2 x 2 matrix is a contiguous type; its product does not commute. */
static void multiply(void* in, void* inout, int* length, MPI_Datatype* type)
{
    int i;
    (void)type;
    for (i = 0; i < *length; ++i) {
        const double* a = (double*)in + 4 * i;
        double* b = (double*)inout + 4 * i;
        const double c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                             a[2] * b[1] + a[3] * b[3]};
        memcpy(b, c, sizeof c);
    }
}

static void products(void)
{
    enum { kMatrices = 50 };
    double in[4 * kMatrices], out[4 * kMatrices], expected[4 * kMatrices];
    int i, r, length = kMatrices;
    MPI_Datatype matrix;
    MPI_Op op;
    CHECK_OK(MPI_Type_contiguous(4, MPI_DOUBLE, &matrix));
    matrix = committed(matrix);
    CHECK_OK(MPI_Op_create(multiply, 0, &op));
    for (i = 0; i < 4 * kMatrices; ++i) {
        in[i] = (rank + i) % 5;
        expected[i] = (size - 1 + i) % 5;
    }
    for (r = size - 2; r >= 0; --r) {
        double left[4 * kMatrices];
        for (i = 0; i < 4 * kMatrices; ++i)
            left[i] = (r + i) % 5;
        multiply(left, expected, &length, NULL);
    }
    COLLECTIVE(Allreduce, allreduce, in, out, kMatrices, matrix, op, MPI_COMM_WORLD);
    CHECK(memcmp(out, expected, sizeof out) == 0);
    COLLECTIVE(Allreduce, allreduce, MPI_IN_PLACE, in, kMatrices, matrix, op, MPI_COMM_WORLD);
    CHECK(memcmp(in, expected, sizeof in) == 0);
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&matrix));
}

static void wrong_types(void)
{
    double data[16] = {0};
    MPI_Datatype type;
    CHECK_OK(MPI_Type_contiguous(2, MPI_DOUBLE, &type));
    CHECK_ERROR(MPI_Bcast(data, 1, type, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, "MPI_Type_commit");
    CHECK_ERROR(MPI_Allreduce(MPI_IN_PLACE, data, 1, type, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_TYPE, "MPI_Type_commit");
    type = committed(type);
    CHECK_ERROR(MPI_Allreduce(MPI_IN_PLACE, data, 1, type, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP, "not defined");
    CHECK_OK(MPI_Type_free(&type));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    for (form = 0; form < kForms; ++form) {
        types_of_two_sides();
        columns();
        columns_at_once();
        transposed();
        addresses();
        operators_on_columns();
        products();
    }
    wrong_types();
    MPI_Finalize();
    return check_result();
}
