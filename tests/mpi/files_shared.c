/* The pointer that all ranks share: accesses in any order, in the order of ranks, and sequential files. */
#include "files_access.h"

enum { kRecord = 16, kRounds = 25, kMostRanks = 16 };

/* A record says who has written it, and which of its records it is. */
struct record {
    int rank;
    int number;
    int check[2];
};

static struct record record_of(int rank, int number)
{
    struct record made;
    made.rank = rank;
    made.number = number;
    made.check[0] = rank * 1000 + number;
    made.check[1] = -made.check[0];
    return made;
}

static void set_records_view(MPI_File file)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(kRecord, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    CHECK_OK(MPI_File_set_view(file, 0, type, type, "native", MPI_INFO_NULL));
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each record is there once, and a rank's are in its order. */
static void check_records(int each)
{
    static struct record found[kMostRanks * kRounds + 1];
    int last[kMostRanks];
    const int expected = check_size() * each;
    int i = 0;
    const size_t bytes = files_bytes(found, sizeof found);
    CHECK_EQUAL(bytes, (size_t)expected * kRecord);
    for (i = 0; i < kMostRanks; ++i)
        last[i] = -1;
    for (i = 0; i < expected && (size_t)i * kRecord < bytes; ++i) {
        const struct record one = record_of(found[i].rank, found[i].number);
        CHECK(memcmp(&one, &found[i], kRecord) == 0);
        if (one.rank < 0 || one.rank >= check_size())
            continue;
        CHECK_EQUAL(one.number, last[one.rank] + 1);
        last[one.rank] = one.number;
    }
}

static void written_by_all(enum files_form form)
{
    MPI_Offset position = -1;
    MPI_Status status;
    struct record got;
    int seen = 0;
    int sum = 0;
    int i = 0;
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    set_records_view(file);
    for (i = 0; i < kRounds; ++i) {
        const struct record own = record_of(check_rank(), i);
        CHECK_OK(files_write(file, FILES_SHARED, 0, form, 0, &own, kRecord, MPI_BYTE, &status));
        CHECK_EQUAL(files_count(&status, MPI_BYTE), kRecord);
    }
    check_records(kRounds);
    CHECK_OK(MPI_File_get_position_shared(file, &position));
    CHECK_EQUAL(position, (MPI_Offset)check_size() * kRounds);
    /* Read back by whoever comes first: none twice. */
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    do {
        CHECK_OK(files_read(file, FILES_SHARED, 0, form, 0, &got, kRecord, MPI_BYTE, &status));
        seen += files_count(&status, MPI_BYTE) == kRecord ? got.rank * kRounds + got.number : 0;
    } while (files_count(&status, MPI_BYTE) == kRecord);
    CHECK_OK(MPI_Allreduce(&seen, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQUAL(sum, check_size() * kRounds * (check_size() * kRounds - 1) / 2);
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

/* A rank writes as many records as its number, and one. */
static void in_order(enum files_form form)
{
    struct record records[kMostRanks + 1];
    struct record found[kMostRanks * (kMostRanks + 1) + 1];
    MPI_Status status;
    const int rank = check_rank();
    const int count = rank + 1;
    int round = 0;
    int i = 0;
    int before = rank * (rank + 1) / 2;
    const int all = check_size() * (check_size() + 1) / 2;
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    set_records_view(file);
    for (round = 0; round < 3; ++round) {
        for (i = 0; i < count; ++i)
            records[i] = record_of(rank, round * 100 + i);
        CHECK_OK(files_write(file, FILES_SHARED, 1, form, 0, records, count * kRecord, MPI_BYTE, &status));
        CHECK_EQUAL(files_count(&status, MPI_BYTE), count * kRecord);
    }
    CHECK_OK(MPI_File_seek_shared(file, -2 * all, MPI_SEEK_CUR)); /* behind the first round */
    for (round = 1; round < 3; ++round) {
        memset(found, 0, sizeof found);
        CHECK_OK(files_read(file, FILES_SHARED, 1, form, 0, found, count * kRecord, MPI_BYTE, &status));
        CHECK_EQUAL(files_count(&status, MPI_BYTE), count * kRecord);
        for (i = 0; i < count; ++i)
            CHECK(found[i].rank == rank && found[i].number == round * 100 + i);
    }
    CHECK_OK(MPI_File_read_at(file, all + before, found, kRecord, MPI_BYTE, &status));
    CHECK(found[0].rank == rank && found[0].number == 100);
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_END));
    {
        MPI_Offset position = -1;
        CHECK_OK(MPI_File_get_position_shared(file, &position));
        CHECK_EQUAL(position, 3 * all);
    }
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

/* Only the shared pointer may be used. */
static void sequential(void)
{
    const int own = check_rank();
    MPI_Offset offset = 0;
    MPI_Offset disp = -1;
    MPI_Datatype etype = MPI_DATATYPE_NULL;
    MPI_Datatype filetype = MPI_DATATYPE_NULL;
    char datarep[MPI_MAX_DATAREP_STRING];
    int word = -1;
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    CHECK_ERROR(MPI_File_write_at(file, 0, &own, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION,
                "shared pointer");
    CHECK_ERROR(MPI_File_write_all(file, &own, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION,
                "shared pointer");
    CHECK_ERROR(MPI_File_seek(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION, "MPI_MODE_SEQUENTIAL");
    CHECK_ERROR(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION, "MPI_MODE_SEQUENTIAL");
    CHECK_ERROR(MPI_File_get_position(file, &offset), MPI_ERR_UNSUPPORTED_OPERATION, "MPI_MODE_SEQUENTIAL");
    CHECK_OK(MPI_File_write_ordered(file, &own, 1, MPI_INT, MPI_STATUS_IGNORE));
    /* The view goes on where the pointer is. */
    CHECK_OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(file, &disp, &etype, &filetype, datarep));
    CHECK_EQUAL(disp, (MPI_Offset)check_size() * 4);
    CHECK_OK(MPI_File_write_ordered(file, &own, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&file));
    file = files_open(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
    CHECK_OK(MPI_File_read_ordered(file, &word, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQUAL(word, own);
    CHECK_OK(MPI_File_read_ordered(file, &word, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQUAL(word, own);
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    files_name("files_shared");
    written_by_all(FILES_BLOCKING);
    written_by_all(FILES_NONBLOCKING);
    in_order(FILES_BLOCKING);
    in_order(FILES_SPLIT);
    sequential();
    MPI_Finalize();
    return check_result();
}
