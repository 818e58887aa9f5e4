/* Buffered sends take the room that the program has attached, no more and no less. */
#include "check.h"
#include <stdlib.h>
#include <unistd.h>

enum { kBytes = 400000, kTaken = kBytes + MPI_BSEND_OVERHEAD };

static int rank, size, right, left;
static char out[kBytes + 1], in[kBytes];

static void* attach(int bytes)
{
    void* const memory = malloc((size_t)bytes);
    CHECK_OK(MPI_Buffer_attach(memory, bytes));
    return memory;
}

static void detach(void* memory, int bytes)
{
    void* taken = NULL;
    int taken_bytes = -1;
    CHECK_OK(MPI_Buffer_detach(&taken, &taken_bytes));
    CHECK(taken == memory);
    CHECK_EQUAL(taken_bytes, bytes);
    memset(memory, -1, (size_t)bytes);
    free(memory);
}

static int send_with(int mark, int bytes, int tag)
{
    memset(out, mark, (size_t)bytes);
    return MPI_Bsend(out, bytes, MPI_CHAR, right, tag, MPI_COMM_WORLD);
}

static void receive(int mark, int bytes, int tag)
{
    MPI_Status status;
    int got = -1;
    in[0] = in[bytes - 1] = -1;
    CHECK_OK(MPI_Recv(in, kBytes, MPI_CHAR, left, tag, MPI_COMM_WORLD, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_CHAR, &got));
    CHECK_EQUAL(got, bytes);
    CHECK_EQUAL(in[0], mark);
    CHECK_EQUAL(in[bytes - 1], mark);
}

/* A message of `bytes` fits, one byte more does not, whichever call sends it. */
static void just_fits(int bytes)
{
    void* const memory = attach(bytes + MPI_BSEND_OVERHEAD);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_ERROR(send_with(1, bytes + 1, 1), MPI_ERR_BUFFER, "");
    CHECK_ERROR(MPI_Ibsend(out, bytes + 1, MPI_CHAR, right, 1, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER, "");
    CHECK_OK(MPI_Bsend_init(out, bytes + 1, MPI_CHAR, right, 1, MPI_COMM_WORLD, &request));
    CHECK_ERROR(MPI_Start(&request), MPI_ERR_BUFFER, "");
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(send_with(2, bytes, 1));
    receive(2, bytes, 1);
    detach(memory, bytes + MPI_BSEND_OVERHEAD);
}

static void full(void)
{
    void* const memory = attach(3 * kTaken);
    int i;
    for (i = 1; i <= 3; ++i)
        CHECK_OK(send_with(i, kBytes, i));
    CHECK_ERROR(send_with(4, kBytes, 4), MPI_ERR_BUFFER, "");
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    /* The one in the middle leaves, and makes room. */
    receive(2, kBytes, 2);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(send_with(5, kBytes, 5));
    CHECK_ERROR(send_with(6, kBytes, 6), MPI_ERR_BUFFER, "");
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    receive(1, kBytes, 1);
    receive(3, kBytes, 3);
    receive(5, kBytes, 5);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (i = 1; i <= 3; ++i)
        CHECK_OK(send_with(10 + i, kBytes, i));
    for (i = 1; i <= 3; ++i)
        receive(10 + i, kBytes, i);
    detach(memory, 3 * kTaken);
}

/* The buffer is the program's again when its messages have left it. */
static void detach_waits(void)
{
    void* memory;
    double begin;
    if (rank != 0) {
        if (rank == 1) {
            usleep(300000);
            receive(7, kBytes, 7);
        }
        return;
    }
    memory = attach(kTaken);
    CHECK_OK(send_with(7, kBytes, 7));
    begin = MPI_Wtime();
    detach(memory, kTaken);
    CHECK(MPI_Wtime() - begin > 0.1);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    just_fits(10);
    just_fits(5000);
    just_fits(kBytes);
    full();
    MPI_Barrier(MPI_COMM_WORLD);
    if (size > 1)
        detach_waits();
    MPI_Finalize();
    return check_result();
}
