/* Sends together with receives: with one buffer for both, and as one request. */
#include "check.h"
#include <stdlib.h>

static int rank, size, right, left;

static void replaced(int length)
{
    int* const values = malloc((size_t)length * sizeof(int));
    MPI_Request request;
    MPI_Status status;
    int round, i, count = -1;
    for (i = 0; i < length; ++i)
        values[i] = 1000 * rank + i;
    for (round = 0; round < size; ++round) {
        if (round % 2 == 0) {
            CHECK_OK(MPI_Sendrecv_replace(values, length, MPI_INT, right, 1, left, 1, MPI_COMM_WORLD, &status));
        } else {
            CHECK_OK(MPI_Isendrecv_replace(values, length, MPI_INT, right, 1, left, 1, MPI_COMM_WORLD, &request));
            CHECK_OK(MPI_Wait(&request, &status));
        }
        CHECK_EQUAL(status.MPI_SOURCE, left);
        CHECK_EQUAL(status.MPI_TAG, 1);
        CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_EQUAL(count, length);
        CHECK_EQUAL(values[length - 1], 1000 * ((rank + size - 1 - round) % size) + length - 1);
    }
    for (i = 0; i < length; ++i)
        CHECK_EQUAL(values[i], 1000 * rank + i); /* once around */
    free(values);
}

static void exchanged(int length)
{
    int* const out = malloc((size_t)length * sizeof(int));
    int* const in = malloc((size_t)length * sizeof(int));
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int i, flag = 0;
    for (i = 0; i < length; ++i)
        out[i] = 1000 * rank + i;
    CHECK_OK(MPI_Isendrecv(out, length, MPI_INT, right, 3, in, length, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Cancel(&requests[0]));
    CHECK_OK(MPI_Isendrecv(NULL, 0, MPI_INT, left, 4, NULL, 0, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Isendrecv(out, 1, MPI_INT, MPI_PROC_NULL, 4, in, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD,
                           &requests[2]));
    CHECK_OK(MPI_Waitall(3, requests, statuses));
    CHECK_EQUAL(in[length - 1], 1000 * left + length - 1);
    CHECK_EQUAL(statuses[0].MPI_SOURCE, left);
    CHECK_EQUAL(statuses[1].MPI_TAG, 4);
    CHECK_EQUAL(statuses[2].MPI_SOURCE, MPI_PROC_NULL);
    CHECK_OK(MPI_Test_cancelled(&statuses[0], &flag));
    CHECK_EQUAL(flag, 0);
    free(out);
    free(in);
}

/* A freed request goes on. */
static void freed(void)
{
    static int out[100000], in[100000];
    MPI_Request request;
    out[99999] = rank + 7;
    CHECK_OK(MPI_Isendrecv(out, 100000, MPI_INT, right, 3, in, 100000, MPI_INT, left, 3, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Sendrecv(NULL, 0, MPI_INT, right, 3, NULL, 0, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void halves(void)
{
    int value = rank;
    MPI_Request request;
    MPI_Status status;
    const int to = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    const int from = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    CHECK_OK(MPI_Isendrecv_replace(&value, 1, MPI_INT, to, 1, from, 1, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_EQUAL(status.MPI_SOURCE, from);
    CHECK_EQUAL(value, rank > 0 ? rank - 1 : 0);
}

static void failures(void)
{
    int out[2] = {1, 2}, in = 0;
    MPI_Request request;
    CHECK_OK(MPI_Isendrecv(out, 2, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request));
    CHECK_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, "MPI_Wait on MPI_COMM_WORLD: the message from");
    CHECK_ERROR(MPI_Isendrecv(out, 2, MPI_INT, size, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request),
                MPI_ERR_RANK, "MPI_Isendrecv on MPI_COMM_WORLD");
    CHECK_ERROR(MPI_Isendrecv_replace(out, 2, MPI_INT, right, 1, left, -4, MPI_COMM_WORLD, &request), MPI_ERR_TAG,
                "MPI_Isendrecv_replace");
    CHECK_ERROR(MPI_Sendrecv_replace(out, -2, MPI_INT, right, 1, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_COUNT, "MPI_Sendrecv_replace");
    CHECK_ERROR(MPI_Isendrecv(out, 2, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, NULL), MPI_ERR_ARG,
                "request is a null pointer");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    replaced(1);
    replaced(3000);
    replaced(200000);
    exchanged(1);
    exchanged(200000);
    freed();
    halves();
    failures();
    MPI_Finalize();
    return check_result();
}
