/* Waits and tests for any, some and all of several requests. */
#include <stdlib.h>
#include "check.h"

enum { kFew = 5, kMany = 10000 };

static int rank, size, right, left;

static void nothing_active(void)
{
    int value = 0, index = 7, flag = 7, outcount = 7, indices[2];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status, statuses[2];
    CHECK_OK(MPI_Recv_init(&value, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[1]));
    status.MPI_SOURCE = 7;
    CHECK_OK(MPI_Waitany(2, requests, &index, &status));
    CHECK_EQUAL(index, MPI_UNDEFINED);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_ANY_SOURCE);
    index = 7;
    CHECK_OK(MPI_Testany(2, requests, &index, &flag, &status));
    CHECK_EQUAL(index, MPI_UNDEFINED);
    CHECK_EQUAL(flag, 1);
    flag = 7;
    CHECK_OK(MPI_Testall(2, requests, &flag, statuses));
    CHECK_EQUAL(flag, 1);
    CHECK_EQUAL(statuses[1].MPI_TAG, MPI_ANY_TAG);
    CHECK_OK(MPI_Waitsome(2, requests, &outcount, indices, statuses));
    CHECK_EQUAL(outcount, MPI_UNDEFINED);
    outcount = 7;
    CHECK_OK(MPI_Testsome(2, requests, &outcount, indices, statuses));
    CHECK_EQUAL(outcount, MPI_UNDEFINED);
    outcount = 7;
    CHECK_OK(MPI_Request_get_status_some(2, requests, &outcount, indices, statuses));
    CHECK_EQUAL(outcount, MPI_UNDEFINED);
    CHECK_OK(MPI_Request_get_status_all(2, requests, &flag, statuses));
    CHECK_EQUAL(flag, 1);
    CHECK_OK(MPI_Request_get_status_any(2, requests, &index, &flag, &status));
    CHECK_EQUAL(index, MPI_UNDEFINED);
    CHECK_OK(MPI_Request_get_status(requests[1], &flag, &status));
    CHECK_EQUAL(flag, 1);
    CHECK_EQUAL(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_OK(MPI_Waitany(0, NULL, &index, &status));
    CHECK_EQUAL(index, MPI_UNDEFINED);
    CHECK_OK(MPI_Request_free(&requests[1]));
    CHECK(requests[1] == MPI_REQUEST_NULL);
}

/* The requests of kFew messages from the left, with null ones and a persistent one between. */
static void begin(int* in, MPI_Request* requests)
{
    int i;
    for (i = 0; i < kFew; ++i) {
        in[i] = -1;
        if (i == 3) {
            CHECK_OK(MPI_Recv_init(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]));
            CHECK_OK(MPI_Start(&requests[i]));
        } else {
            CHECK_OK(MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]));
        }
    }
    requests[kFew] = MPI_REQUEST_NULL;
}

static void send_all(void)
{
    int i, out;
    for (i = 0; i < kFew; ++i) {
        out = 100 * rank + i;
        CHECK_OK(MPI_Send(&out, 1, MPI_INT, right, i, MPI_COMM_WORLD));
    }
}

static void check_all(const int* in, MPI_Request* requests)
{
    int i;
    for (i = 0; i < kFew; ++i)
        CHECK_EQUAL(in[i], 100 * left + i);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    CHECK(requests[3] != MPI_REQUEST_NULL);
    CHECK_OK(MPI_Request_free(&requests[3]));
}

static void any(void)
{
    int in[kFew], index, flag, seen = 0, i;
    MPI_Request requests[kFew + 1];
    MPI_Status status;
    begin(in, requests);
    CHECK_OK(MPI_Testany(kFew + 1, requests, &index, &flag, &status));
    CHECK_EQUAL(flag, 0);
    CHECK_EQUAL(index, MPI_UNDEFINED);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    send_all();
    for (i = 0; i < kFew; ++i) {
        CHECK_OK(MPI_Waitany(kFew + 1, requests, &index, &status));
        CHECK_EQUAL(status.MPI_TAG, index);
        CHECK_EQUAL(status.MPI_SOURCE, left);
        seen |= 1 << index;
    }
    CHECK_EQUAL(seen, (1 << kFew) - 1);
    CHECK_OK(MPI_Waitany(kFew + 1, requests, &index, &status));
    CHECK_EQUAL(index, MPI_UNDEFINED);
    check_all(in, requests);

    begin(in, requests);
    send_all();
    for (seen = 0; seen != (1 << kFew) - 1;) {
        CHECK_OK(MPI_Testany(kFew + 1, requests, &index, &flag, MPI_STATUS_IGNORE));
        if (flag)
            seen |= 1 << index;
    }
    check_all(in, requests);
}

static void some(int waits)
{
    int in[kFew], indices[kFew + 1], outcount = 7, seen = 0, i;
    MPI_Request requests[kFew + 1];
    MPI_Status statuses[kFew + 1];
    begin(in, requests);
    if (!waits) {
        CHECK_OK(MPI_Testsome(kFew + 1, requests, &outcount, indices, statuses));
        CHECK_EQUAL(outcount, 0);
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    send_all();
    while (seen != (1 << kFew) - 1) {
        if (waits)
            CHECK_OK(MPI_Waitsome(kFew + 1, requests, &outcount, indices, statuses));
        else
            CHECK_OK(MPI_Testsome(kFew + 1, requests, &outcount, indices, statuses));
        CHECK(outcount >= waits && outcount <= kFew);
        for (i = 0; i < outcount; ++i) {
            CHECK_EQUAL(statuses[i].MPI_TAG, indices[i]);
            CHECK_EQUAL(seen & 1 << indices[i], 0);
            seen |= 1 << indices[i];
        }
    }
    CHECK_OK(MPI_Waitsome(kFew + 1, requests, &outcount, indices, statuses));
    CHECK_EQUAL(outcount, MPI_UNDEFINED);
    check_all(in, requests);
}

static void all(void)
{
    int in[kFew], flag = 7;
    MPI_Request requests[kFew + 1];
    MPI_Status statuses[kFew + 1];
    begin(in, requests);
    CHECK_OK(MPI_Testall(kFew + 1, requests, &flag, statuses));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    send_all();
    while (!flag)
        CHECK_OK(MPI_Testall(kFew + 1, requests, &flag, statuses));
    CHECK_EQUAL(statuses[3].MPI_TAG, 3);
    CHECK_EQUAL(statuses[kFew].MPI_SOURCE, MPI_ANY_SOURCE);
    check_all(in, requests);
}

/* Looks leave the requests as they are. */
static void looks(void)
{
    int in[kFew], indices[kFew + 1], flag = 0, outcount = 0, index = -1;
    MPI_Request requests[kFew + 1];
    MPI_Status status, statuses[kFew + 1];
    begin(in, requests);
    CHECK_OK(MPI_Request_get_status(requests[0], &flag, &status));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    send_all();
    while (!flag)
        CHECK_OK(MPI_Request_get_status_all(kFew + 1, requests, &flag, statuses));
    CHECK_EQUAL(statuses[4].MPI_TAG, 4);
    CHECK_OK(MPI_Request_get_status_some(kFew + 1, requests, &outcount, indices, statuses));
    CHECK_EQUAL(outcount, kFew);
    CHECK_EQUAL(indices[2], 2);
    CHECK_OK(MPI_Request_get_status_any(kFew + 1, requests, &index, &flag, &status));
    CHECK_EQUAL(flag, 1);
    CHECK_EQUAL(status.MPI_TAG, index);
    CHECK_OK(MPI_Request_get_status(requests[3], &flag, &status));
    CHECK_EQUAL(flag, 1);
    CHECK_EQUAL(status.MPI_TAG, 3);
    CHECK(requests[0] != MPI_REQUEST_NULL);
    CHECK_OK(MPI_Waitall(kFew + 1, requests, statuses));
    CHECK_EQUAL(statuses[4].MPI_TAG, 4);
    check_all(in, requests);
}

static void failures(void)
{
    int out[2] = {1, 2}, in[2] = {0, 0}, outcount, indices[2], index, flag = 0, total = 0, truncated = 0, i;
    MPI_Request requests[2];
    MPI_Status status, statuses[2];
    for (i = 0; i < 2; ++i)
        CHECK_OK(MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]));
    CHECK_OK(MPI_Send(out, 2, MPI_INT, right, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(out, 1, MPI_INT, right, 1, MPI_COMM_WORLD));
    while (total < 2) {
        const int code = MPI_Waitsome(2, requests, &outcount, indices, statuses);
        if (code != MPI_SUCCESS)
            CHECK_ERROR(code, MPI_ERR_IN_STATUS, "MPI_Waitsome: 1 of the operations failed");
        for (i = 0; i < outcount; ++i) {
            if (indices[i] == 0) {
                CHECK_ERROR(statuses[i].MPI_ERROR, MPI_ERR_TRUNCATE, "has 8 bytes, the buffer 4");
                ++truncated;
            } else {
                CHECK_EQUAL(statuses[i].MPI_ERROR, MPI_SUCCESS);
            }
        }
        total += outcount;
    }
    CHECK_EQUAL(truncated, 1);
    CHECK_OK(MPI_Irecv(in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Send(out, 2, MPI_INT, right, 0, MPI_COMM_WORLD));
    CHECK_ERROR(MPI_Waitany(1, requests, &index, &status), MPI_ERR_TRUNCATE, "MPI_Waitany on MPI_COMM_WORLD");
    CHECK_EQUAL(index, 0);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Irecv(in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Send(out, 2, MPI_INT, right, 0, MPI_COMM_WORLD));
    for (i = MPI_SUCCESS; !flag;)
        i = MPI_Testall(1, requests, &flag, statuses);
    CHECK_ERROR(i, MPI_ERR_IN_STATUS, "1 of the operations failed");
    CHECK_ERROR(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE, "MPI_Testall");
}

static void very_many(void)
{
    int* const in = malloc(kMany * sizeof(int));
    int* const indices = malloc(kMany * sizeof(int));
    MPI_Request* const requests = malloc(2 * kMany * sizeof(MPI_Request));
    int round, i, outcount, ended;
    for (round = 0; round < 3; ++round) {
        for (i = 0; i < kMany; ++i)
            CHECK_OK(MPI_Irecv(&in[i], 1, MPI_INT, left, round == 2 ? 0 : i, MPI_COMM_WORLD, &requests[i]));
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        for (i = 0; i < kMany; ++i)
            CHECK_OK(MPI_Isend(&indices[i], 0, MPI_INT, right, round == 2 ? 0 : i, MPI_COMM_WORLD,
                               &requests[kMany + i]));
        if (round == 0) {
            CHECK_OK(MPI_Waitall(2 * kMany, requests, MPI_STATUSES_IGNORE));
            continue;
        }
        for (ended = 0; ended < kMany; ended += outcount) {
            if (round == 1)
                CHECK_OK(MPI_Testsome(kMany, requests, &outcount, indices, MPI_STATUSES_IGNORE));
            else
                CHECK_OK(MPI_Waitsome(kMany, requests, &outcount, indices, MPI_STATUSES_IGNORE));
            CHECK(outcount >= 0);
        }
        CHECK_EQUAL(ended, kMany);
        CHECK_OK(MPI_Waitall(kMany, requests + kMany, MPI_STATUSES_IGNORE));
    }
    free(in);
    free(indices);
    free(requests);
}

/* How often a loop looks at all requests does not depend on their number, so it takes linear time. What a
 * rank sends to itself arrives in the same passes in each run. */
static void few_looks(int waits)
{
    enum { kMostLooks = 16 };
    int* const indices = malloc(2 * kMany * sizeof(int));
    MPI_Request* const requests = malloc(2 * kMany * sizeof(MPI_Request));
    int count, i, outcount, ended, looks;
    for (count = 100; count <= kMany; count *= 10) {
        for (i = 0; i < count; ++i)
            CHECK_OK(MPI_Irecv(NULL, 0, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[i]));
        for (i = 0; i < count; ++i)
            CHECK_OK(MPI_Isend(NULL, 0, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[count + i]));
        for (ended = looks = 0; ended < 2 * count; ended += outcount, ++looks) {
            if (waits)
                CHECK_OK(MPI_Waitsome(2 * count, requests, &outcount, indices, MPI_STATUSES_IGNORE));
            else
                CHECK_OK(MPI_Testsome(2 * count, requests, &outcount, indices, MPI_STATUSES_IGNORE));
            CHECK(outcount >= 0);
        }
        CHECK_EQUAL(ended, 2 * count);
        CHECK(looks <= kMostLooks);
    }
    free(indices);
    free(requests);
}

static void wrong_arguments(void)
{
    int index, flag, indices[1];
    MPI_Request request = (MPI_Request)MPI_COMM_WORLD;
    CHECK_ERROR(MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "is no request");
    CHECK_ERROR(MPI_Testsome(1, &request, &index, indices, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST,
                "no request");
    CHECK_ERROR(MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST, "is no request");
    CHECK_ERROR(MPI_Waitany(-1, &request, &index, MPI_STATUS_IGNORE), MPI_ERR_ARG, "array_of_requests is -1");
    CHECK_ERROR(MPI_Testany(1, NULL, &index, &flag, MPI_STATUS_IGNORE), MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Testany(1, &request, NULL, &flag, MPI_STATUS_IGNORE), MPI_ERR_ARG,
                "index is a null pointer");
    CHECK_ERROR(MPI_Testall(1, &request, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG, "flag is a null pointer");
    CHECK_ERROR(MPI_Waitsome(1, &request, NULL, indices, MPI_STATUSES_IGNORE), MPI_ERR_ARG, "outcount");
    CHECK_ERROR(MPI_Waitsome(1, &request, &index, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG,
                "array_of_indices");
    CHECK_ERROR(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "is no request");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    nothing_active();
    any();
    some(1);
    some(0);
    all();
    looks();
    failures();
    very_many();
    few_looks(0);
    few_looks(1);
    wrong_arguments();
    MPI_Finalize();
    return check_result();
}
