/* Buffered sends. */
#include "check.h"
#include <stdlib.h>

enum { kLong = 100000, kLongBytes = kLong * sizeof(int) };

static int rank, size, right, left;
static int out[kLong], in[kLong];

static void fill(int seed)
{
    int i;
    for (i = 0; i < kLong; ++i)
        out[i] = 1000 * rank + seed + i;
}

static void receive(int seed, int tag)
{
    in[0] = in[kLong - 1] = -1;
    CHECK_OK(MPI_Recv(in, kLong, MPI_INT, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQUAL(in[0], 1000 * left + seed);
    CHECK_EQUAL(in[kLong - 1], 1000 * left + seed + kLong - 1);
}

static void ring(void)
{
    const int bytes = 3 * (kLongBytes + MPI_BSEND_OVERHEAD);
    void* const memory = malloc((size_t)bytes);
    void* taken = NULL;
    int round, i, taken_bytes = -1;
    MPI_Request request;
    CHECK_OK(MPI_Buffer_attach(memory, bytes));
    CHECK_ERROR(MPI_Buffer_attach(memory, bytes), MPI_ERR_BUFFER, "attached already");
    /* All send before anybody receives; the buffer is used several times around. */
    for (round = 0; round < 4; ++round) {
        for (i = 0; i < 3; ++i) {
            fill(10 * round + i);
            if (i == 1) {
                CHECK_OK(MPI_Ibsend(out, kLong, MPI_INT, right, i, MPI_COMM_WORLD, &request));
                CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            } else {
                CHECK_OK(MPI_Bsend(out, kLong, MPI_INT, right, i, MPI_COMM_WORLD));
            }
            fill(7777); /* the send has a copy */
        }
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        for (i = 0; i < 3; ++i)
            receive(10 * round + i, i);
        CHECK_OK(MPI_Buffer_flush());
    }
    CHECK_OK(MPI_Buffer_detach(&taken, &taken_bytes));
    CHECK(taken == memory);
    CHECK_EQUAL(taken_bytes, bytes);
    CHECK_ERROR(MPI_Buffer_detach(&taken, &taken_bytes), MPI_ERR_BUFFER, "no buffer is attached");
    free(memory);
}

static void full(void)
{
    const int bytes = kLongBytes + MPI_BSEND_OVERHEAD + 100;
    void* const memory = malloc((size_t)bytes);
    void* taken = NULL;
    MPI_Count taken_bytes = -1;
    int flag = 0;
    MPI_Request request;
    MPI_Status status;
    fill(1);
    CHECK_ERROR(MPI_Bsend(out, kLong, MPI_INT, right, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER, "no buffer is attached");
    CHECK_OK(MPI_Buffer_attach_c(memory, bytes));
    CHECK_ERROR(MPI_Bsend(out, kLong, MPI_LONG, right, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER, "attach a larger one");
    CHECK_OK(MPI_Buffer_iflush(&request)); /* nothing is left to wait for */
    CHECK_OK(MPI_Test(&request, &flag, &status));
    CHECK_EQUAL(flag, 1);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_OK(MPI_Bsend(out, kLong, MPI_INT, right, 1, MPI_COMM_WORLD));
    CHECK_ERROR(MPI_Bsend(out, kLong, MPI_INT, right, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER, "does not have left");
    CHECK_OK(MPI_Buffer_iflush(&request));
    CHECK_OK(MPI_Test(&request, &flag, &status));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    receive(1, 1);
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_OK(MPI_Bsend(out, kLong, MPI_INT, right, 2, MPI_COMM_WORLD));
    receive(1, 2);
    CHECK_OK(MPI_Buffer_detach_c(&taken, &taken_bytes));
    CHECK(taken == memory);
    CHECK_EQUAL(taken_bytes, bytes);
    free(memory);
}

static void automatic(void)
{
    void* taken = NULL;
    int taken_bytes = -1, i;
    MPI_Request request;
    CHECK_OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    CHECK_OK(MPI_Bsend_init(out, kLong, MPI_INT, right, 1, MPI_COMM_WORLD, &request));
    for (i = 0; i < 5; ++i) {
        fill(i);
        CHECK_OK(MPI_Start(&request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    CHECK_OK(MPI_Request_free(&request));
    fill(9999);
    CHECK_OK(MPI_Bsend_init(out, kLong, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Request_free(&request));
    for (i = 0; i < 5; ++i)
        receive(i, 1);
    CHECK_OK(MPI_Buffer_detach(&taken, &taken_bytes));
    CHECK(taken == MPI_BUFFER_AUTOMATIC);
    CHECK_EQUAL(taken_bytes, 0);
}

/* A communicator's buffer is used before the process's. */
static void communicators(void)
{
    const int bytes = kLongBytes + MPI_BSEND_OVERHEAD;
    char* const small = malloc(1000);
    void* const memory = malloc((size_t)bytes);
    void* taken = NULL;
    int taken_bytes = -1;
    MPI_Request request;
    CHECK_OK(MPI_Buffer_attach(small, 1000));
    CHECK_OK(MPI_Comm_attach_buffer(MPI_COMM_WORLD, memory, bytes));
    fill(3);
    CHECK_OK(MPI_Bsend(out, kLong, MPI_INT, right, 1, MPI_COMM_WORLD));
    CHECK_ERROR(MPI_Bsend(out, kLong, MPI_INT, 0, 1, MPI_COMM_SELF), MPI_ERR_BUFFER, "the attached buffer has 1000");
    CHECK_OK(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &request));
    receive(3, 1);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_flush_buffer(MPI_COMM_WORLD));
    CHECK_OK(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &taken, &taken_bytes));
    CHECK(taken == memory);
    CHECK_EQUAL(taken_bytes, bytes);
    CHECK_OK(MPI_Buffer_detach(&taken, &taken_bytes));
    CHECK(taken == small);
    free(small);
    free(memory);
}

/* The end of a communicator detaches its buffer, after its messages have left. */
static void end_of_communicator(int is_disconnected)
{
    const int bytes = kLongBytes + MPI_BSEND_OVERHEAD;
    char* const memory = malloc((size_t)bytes);
    MPI_Comm comm;
    MPI_Request request;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_attach_buffer(comm, memory, bytes));
    CHECK_OK(MPI_Irecv(in, kLong, MPI_INT, left, 1, comm, &request));
    fill(8);
    CHECK_OK(MPI_Bsend(out, kLong, MPI_INT, right, 1, comm));
    if (is_disconnected)
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(is_disconnected ? MPI_Comm_disconnect(&comm) : MPI_Comm_free(&comm));
    CHECK(comm == MPI_COMM_NULL);
    memset(memory, 1, (size_t)bytes);
    free(memory);
    if (!is_disconnected)
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQUAL(in[kLong - 1], 1000 * left + 8 + kLong - 1);
}

static void wrong_arguments(void)
{
    void* taken = NULL;
    int bytes = 0;
    MPI_Request request;
    CHECK_ERROR(MPI_Buffer_attach(out, -1), MPI_ERR_BUFFER, "the size is -1");
    CHECK_ERROR(MPI_Buffer_attach(NULL, 10), MPI_ERR_BUFFER, "null pointer to 10 bytes");
    CHECK_ERROR(MPI_Buffer_detach(NULL, &bytes), MPI_ERR_ARG, "buffer_addr is a null pointer");
    CHECK_ERROR(MPI_Buffer_detach(&taken, NULL), MPI_ERR_ARG, "size is a null pointer");
    CHECK_ERROR(MPI_Buffer_iflush(NULL), MPI_ERR_ARG, "request is a null pointer");
    CHECK_ERROR(MPI_Comm_attach_buffer(MPI_COMM_NULL, out, 10), MPI_ERR_COMM, "MPI_Comm_attach_buffer");
    CHECK_ERROR(MPI_Bsend(out, -1, MPI_INT, right, 1, MPI_COMM_WORLD), MPI_ERR_COUNT, "MPI_Bsend on MPI_COMM_WORLD");
    CHECK_ERROR(MPI_Ibsend(out, 1, MPI_INT, size, 1, MPI_COMM_WORLD, &request), MPI_ERR_RANK, "MPI_Ibsend");
    CHECK_ERROR(MPI_Bsend_init(out, 1, MPI_INT, right, -1, MPI_COMM_WORLD, &request), MPI_ERR_TAG, "MPI_Bsend_init");
    CHECK_OK(MPI_Buffer_flush()); /* without a buffer there is nothing to wait for */
}

int main(int argc, char** argv)
{
    static char last[kLongBytes + MPI_BSEND_OVERHEAD];
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    ring();
    full();
    automatic();
    communicators();
    end_of_communicator(0);
    end_of_communicator(1);
    wrong_arguments();
    /* MPI_Finalize waits for what is left. */
    fill(5);
    CHECK_OK(MPI_Buffer_attach(last, sizeof last));
    CHECK_OK(MPI_Bsend(out, kLong, MPI_INT, right, 1, MPI_COMM_WORLD));
    receive(5, 1);
    MPI_Finalize();
    return check_result();
}
