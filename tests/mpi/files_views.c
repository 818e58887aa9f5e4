/* Views: what a rank sees of a file, offsets in it, and the rank's pointer. */
#include "files.h"

enum { kBytes = 4096 };
static unsigned char content[kBytes];

static void fill_content(void)
{
    int i = 0;
    for (i = 0; i < kBytes; ++i)
        content[i] = (unsigned char)(i * 7 + i / 256);
    files_fill(content, kBytes);
}

static void default_view(void)
{
    MPI_Offset disp = -1;
    MPI_Offset place = -1;
    MPI_Datatype etype = MPI_DATATYPE_NULL;
    MPI_Datatype filetype = MPI_DATATYPE_NULL;
    char datarep[MPI_MAX_DATAREP_STRING] = "";
    MPI_File file = files_open(MPI_MODE_RDONLY);
    CHECK_OK(MPI_File_get_view(file, &disp, &etype, &filetype, datarep));
    CHECK_EQUAL(disp, 0);
    CHECK(etype == MPI_BYTE && filetype == MPI_BYTE);
    CHECK(strcmp(datarep, "native") == 0);
    CHECK_OK(MPI_File_get_byte_offset(file, 12345, &place));
    CHECK_EQUAL(place, 12345);
    CHECK_OK(MPI_File_close(&file));
}

static void types_of_a_view(void)
{
    MPI_Offset disp = -1;
    MPI_Datatype etype = MPI_DATATYPE_NULL;
    MPI_Datatype filetype = MPI_DATATYPE_NULL;
    MPI_Datatype pairs = MPI_DATATYPE_NULL;
    MPI_Datatype parts = MPI_DATATYPE_NULL;
    MPI_Aint lower = -1;
    MPI_Aint extent = -1;
    int size = -1;
    char datarep[MPI_MAX_DATAREP_STRING] = "";
    MPI_File file = files_open(MPI_MODE_RDONLY);
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &pairs));
    CHECK_OK(MPI_Type_vector(3, 1, 2, pairs, &parts));
    CHECK_ERROR(MPI_File_set_view(file, 0, MPI_INT, parts, "native", MPI_INFO_NULL), MPI_ERR_TYPE, "not committed");
    CHECK_OK(MPI_Type_commit(&pairs));
    CHECK_OK(MPI_Type_commit(&parts));
    CHECK_OK(MPI_File_set_view(file, 8, pairs, parts, "internal", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&pairs));
    CHECK_OK(MPI_Type_free(&parts));
    CHECK_OK(MPI_File_get_view(file, &disp, &etype, &filetype, datarep));
    CHECK_EQUAL(disp, 8);
    CHECK(strcmp(datarep, "internal") == 0);
    CHECK_OK(MPI_Type_size(etype, &size));
    CHECK_EQUAL(size, 8);
    CHECK_OK(MPI_Type_size(filetype, &size));
    CHECK_EQUAL(size, 24);
    CHECK_OK(MPI_Type_get_extent(filetype, &lower, &extent));
    CHECK_EQUAL(extent, 40);
    CHECK_OK(MPI_Type_free(&etype));
    CHECK_OK(MPI_Type_free(&filetype));
    CHECK_OK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
    CHECK_EQUAL(extent, 8);
    CHECK_OK(MPI_File_close(&file));
}

/* Every second int of the file, from the rank's own number on. */
static void offsets(void)
{
    const int ranks = check_size();
    const int rank = check_rank();
    MPI_Datatype every = MPI_DATATYPE_NULL;
    MPI_Offset place = -1;
    MPI_Offset position = -1;
    int got[3] = {0};
    int expected = 0;
    int i = 0;
    MPI_Status status;
    MPI_File file = files_open(MPI_MODE_RDONLY);
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 4 * ranks, &every));
    CHECK_OK(MPI_Type_commit(&every));
    CHECK_OK(MPI_File_set_view(file, 16 + 4 * rank, MPI_INT, every, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&every));
    CHECK_OK(MPI_File_get_byte_offset(file, 5, &place));
    CHECK_EQUAL(place, 16 + 4 * rank + 5 * 4 * ranks);
    CHECK_OK(MPI_File_seek(file, 2, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read(file, got, 3, MPI_INT, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 3);
    for (i = 0; i < 3; ++i) {
        memcpy(&expected, content + 16 + 4 * rank + (2 + i) * 4 * ranks, 4);
        CHECK_EQUAL(got[i], expected);
    }
    CHECK_OK(MPI_File_get_position(file, &position));
    CHECK_EQUAL(position, 5);
    CHECK_OK(MPI_File_seek(file, -4, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_get_position(file, &position));
    CHECK_EQUAL(position, 1);
    CHECK_ERROR(MPI_File_seek(file, -2, MPI_SEEK_CUR), MPI_ERR_ARG, "in front of the view");
    CHECK_ERROR(MPI_File_seek(file, 0, 12345), MPI_ERR_ARG, "whence is");
    CHECK_ERROR(MPI_File_get_byte_offset(file, -1, &place), MPI_ERR_ARG, "the offset is -1");
    /* The end in etypes: those that lie in the file in whole or in part. */
    CHECK_OK(MPI_File_seek(file, 0, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position(file, &position));
    CHECK_EQUAL(position, (kBytes - 16 - 4 * rank + 4 * ranks - 1) / (4 * ranks));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_position(file, &position));
    CHECK_EQUAL(position, 0);
    CHECK_OK(MPI_File_close(&file));
}

static void view_refused(MPI_Datatype made, int expected_class, const char* words)
{
    MPI_File file = files_open(MPI_MODE_RDWR);
    CHECK_OK(MPI_Type_commit(&made));
    CHECK_ERROR(MPI_File_set_view(file, 0, MPI_INT, made, "native", MPI_INFO_NULL), expected_class, words);
    CHECK_OK(MPI_Type_free(&made));
    CHECK_OK(MPI_File_close(&file));
}

static void wrong_views(void)
{
    const int lengths[2] = {1, 1};
    const int descending[2] = {3, 1};
    const int same[2] = {2, 2};
    const MPI_Aint negative[2] = {-4, 8};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_File file = files_open(MPI_MODE_RDWR);
    CHECK_ERROR(MPI_File_set_view(file, -3, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), MPI_ERR_DISP, "-3");
    CHECK_ERROR(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
                MPI_ERR_DISP, "MPI_MODE_SEQUENTIAL");
    CHECK_ERROR(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "martian", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP,
                "there is no data representation \"martian\"");
    CHECK_ERROR(MPI_File_set_view(file, 0, MPI_DATATYPE_NULL, MPI_BYTE, "native", MPI_INFO_NULL), MPI_ERR_TYPE,
                "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_File_set_view(file, 0, MPI_INT, MPI_SHORT, "native", MPI_INFO_NULL), MPI_ERR_TYPE,
                "no whole number of etypes of 4 bytes");
    CHECK_OK(MPI_File_close(&file));

    CHECK_OK(MPI_Type_indexed(2, (int*)lengths, (int*)descending, MPI_INT, &made));
    view_refused(made, MPI_ERR_TYPE, "ascending order");
    CHECK_OK(MPI_Type_indexed(2, (int*)lengths, (int*)same, MPI_INT, &made));
    view_refused(made, MPI_ERR_TYPE, "overlap");
    CHECK_OK(MPI_Type_create_hindexed(2, (int*)lengths, (MPI_Aint*)negative, MPI_INT, &made));
    view_refused(made, MPI_ERR_TYPE, "must not be negative");
    CHECK_OK(MPI_Type_vector(3, 2, -4, MPI_INT, &made));
    view_refused(made, MPI_ERR_TYPE, "must not be negative");
}

static MPI_File open_with_view(int amode, MPI_Datatype made)
{
    MPI_File file = files_open(amode);
    CHECK_OK(MPI_Type_commit(&made));
    CHECK_OK(MPI_File_set_view(file, 4, MPI_INT, made, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&made));
    return file;
}

/* Of a filetype whose repetitions overlap, as HDF5 makes them, only the first one is written. */
static void overlapping_repetitions(void)
{
    const int words[5] = {11, 12, 13, 14, 15};
    int got[5] = {0};
    int there[16];
    MPI_Datatype stretch = MPI_DATATYPE_NULL;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Offset place = -1;
    MPI_Status status;
    MPI_File file = MPI_FILE_NULL;
    CHECK_OK(MPI_Type_vector(4, 1, 3, MPI_INT, &stretch));
    CHECK_OK(MPI_Type_create_resized(stretch, 0, 8, &made));
    CHECK_OK(MPI_Type_free(&stretch));
    file = open_with_view(MPI_MODE_RDWR, made);
    CHECK_OK(MPI_File_get_byte_offset(file, 3, &place));
    CHECK_EQUAL(place, 4 + 3 * 12);
    CHECK_ERROR(MPI_File_write_at(file, 0, words, 5, MPI_INT, &status), MPI_ERR_ARG, "larger extent");
    CHECK_ERROR(MPI_File_write_at_all(file, 2, words, 3, MPI_INT, &status), MPI_ERR_ARG, "larger extent");
    files_bytes(there, sizeof there);
    CHECK(memcmp(there, content, sizeof there) == 0);
    CHECK_OK(MPI_File_write_at_all(file, check_rank() == 0 ? 0 : 4, words, check_rank() == 0 ? 4 : 0, MPI_INT,
                                   &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), check_rank() == 0 ? 4 : 0);
    files_bytes(there, sizeof there);
    CHECK(there[1] == 11 && there[4] == 12 && there[7] == 13 && there[10] == 14);
    CHECK(memcmp(there + 2, content + 8, 8) == 0);
    CHECK_OK(MPI_File_read_at_all(file, 1, got, 5, MPI_INT, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 5);
    CHECK(got[0] == 12 && got[1] == 13 && got[2] == 14 && got[3] == there[3] && got[4] == there[6]);
    CHECK_OK(MPI_File_close(&file));
    fill_content();
}

/* A file that is only read may show a byte twice, and a read ends at the first one that is not there. */
static void overlapping_reads(void)
{
    const int lengths[3] = {2, 3, 1};
    const int starts[3] = {0, 1, 0};
    const int at_the_end[3] = {kBytes / 4 - 4, kBytes / 4 - 3, 0};
    int got[6] = {0};
    int there[8];
    int i = 0;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Status status;
    MPI_File file = MPI_FILE_NULL;
    CHECK_OK(MPI_Type_indexed(3, (int*)lengths, (int*)starts, MPI_INT, &made));
    file = open_with_view(MPI_MODE_RDONLY, made);
    memcpy(there, content + 4, sizeof there);
    for (i = 0; i < 2; ++i) {
        memset(got, 0, sizeof got);
        if (i == 0)
            CHECK_OK(MPI_File_read_at(file, 0, got, 6, MPI_INT, &status));
        else
            CHECK_OK(MPI_File_read_at_all(file, 0, got, 6, MPI_INT, &status));
        CHECK_EQUAL(files_count(&status, MPI_INT), 6);
        CHECK(got[0] == there[0] && got[1] == there[1] && got[2] == there[1] && got[3] == there[2]);
        CHECK(got[4] == there[3] && got[5] == there[0]);
    }
    CHECK_OK(MPI_File_close(&file));
    CHECK_OK(MPI_Type_indexed(3, (int*)lengths, (int*)at_the_end, MPI_INT, &made));
    file = open_with_view(MPI_MODE_RDONLY, made);
    CHECK_OK(MPI_File_read_all(file, got, 6, MPI_INT, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 4);
    CHECK(memcmp(got, content + kBytes - 12, 8) == 0 && memcmp(got + 2, content + kBytes - 8, 8) == 0);
    CHECK_OK(MPI_File_close(&file));
}

/* A filetype without bytes is for ranks that take no part. */
static void empty_filetype(void)
{
    MPI_Datatype none = MPI_DATATYPE_NULL;
    MPI_Status status;
    int word = 5;
    MPI_File file = files_open(MPI_MODE_RDWR);
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &none));
    CHECK_OK(MPI_Type_commit(&none));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, check_rank() == 0 ? none : MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_all(file, &word, check_rank() == 0 ? 0 : 1, MPI_INT, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), check_rank() == 0 ? 0 : 1);
    if (check_rank() == 0) {
        CHECK_ERROR(MPI_File_read_at(file, 0, &word, 1, MPI_INT, &status), MPI_ERR_ARG, "no place");
        CHECK_EQUAL(word, 5);
    }
    CHECK_OK(MPI_Type_free(&none));
    CHECK_OK(MPI_File_close(&file));
}

static void whole_etypes(void)
{
    char bytes[8] = {0};
    MPI_File file = files_open(MPI_MODE_RDWR);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_ERROR(MPI_File_read(file, bytes, 7, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ARG, "no whole number of etypes");
    CHECK_ERROR(MPI_File_write_at(file, 0, bytes, 2, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ARG,
                "no whole number of etypes");
    CHECK_ERROR(MPI_File_write_at_all(file, -1, bytes, 4, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ARG, "offset");
    CHECK_ERROR(MPI_File_read(file, bytes, -1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_File_read(file, NULL, 4, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_BUFFER, "null pointer");
    CHECK_OK(MPI_File_read(file, bytes, 8, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(memcmp(bytes, content, 8) == 0);
    CHECK_OK(MPI_File_close(&file));
}

/* A read ends at the end of the file, also within an element. */
static void short_reads(void)
{
    int words[8];
    int elements = -1;
    int count = -1;
    MPI_Datatype threes = MPI_DATATYPE_NULL;
    MPI_Status status;
    MPI_File file = files_open(MPI_MODE_RDONLY);
    CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &threes));
    CHECK_OK(MPI_Type_commit(&threes));
    CHECK_OK(MPI_File_read_at(file, kBytes - 16, words, 2, threes, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 4);
    CHECK_OK(MPI_Get_count(&status, threes, &count));
    CHECK_EQUAL(count, MPI_UNDEFINED);
    CHECK_OK(MPI_Get_elements(&status, threes, &elements));
    CHECK_EQUAL(elements, 4);
    CHECK(memcmp(words, content + kBytes - 16, 16) == 0);
    CHECK_OK(MPI_File_read_at(file, kBytes - 6, words, 4, MPI_INT, &status));
    CHECK_EQUAL(files_count(&status, MPI_BYTE), 6);
    CHECK_OK(MPI_File_read_at_all(file, kBytes + 100 * check_rank(), words, 1, MPI_INT, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 0);
    CHECK_OK(MPI_Type_free(&threes));
    CHECK_OK(MPI_File_close(&file));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    files_name("files_views");
    fill_content();
    default_view();
    types_of_a_view();
    offsets();
    wrong_views();
    overlapping_repetitions();
    overlapping_reads();
    empty_filetype();
    whole_etypes();
    short_reads();
    files_remove();
    MPI_Finalize();
    return check_result();
}
