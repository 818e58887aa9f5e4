/* Requests of files beside each other and beside messages, and split collectives. */
#include "files.h"

enum { kWords = 1000, kParts = 10 };

static int word_of(int rank, int i)
{
    return rank * 100000 + i;
}

static void several_at_once(void)
{
    static int words[kWords];
    static int found[kWords];
    MPI_Request requests[kParts];
    MPI_Status statuses[kParts];
    const int rank = check_rank();
    const int part = kWords / kParts;
    int indices[kParts];
    int left = kParts;
    int done = 0;
    int i = 0;
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    for (i = 0; i < kWords; ++i)
        words[i] = word_of(rank, i);
    CHECK_OK(MPI_File_set_view(file, (MPI_Offset)rank * kWords * 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (i = 0; i < kParts; ++i)
        CHECK_OK(MPI_File_iwrite_at(file, i * part, words + i * part, part, MPI_INT, &requests[i]));
    CHECK_OK(MPI_Waitall(kParts, requests, statuses));
    for (i = 0; i < kParts; ++i) {
        CHECK(requests[i] == MPI_REQUEST_NULL);
        CHECK_EQUAL(files_count(&statuses[i], MPI_INT), part);
    }
    for (i = 0; i < kParts; ++i) /* the pointer moves at once */
        CHECK_OK(MPI_File_iread(file, found + i * part, part, MPI_INT, &requests[i]));
    while (left > 0) {
        int count = 0;
        CHECK_OK(MPI_Waitsome(kParts, requests, &count, indices, statuses));
        CHECK(count > 0);
        for (i = 0; i < count; ++i)
            CHECK_EQUAL(files_count(&statuses[i], MPI_INT), part);
        left -= count;
        if (count <= 0)
            break;
    }
    for (i = 0; i < kWords && found[i] == words[i]; ++i)
        continue;
    CHECK_EQUAL(i, kWords);
    CHECK_OK(MPI_File_iread_at(file, kWords - 3, found, 3, MPI_INT, &requests[0]));
    while (!done)
        CHECK_OK(MPI_Test(&requests[0], &done, &statuses[0]));
    CHECK_EQUAL(files_count(&statuses[0], MPI_INT), 3);
    CHECK_EQUAL(found[2], word_of(rank, kWords - 1));
    CHECK_OK(MPI_File_close(&file));
}

/* A collective with a request, a message, a barrier and a read: one wait for all. */
static void beside_others(void)
{
    static int words[kWords];
    static int all[kWords];
    const int rank = check_rank();
    const int right = (rank + 1) % check_size();
    const int left = (rank + check_size() - 1) % check_size();
    int got = -1;
    int i = 0;
    MPI_Request requests[5];
    MPI_Status statuses[5];
    MPI_File file = files_open(MPI_MODE_RDWR);
    for (i = 0; i < kWords; ++i)
        words[i] = -word_of(rank, i);
    CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_File_iwrite_at_all(file, (MPI_Offset)rank * kWords * 4, words, kWords, MPI_INT, &requests[1]));
    CHECK_OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]));
    CHECK_OK(MPI_Isend(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[3]));
    CHECK_OK(MPI_File_iread_at(file, 1 << 30, all, kWords, MPI_INT, &requests[4]));
    CHECK_OK(MPI_Waitall(5, requests, statuses));
    CHECK_EQUAL(got, left);
    CHECK_EQUAL(files_count(&statuses[1], MPI_INT), kWords);
    CHECK_EQUAL(files_count(&statuses[4], MPI_INT), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_iread_at_all(file, (MPI_Offset)right * kWords * 4, all, kWords, MPI_INT, &requests[0]));
    CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    for (i = 0; i < kWords && all[i] == -word_of(right, i); ++i)
        continue;
    CHECK_EQUAL(i, kWords);
    CHECK_OK(MPI_File_close(&file));
}

/* Types are freed, and statuses asked for, while requests are under way; a freed request still writes. */
static void freed_meanwhile(void)
{
    int words[20];
    int found = 0;
    int done = 0;
    int i = 0;
    MPI_Datatype every = MPI_DATATYPE_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_File file = files_open(MPI_MODE_RDWR);
    const MPI_Offset begin = (MPI_Offset)check_rank() * 1000;
    for (i = 0; i < 20; ++i)
        words[i] = 1000 + i;
    MPI_Type_vector(10, 1, 2, MPI_INT, &every);
    MPI_Type_commit(&every);
    CHECK_OK(MPI_File_iwrite_at(file, begin, words, 1, every, &request));
    MPI_Type_free(&every);
    while (!done)
        CHECK_OK(MPI_Request_get_status(request, &done, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 10);
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 10);
    CHECK_OK(MPI_File_read_at(file, begin + 36, &found, 1, MPI_INT, &status));
    CHECK_EQUAL(found, 1018);
    CHECK_OK(MPI_File_iwrite_at(file, begin, &words[1], 1, MPI_INT, &request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    while (found != 1001)
        CHECK_OK(MPI_File_read_at(file, begin, &found, 1, MPI_INT, &status));
    CHECK_OK(MPI_File_close(&file));
}

/* Views and hints change while collective requests are under way, which keep those that they began with. */
static void views_meanwhile(void)
{
    enum { kViews = 6, kOfView = 16 };
    static int words[kViews * kOfView];
    int got[kOfView];
    const int rank = check_rank();
    const int ranks = check_size();
    const int next = (rank + 1) % ranks;
    int i = 0;
    int view = 0;
    MPI_Datatype every = MPI_DATATYPE_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Request requests[kViews];
    MPI_File file = files_open(MPI_MODE_RDWR);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 4 * (MPI_Aint)ranks, &every));
    CHECK_OK(MPI_Type_commit(&every));
    for (i = 0; i < kViews * kOfView; ++i)
        words[i] = word_of(rank, i);
    for (view = 0; view < kViews; ++view) {
        CHECK_OK(MPI_Info_set(info, "cb_nodes", view % 2 == 0 ? "1" : "2"));
        CHECK_OK(MPI_File_set_view(file, (MPI_Offset)(view * kOfView * ranks + rank) * 4, MPI_INT, every,
                                   "native", info));
        CHECK_OK(MPI_File_iwrite_all(file, words + view * kOfView, kOfView, MPI_INT, &requests[view]));
    }
    CHECK_OK(MPI_Waitall(kViews, requests, MPI_STATUSES_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_set_view(file, 4 * (MPI_Offset)next, MPI_INT, every, "native", MPI_INFO_NULL));
    for (view = 0; view < kViews; ++view) {
        CHECK_OK(MPI_File_read(file, got, kOfView, MPI_INT, MPI_STATUS_IGNORE));
        for (i = 0; i < kOfView && got[i] == word_of(next, view * kOfView + i); ++i)
            continue;
        CHECK_EQUAL(i, kOfView);
    }
    CHECK_OK(MPI_Type_free(&every));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_File_close(&file));
}

static void split_collectives(void)
{
    int words[4] = {1, 2, 3, 4};
    int found[4] = {0};
    MPI_Status status;
    MPI_File file = files_open(MPI_MODE_RDWR);
    const MPI_Offset begin = (MPI_Offset)check_rank() * 16;
    CHECK_ERROR(MPI_File_write_at_all_end(file, words, &status), MPI_ERR_OTHER,
                "no split collective is under way; call MPI_File_write_at_all_begin");
    CHECK_OK(MPI_File_write_at_all_begin(file, begin, words, 4, MPI_INT));
    CHECK_ERROR(MPI_File_read_all_begin(file, found, 4, MPI_INT), MPI_ERR_OTHER, "MPI_File_write_at_all_end first");
    CHECK_ERROR(MPI_File_read_all(file, found, 4, MPI_INT, &status), MPI_ERR_OTHER, "MPI_File_write_at_all_end first");
    CHECK_ERROR(MPI_File_sync(file), MPI_ERR_OTHER, "a split collective is under way");
    CHECK_ERROR(MPI_File_close(&file), MPI_ERR_OTHER, "a split collective is under way");
    CHECK_ERROR(MPI_File_write_all_end(file, words, &status), MPI_ERR_OTHER, "end it with MPI_File_write_at_all_end");
    CHECK_ERROR(MPI_File_write_at_all_end(file, found, &status), MPI_ERR_BUFFER, "give the same one");
    CHECK_OK(MPI_File_write_at_all_end(file, words, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 4);
    /* Accesses of a rank alone may come between. */
    CHECK_OK(MPI_File_read_at_all_begin(file, begin, found, 4, MPI_INT));
    CHECK_OK(MPI_File_read_at(file, begin, words, 1, MPI_INT, &status));
    CHECK_OK(MPI_File_read_at_all_end(file, found, &status));
    CHECK_EQUAL(files_count(&status, MPI_INT), 4);
    CHECK(memcmp(found, words, sizeof found) == 0);
    CHECK_OK(MPI_File_close(&file));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    files_name("files_requests");
    several_at_once();
    beside_others();
    freed_meanwhile();
    views_meanwhile();
    split_collectives();
    files_remove();
    MPI_Finalize();
    return check_result();
}
