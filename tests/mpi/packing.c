/* Pack and unpack, the portable form, absolute addresses, numbers of elements, and collectives with datatypes. */
#include "check.h"

#include <stdlib.h>
#include <wchar.h>

static int rank, size, right, left;

static void packed_messages(void)
{
    char out[200], in[200];
    double number = 0.5 + rank, got_number = 0;
    int list[] = {1, 2, 3}, got_list[] = {0, 0, 0}, position = 0, bytes = -1, count = -1, i;
    MPI_Count wide = 0, wide_bytes = -1;
    MPI_Datatype every_other;
    MPI_Status status;
    CHECK_OK(MPI_Type_vector(2, 1, 2, MPI_INT, &every_other));
    CHECK_OK(MPI_Type_commit(&every_other));
    CHECK_OK(MPI_Pack_size(2, every_other, MPI_COMM_WORLD, &bytes));
    CHECK_EQUAL(bytes, 16);
    CHECK_OK(MPI_Pack_size_c(1LL << 40, MPI_DOUBLE, MPI_COMM_WORLD, &wide_bytes));
    CHECK_EQUAL(wide_bytes, 1LL << 43);
    CHECK_OK(MPI_Pack(&number, 1, MPI_DOUBLE, out, sizeof out, &position, MPI_COMM_WORLD));
    CHECK_EQUAL(position, 8);
    CHECK_OK(MPI_Pack(list, 1, every_other, out, sizeof out, &position, MPI_COMM_WORLD));
    CHECK_EQUAL(position, 16);
    CHECK_OK(MPI_Sendrecv(out, position, MPI_PACKED, right, 0, in, sizeof in, MPI_PACKED, left, 0, MPI_COMM_WORLD,
                          &status));
    CHECK_OK(MPI_Get_count(&status, MPI_PACKED, &count));
    CHECK_EQUAL(count, 16);
    position = 0;
    CHECK_OK(MPI_Unpack(in, count, &position, &got_number, 1, MPI_DOUBLE, MPI_COMM_WORLD));
    CHECK_EQUAL((int)(2 * got_number), 2 * left + 1);
    wide = position;
    CHECK_OK(MPI_Unpack_c(in, count, &wide, got_list, 1, every_other, MPI_COMM_WORLD));
    CHECK_EQUAL(wide, 16);
    for (i = 0; i < 3; ++i)
        CHECK_EQUAL(got_list[i], i == 1 ? 0 : list[i]);
    /* A packed message is also one of its types. */
    CHECK_OK(MPI_Sendrecv(out, 8, MPI_PACKED, right, 0, &got_number, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &status));
    CHECK_EQUAL((int)(2 * got_number), 2 * left + 1);

    position = 190;
    CHECK_ERROR(MPI_Pack(list, 3, MPI_INT, out, sizeof out, &position, MPI_COMM_WORLD), MPI_ERR_TRUNCATE,
                "12 bytes are needed from position 190 on");
    CHECK_EQUAL(position, 190);
    CHECK_ERROR(MPI_Unpack(in, 2, &position, list, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_ARG, "the position is 190");
    position = 0;
    CHECK_ERROR(MPI_Unpack(in, 2, &position, list, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TRUNCATE, "4 bytes");
    CHECK_ERROR(MPI_Pack(list, 1, MPI_INT, NULL, 4, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER, "null pointer");
    CHECK_ERROR(MPI_Pack(NULL, 1, MPI_INT, out, 4, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER, "null pointer");
    CHECK_ERROR(MPI_Pack(list, 1, MPI_INT, out, 4, NULL, MPI_COMM_WORLD), MPI_ERR_ARG, "position");
    CHECK_ERROR(MPI_Pack(list, 1, MPI_INT, out, -4, &position, MPI_COMM_WORLD), MPI_ERR_ARG, "buffer is -4");
    CHECK_ERROR(MPI_Pack(list, -1, MPI_INT, out, 4, &position, MPI_COMM_WORLD), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Pack(list, 1, MPI_DATATYPE_NULL, out, 4, &position, MPI_COMM_WORLD), MPI_ERR_TYPE, "NULL");
    CHECK_ERROR(MPI_Pack_size(-1, MPI_INT, MPI_COMM_WORLD, &bytes), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Pack_size(1, MPI_INT, MPI_COMM_NULL, &bytes), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_OK(MPI_Type_free(&every_other));
}

/* Fails unless `count` elements become these bytes, and the bytes the elements. */
static void check_external(const void* from, int count, MPI_Datatype type, const char* expected, MPI_Aint bytes)
{
    char packed[64], back[64];
    MPI_Aint extent, low, position = 0, needed = -1;
    CHECK_OK(MPI_Type_get_extent(type, &low, &extent));
    CHECK_OK(MPI_Pack_external_size("external32", count, type, &needed));
    CHECK_EQUAL(needed, bytes);
    CHECK_OK(MPI_Pack_external("external32", from, count, type, packed, sizeof packed, &position));
    CHECK_EQUAL(position, bytes);
    CHECK(memcmp(packed, expected, (size_t)bytes) == 0);
    position = 0;
    memcpy(back, from, (size_t)(extent * count));
    CHECK_OK(MPI_Unpack_external("external32", packed, bytes, &position, back, count, type));
    CHECK_EQUAL(position, bytes);
    CHECK(memcmp(back, from, (size_t)(extent * count)) == 0);
}

static void portable_form(void)
{
    const int numbers[] = {1, -2};
    const long longs[] = {3, -4};
    const unsigned long unsigned_long = 0x89abcdefUL;
    const wchar_t wide = L'A';
    const double real = -2.5;
    const float complex[] = {1, 2};
    const unsigned char quad[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const struct {
        double value;
        int index;
    } pair = {1, 7};
    char packed[8];
    MPI_Aint position = 6;
    MPI_Count wide_position = 0;
    check_external(numbers, 2, MPI_INT, "\0\0\0\1\xff\xff\xff\xfe", 8);
    check_external(longs, 2, MPI_LONG, "\0\0\0\3\xff\xff\xff\xfc", 8);
    check_external(&unsigned_long, 1, MPI_UNSIGNED_LONG, "\x89\xab\xcd\xef", 4);
    check_external(longs, 1, MPI_INT64_T, "\0\0\0\0\0\0\0\3", 8);
    check_external(&wide, 1, MPI_WCHAR, "\0A", 2);
    check_external(&real, 1, MPI_DOUBLE, "\xc0\4\0\0\0\0\0\0", 8);
    check_external(complex, 1, MPI_C_FLOAT_COMPLEX, "\x3f\x80\0\0\x40\0\0\0", 8);
    check_external(&pair, 1, MPI_DOUBLE_INT, "\x3f\xf0\0\0\0\0\0\0\0\0\0\7", 12);
    check_external(quad, 1, MPI_INTEGER16, "\20\17\16\15\14\13\12\11\10\7\6\5\4\3\2\1", 16);
    check_external(quad, 1, MPI_COMPLEX16, "\10\7\6\5\4\3\2\1\20\17\16\15\14\13\12\11", 16);
    check_external("abc", 3, MPI_CHAR, "abc", 3);
    CHECK_OK(MPI_Pack_external_c("external32", numbers, 1, MPI_INT, packed, sizeof packed, &wide_position));
    CHECK_EQUAL(wide_position, 4);
    CHECK_ERROR(MPI_Pack_external("external32", numbers, 1, MPI_INT, packed, sizeof packed, &position),
                MPI_ERR_TRUNCATE, "4 bytes");
    CHECK_ERROR(MPI_Pack_external("internal", numbers, 1, MPI_INT, packed, sizeof packed, &position),
                MPI_ERR_UNSUPPORTED_DATAREP, "\"internal\"");
    CHECK_ERROR(MPI_Unpack_external(NULL, numbers, 1, &position, packed, 1, MPI_INT), MPI_ERR_ARG, "datarep");
    CHECK_ERROR(MPI_Pack_external_size("external32", -1, MPI_INT, &position), MPI_ERR_COUNT, "-1");
}

static void absolute_addresses(void)
{
    double number = rank, got_number = -1;
    int list[] = {rank, -1, rank + 2}, got_list[] = {-7, -7, -7};
    const int lengths[] = {1, 2};
    MPI_Aint out[2], in[2];
    MPI_Datatype inner, sent, received, types[2];
    CHECK_OK(MPI_Type_vector(1, 1, 1, MPI_INT, &inner));
    CHECK_OK(MPI_Type_create_resized(inner, 0, 8, &types[1]));
    types[0] = MPI_DOUBLE;
    CHECK_OK(MPI_Get_address(&number, &out[0]));
    CHECK_OK(MPI_Get_address(list, &out[1]));
    CHECK_OK(MPI_Get_address(&got_number, &in[0]));
    CHECK_OK(MPI_Get_address(got_list, &in[1]));
    CHECK_EQUAL(MPI_Aint_diff(MPI_Aint_add(out[1], 8), out[1]), 8);
    CHECK_OK(MPI_Type_create_struct(2, lengths, out, types, &sent));
    CHECK_OK(MPI_Type_create_struct(2, lengths, in, types, &received));
    CHECK_OK(MPI_Type_commit(&sent));
    CHECK_OK(MPI_Type_commit(&received));
    CHECK_OK(MPI_Sendrecv(MPI_BOTTOM, 1, sent, right, 0, MPI_BOTTOM, 1, received, left, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    CHECK_EQUAL((int)got_number, left);
    CHECK_EQUAL(got_list[0], left);
    CHECK_EQUAL(got_list[1], -7);
    CHECK_EQUAL(got_list[2], left + 2);
    CHECK_OK(MPI_Type_free(&inner));
    CHECK_OK(MPI_Type_free(&types[1]));
    CHECK_OK(MPI_Type_free(&sent));
    CHECK_OK(MPI_Type_free(&received));
    /* A contiguous one. */
    CHECK_OK(MPI_Type_create_hindexed(1, lengths, in, MPI_DOUBLE, &received));
    CHECK_OK(MPI_Type_commit(&received));
    got_number = -1;
    CHECK_OK(MPI_Sendrecv(&number, 1, MPI_DOUBLE, right, 0, MPI_BOTTOM, 1, received, left, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    CHECK_EQUAL((int)got_number, left);
    CHECK_OK(MPI_Type_free(&received));
    CHECK_ERROR(MPI_Send(MPI_BOTTOM, 1, MPI_INT, right, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER, "null pointer");
}

static void elements(void)
{
    const int lengths[] = {1, 2};
    const MPI_Aint places[] = {0, 8};
    const MPI_Datatype types[] = {MPI_SHORT, MPI_INT};
    MPI_Datatype type, none;
    MPI_Status status;
    MPI_Count wide = -1;
    int numbers[4] = {1, 2, 3, 4}, got[4], count = -1;
    CHECK_OK(MPI_Type_create_struct(2, lengths, places, types, &type));
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &none));
    CHECK_OK(MPI_Type_commit(&none));
    /* An element and the beginning of another one: 10 bytes and 6. */
    CHECK_OK(MPI_Sendrecv(numbers, 16, MPI_BYTE, right, 0, got, 16, MPI_BYTE, left, 0, MPI_COMM_WORLD, &status));
    CHECK_OK(MPI_Get_count(&status, type, &count));
    CHECK_EQUAL(count, MPI_UNDEFINED);
    CHECK_OK(MPI_Get_elements(&status, type, &count));
    CHECK_EQUAL(count, 5);
    CHECK_OK(MPI_Get_elements_c(&status, MPI_INTEGER16, &wide));
    CHECK_EQUAL(wide, 1);
    CHECK_OK(MPI_Get_elements_x(&status, MPI_2INT, &wide));
    CHECK_EQUAL(wide, 4);
    CHECK_OK(MPI_Status_set_elements(&status, type, 7));
    CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQUAL(count, 22);
    CHECK_OK(MPI_Status_set_elements_c(&status, type, 6));
    CHECK_OK(MPI_Get_count(&status, type, &count));
    CHECK_EQUAL(count, 2);
    CHECK_OK(MPI_Status_set_elements_x(&status, MPI_DOUBLE, 1LL << 40));
    CHECK_OK(MPI_Get_elements(&status, MPI_DOUBLE, &count));
    CHECK_EQUAL(count, MPI_UNDEFINED);
    CHECK_OK(MPI_Get_elements_x(&status, MPI_DOUBLE, &wide));
    CHECK_EQUAL(wide, 1LL << 40);
    CHECK_ERROR(MPI_Status_set_elements(&status, type, -1), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Status_set_elements(&status, none, 1), MPI_ERR_COUNT, "no elements");
    /* No elements. */
    CHECK_OK(MPI_Sendrecv(numbers, 3, none, right, 0, got, 3, none, left, 0, MPI_COMM_WORLD, &status));
    CHECK_OK(MPI_Get_count(&status, none, &count));
    CHECK_EQUAL(count, 0);
    CHECK_OK(MPI_Get_elements(&status, none, &count));
    CHECK_EQUAL(count, 0);
    CHECK_ERROR(MPI_Get_elements(NULL, type, &count), MPI_ERR_ARG, "status");
    CHECK_ERROR(MPI_Get_elements(&status, MPI_DATATYPE_NULL, &count), MPI_ERR_TYPE, "NULL");
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_free(&none));
}

/* A column of a matrix, from the root to contiguous elements and to columns. */
static void broadcast(void)
{
    enum { kRows = 3000 };
    int* const matrix = malloc(sizeof(int) * 3 * kRows);
    MPI_Datatype column, absolute;
    MPI_Aint place;
    const int one = 1;
    int i;
    for (i = 0; i < 3 * kRows; ++i)
        matrix[i] = rank == 0 ? i : -1;
    CHECK_OK(MPI_Type_vector(kRows, 1, 3, MPI_INT, &column));
    CHECK_OK(MPI_Type_commit(&column));
    if (rank % 2 == 0)
        CHECK_OK(MPI_Bcast(matrix + 1, 1, column, 0, MPI_COMM_WORLD));
    else
        CHECK_OK(MPI_Bcast(matrix, kRows, MPI_INT, 0, MPI_COMM_WORLD));
    for (i = 0; i < kRows; ++i)
        if (matrix[rank % 2 == 0 ? 3 * i + 1 : i] != 3 * i + 1)
            break;
    CHECK_EQUAL(i, kRows);
    /* The same by absolute addresses. */
    CHECK_OK(MPI_Get_address(matrix, &place));
    CHECK_OK(MPI_Type_create_hindexed(1, &one, &place, column, &absolute));
    CHECK_OK(MPI_Type_commit(&absolute));
    for (i = 0; i < 3 * kRows; ++i)
        matrix[i] = rank == 0 ? -i : 1;
    CHECK_OK(MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD));
    for (i = 0; i < 3 * kRows; ++i)
        if (matrix[i] != (rank == 0 || i % 3 == 0 ? -i : 1))
            break;
    CHECK_EQUAL(i, 3 * kRows);
    CHECK_OK(MPI_Type_free(&absolute));
    CHECK_OK(MPI_Type_free(&column));
    free(matrix);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    packed_messages();
    portable_form();
    absolute_addresses();
    elements();
    broadcast();
    MPI_Finalize();
    return check_result();
}
