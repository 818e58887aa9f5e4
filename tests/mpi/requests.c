/* Waits and tests. */
#include "check.h"

enum { kMany = 200 };

static int rank, size, right, left;

static void null_requests(void)
{
    MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    int flag = 0, count = -1;
    CHECK_OK(MPI_Wait(&none[0], &statuses[0]));
    CHECK_EQUAL(statuses[0].MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_EQUAL(statuses[0].MPI_TAG, MPI_ANY_TAG);
    CHECK_EQUAL(statuses[0].MPI_ERROR, MPI_SUCCESS);
    CHECK_OK(MPI_Get_count(&statuses[0], MPI_INT, &count));
    CHECK_EQUAL(count, 0);
    CHECK_OK(MPI_Test(&none[0], &flag, MPI_STATUS_IGNORE));
    CHECK_EQUAL(flag, 1);
    CHECK_OK(MPI_Waitall(2, none, statuses));
    CHECK_EQUAL(statuses[1].MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
}

static void many(void)
{
    int out[kMany], in[kMany];
    MPI_Request requests[2 * kMany];
    MPI_Status statuses[2 * kMany];
    int i;
    for (i = 0; i < kMany; ++i) {
        out[i] = 1000 * rank + i;
        in[i] = -1;
        CHECK_OK(MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[2 * i]));
        CHECK_OK(MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[2 * i + 1]));
    }
    CHECK_OK(MPI_Waitall(2 * kMany, requests, statuses));
    for (i = 0; i < kMany; ++i) {
        CHECK_EQUAL(in[i], 1000 * left + i);
        CHECK_EQUAL(statuses[2 * i].MPI_TAG, i);
        CHECK_EQUAL(statuses[2 * i].MPI_ERROR, MPI_SUCCESS);
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
}

static void tests(void)
{
    int in = -1, flag = 0;
    MPI_Request received, sent;
    MPI_Status status;
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &received));
    CHECK_OK(MPI_Test(&received, &flag, &status));
    CHECK_EQUAL(flag, 0);
    CHECK(received != MPI_REQUEST_NULL);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Isend(&rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &sent));
    while (!flag)
        CHECK_OK(MPI_Test(&received, &flag, &status));
    CHECK_EQUAL(in, left);
    CHECK_EQUAL(status.MPI_SOURCE, left);
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Wait(&sent, MPI_STATUS_IGNORE));
}

static void failures(void)
{
    int out[2] = {1, 2}, in[2] = {0, 0};
    MPI_Request requests[3];
    MPI_Status statuses[3];
    CHECK_OK(MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Irecv(&in[1], 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[1]));
    requests[2] = MPI_REQUEST_NULL;
    CHECK_OK(MPI_Send(out, 2, MPI_INT, right, 1, MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(out, 1, MPI_INT, right, 2, MPI_COMM_WORLD));
    CHECK_ERROR(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS, "1 of the operations failed");
    CHECK_ERROR(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE, "MPI_Waitall on MPI_COMM_WORLD: ");
    CHECK_EQUAL(statuses[1].MPI_ERROR, MPI_SUCCESS);
    CHECK_EQUAL(in[1], 1);
    CHECK_OK(MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Send(out, 2, MPI_INT, right, 1, MPI_COMM_WORLD));
    CHECK_ERROR(MPI_Wait(&requests[0], &statuses[0]), MPI_ERR_TRUNCATE, "MPI_Wait on MPI_COMM_WORLD: ");
    CHECK(requests[0] == MPI_REQUEST_NULL);
}

static void wrong_arguments(void)
{
    long no_request[32] = {0};
    MPI_Request request = (MPI_Request)no_request;
    CHECK_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "no request");
    request = (MPI_Request)MPI_COMM_WORLD;
    CHECK_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "no request");
    CHECK_ERROR(MPI_Wait(NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG, "request is a null pointer");
    CHECK_ERROR(MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE), MPI_ERR_ARG, "array_of_requests is -1");
    CHECK_ERROR(MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG, "null pointer");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    null_requests();
    many();
    tests();
    failures();
    wrong_arguments();
    MPI_Finalize();
    return check_result();
}
