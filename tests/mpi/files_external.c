/* Data representations: external32, and those of the program's functions. */
#include <stdint.h>

#include "files_access.h"

static void in_external32(void)
{
    const int rank = check_rank();
    const int32_t words[3] = {1, -2, 0x01020304 + rank};
    const double numbers[2] = {1.0, -2.5};
    const long longs[2] = {7, -9}; /* of 4 bytes in the file */
    int32_t found[3];
    double found_numbers[2];
    long found_longs[4];
    unsigned char bytes[1024];
    MPI_Aint extent = -1;
    MPI_Offset place = -1;
    MPI_Status status;
    int form = 0;
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    CHECK_OK(MPI_File_set_view(file, (MPI_Offset)rank * 36, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(file, MPI_LONG, &extent));
    CHECK_EQUAL(extent, 4);
    CHECK_OK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
    CHECK_EQUAL(extent, 8);
    CHECK_OK(MPI_File_get_byte_offset(file, 2, &place));
    CHECK_EQUAL(place, rank * 36 + 8);
    for (form = 0; form < FILES_FORMS; ++form) {
        memset(found, 0, sizeof found);
        CHECK_OK(files_write(file, FILES_AT, form == FILES_SPLIT, (enum files_form)form, 0, words, 3, MPI_INT, &status));
        CHECK_EQUAL(files_count(&status, MPI_INT), 3);
        CHECK_OK(files_read(file, FILES_AT, form == FILES_SPLIT, (enum files_form)form, 0, found, 3, MPI_INT, &status));
        CHECK_EQUAL(files_count(&status, MPI_INT), 3);
        CHECK(memcmp(words, found, sizeof words) == 0);
    }
    CHECK_OK(MPI_File_write_at_all(file, 3, numbers, 2, MPI_DOUBLE, &status));
    CHECK_EQUAL(files_count(&status, MPI_DOUBLE), 2);
    CHECK_OK(MPI_File_write_at_all(file, 7, longs, 2, MPI_LONG, &status));
    CHECK_EQUAL(files_count(&status, MPI_LONG), 2);
    CHECK_OK(MPI_File_read_at_all(file, 3, found_numbers, 2, MPI_DOUBLE, &status));
    CHECK(memcmp(numbers, found_numbers, sizeof numbers) == 0);
    CHECK_OK(MPI_File_sync(file));
    CHECK_EQUAL(files_bytes(bytes, sizeof bytes), (size_t)check_size() * 36);
    CHECK(memcmp(bytes + rank * 36, "\0\0\0\1\377\377\377\376\1\2\3", 11) == 0);
    CHECK_EQUAL(bytes[rank * 36 + 11], 4 + rank);
    CHECK(memcmp(bytes + rank * 36 + 12, "\77\360\0\0\0\0\0\0\300\4\0\0\0\0\0\0", 16) == 0);
    CHECK(memcmp(bytes + rank * 36 + 28, "\0\0\0\7\377\377\377\367", 8) == 0);
    /* The end of the file is within the last element's place. */
    if (rank == check_size() - 1) {
        MPI_Datatype fours = MPI_DATATYPE_NULL;
        int elements = -1;
        MPI_Type_contiguous(4, MPI_LONG, &fours);
        MPI_Type_commit(&fours);
        memset(found_longs, 0x11, sizeof found_longs);
        CHECK_OK(MPI_File_read_at(file, 7, found_longs, 1, fours, &status));
        CHECK_OK(MPI_Get_elements(&status, fours, &elements));
        CHECK_EQUAL(elements, 2);
        CHECK_EQUAL(found_longs[0], 7);
        CHECK_EQUAL(found_longs[1], -9);
        CHECK_EQUAL(found_longs[2], 0x1111111111111111);
        MPI_Type_free(&fours);
    }
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

/* A filetype is made of numbers as they are in the file. */
static void filetypes(void)
{
    const int rank = check_rank();
    const int ranks = check_size();
    const int sizes[2] = {4, 2 * ranks};
    const int parts[2] = {4, 2};
    const int starts[2] = {0, 2 * rank};
    long own[8];
    long found[8];
    unsigned char bytes[4096];
    MPI_Datatype columns = MPI_DATATYPE_NULL;
    MPI_Offset place = -1;
    MPI_Status status;
    int i = 0;
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    for (i = 0; i < 8; ++i)
        own[i] = rank * 100 + i;
    MPI_Type_create_subarray(2, (int*)sizes, (int*)parts, (int*)starts, MPI_ORDER_C, MPI_LONG, &columns);
    MPI_Type_commit(&columns);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_LONG, columns, "external32", MPI_INFO_NULL));
    MPI_Type_free(&columns);
    CHECK_OK(MPI_File_get_byte_offset(file, 3, &place));
    CHECK_EQUAL(place, 4 * (2 * ranks + 2 * rank + 1));
    CHECK_OK(MPI_File_write_all(file, own, 8, MPI_LONG, &status));
    CHECK_EQUAL(files_count(&status, MPI_LONG), 8);
    CHECK_OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_all(file, found, 8, MPI_LONG, &status));
    CHECK(memcmp(own, found, sizeof own) == 0);
    CHECK_EQUAL(files_bytes(bytes, sizeof bytes), (size_t)(4 * 4 * 2 * ranks));
    for (i = 0; i < 8 * ranks; ++i) {
        const int column = i % (2 * ranks);
        CHECK_EQUAL(bytes[4 * i + 3], (column / 2 * 100 + i / (2 * ranks) * 2 + column % 2) & 255);
    }
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

/* Every byte twice: once as it is, once turned over. */
static int twice_state;

static int read_twice(void* user, MPI_Datatype datatype, int count, void* file, MPI_Offset position, void* extra)
{
    int size = 0;
    int i = 0;
    MPI_Type_size(datatype, &size);
    CHECK_EQUAL(position, 0);
    CHECK(extra == (void*)&twice_state);
    for (i = 0; i < size * count; ++i)
        ((unsigned char*)user)[i] = ((const unsigned char*)file)[2 * i];
    return MPI_SUCCESS;
}

static int write_twice(void* user, MPI_Datatype datatype, int count, void* file, MPI_Offset position, void* extra)
{
    int size = 0;
    int i = 0;
    MPI_Type_size(datatype, &size);
    CHECK_EQUAL(position, 0);
    CHECK(extra == (void*)&twice_state);
    for (i = 0; i < size * count; ++i) {
        ((unsigned char*)file)[2 * i] = ((const unsigned char*)user)[i];
        ((unsigned char*)file)[2 * i + 1] = (unsigned char)~((const unsigned char*)user)[i];
    }
    return MPI_SUCCESS;
}

static int refuse(void* user, MPI_Datatype datatype, int count, void* file, MPI_Offset position, void* extra)
{
    (void)user, (void)datatype, (void)count, (void)file, (void)position, (void)extra;
    return MPI_ERR_OTHER;
}

static int twice_as_large(MPI_Datatype datatype, MPI_Aint* extent, void* extra)
{
    int size = 0;
    (void)extra;
    MPI_Type_size(datatype, &size);
    *extent = 2 * size;
    return MPI_SUCCESS;
}

static int as_large(MPI_Datatype datatype, MPI_Aint* extent, void* extra)
{
    int size = 0;
    (void)extra;
    MPI_Type_size(datatype, &size);
    *extent = size;
    return MPI_SUCCESS;
}

static void of_the_program(void)
{
    const int rank = check_rank();
    const int words[2] = {5 + rank, -6};
    int found[2] = {0, 0};
    unsigned char bytes[1024];
    MPI_Aint extent = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int i = 0;
    MPI_File file = MPI_FILE_NULL;
    CHECK_OK(MPI_Register_datarep("twice", read_twice, write_twice, twice_as_large, (void*)&twice_state));
    CHECK_ERROR(MPI_Register_datarep("twice", read_twice, write_twice, twice_as_large, NULL), MPI_ERR_DUP_DATAREP,
                "\"twice\" already");
    CHECK_ERROR(MPI_Register_datarep("native", read_twice, write_twice, twice_as_large, NULL), MPI_ERR_DUP_DATAREP,
                "\"native\" already");
    CHECK_OK(MPI_Register_datarep("refusing", refuse, refuse, as_large, NULL));
    CHECK_OK(MPI_Register_datarep("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, as_large, NULL));
    file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    CHECK_OK(MPI_File_set_view(file, (MPI_Offset)rank * 16, MPI_INT, MPI_INT, "twice", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(file, MPI_INT, &extent));
    CHECK_EQUAL(extent, 8);
    CHECK_OK(MPI_File_write_all(file, words, 2, MPI_INT, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 2);
    CHECK_OK(MPI_File_iread_at(file, 0, found, 2, MPI_INT, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 2);
    CHECK(memcmp(words, found, sizeof words) == 0);
    CHECK_EQUAL(files_bytes(bytes, sizeof bytes), (size_t)check_size() * 16);
    for (i = 0; i < 8; ++i)
        CHECK_EQUAL(bytes[rank * 16 + 2 * i] ^ bytes[rank * 16 + 2 * i + 1], 255);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "refusing", MPI_INFO_NULL));
    CHECK_ERROR(MPI_File_read_at(file, 0, found, 1, MPI_INT, &status), MPI_ERR_CONVERSION, "\"refusing\"");
    CHECK_OK(MPI_File_iread_at(file, 0, found, 1, MPI_INT, &request));
    CHECK_ERROR(MPI_Wait(&request, &status), MPI_ERR_CONVERSION, "MPI_Wait on ");
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "plain", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at(file, 0, found, 2, MPI_INT, &status));
    CHECK(memcmp(found, bytes, sizeof found) == 0);
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    files_name("files_external");
    in_external32();
    filetypes();
    of_the_program();
    MPI_Finalize();
    return check_result();
}
