/* Ends of requests: free, cancel, generalized ones, handles of ended ones; and what a status can be made to
 * tell. */
#include "check.h"

static int rank, size, right, left;

static void freed(void)
{
    static int large_out[100000], large_in[100000];
    int in = -1, out = rank, i;
    MPI_Request request;
    /* Active ones go on. */
    for (i = 0; i < 100000; ++i)
        large_out[i] = rank + i;
    CHECK_OK(MPI_Isend(large_out, 100000, MPI_INT, right, 1, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Recv(large_in, 100000, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQUAL(large_in[99999], left + 99999);
    CHECK_OK(MPI_Recv_init(&in, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Send(&out, 1, MPI_INT, right, 2, MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(&out, 1, MPI_INT, right, 3, MPI_COMM_WORLD));
    CHECK_OK(MPI_Recv(&i, 1, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQUAL(in, left); /* messages of one sender arrive in order */
    /* A receive that nothing matches is withdrawn at the end. */
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Request_free(&request));
    /* Complete already. */
    CHECK_OK(MPI_Isend(&out, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK_ERROR(MPI_Request_free(&request), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    CHECK_ERROR(MPI_Request_free(NULL), MPI_ERR_ARG, "null pointer");
}

/* No other rank can end such a wait: the message is withdrawn, unless it has been received. Others stay. */
static void cancelled_to_oneself(int* large, int elements)
{
    MPI_Request requests[3];
    MPI_Status status;
    const int values[2] = {0, 1};
    int i, in = -1, flag = -1;
    for (i = 0; i < 3; ++i) {
        if (i == 2)
            CHECK_OK(MPI_Isend(large, elements, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[i]));
        else
            CHECK_OK(MPI_Issend(&values[i], 1, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[i]));
    }
    for (i = 2; i >= 0; i -= 2) {
        CHECK_OK(MPI_Cancel(&requests[i]));
        CHECK_OK(MPI_Wait(&requests[i], &status));
        CHECK_OK(MPI_Test_cancelled(&status, &flag));
        CHECK_EQUAL(flag, 1);
    }
    CHECK_OK(MPI_Recv(&in, 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK_EQUAL(in, 1);
    CHECK_OK(MPI_Cancel(&requests[1])); /* too late */
    CHECK_OK(MPI_Wait(&requests[1], &status));
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Ssend_init(&rank, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[0]));
    for (i = 0; i < 2; ++i) {
        CHECK_OK(MPI_Start(&requests[0]));
        if (i == 0)
            CHECK_OK(MPI_Cancel(&requests[0]));
        else
            CHECK_OK(MPI_Recv(&in, 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Wait(&requests[0], &status));
        CHECK_OK(MPI_Test_cancelled(&status, &flag));
        CHECK_EQUAL(flag, i == 0);
    }
    CHECK_EQUAL(in, rank);
    CHECK_OK(MPI_Request_free(&requests[0]));
}

static void cancelled(void)
{
    static int large[100000];
    int in = -1, flag = -1, count = -1;
    MPI_Request requests[2];
    MPI_Status status;
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Cancel(&requests[0]));
    CHECK_OK(MPI_Wait(&requests[0], &status));
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQUAL(flag, 1);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(count, 0);
    CHECK_OK(MPI_Recv_init(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_ERROR(MPI_Cancel(&requests[0]), MPI_ERR_REQUEST, "not active");
    CHECK_OK(MPI_Start(&requests[0]));
    CHECK_OK(MPI_Cancel(&requests[0]));
    CHECK_OK(MPI_Wait(&requests[0], &status));
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQUAL(flag, 1);
    CHECK_OK(MPI_Request_free(&requests[0]));
    /* One that was matched, and a send to another rank. */
    if (right != rank) {
        CHECK_OK(MPI_Isend(large, 100000, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[0]));
        CHECK_OK(MPI_Cancel(&requests[0]));
        CHECK_OK(MPI_Recv(large, 100000, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Wait(&requests[0], &status));
        CHECK_OK(MPI_Test_cancelled(&status, &flag));
        CHECK_EQUAL(flag, 0);
    }
    cancelled_to_oneself(large, 100000);
    CHECK_OK(MPI_Isend(&rank, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Probe(rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Cancel(&requests[1]));
    CHECK_OK(MPI_Wait(&requests[1], &status));
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQUAL(flag, 0);
    CHECK_EQUAL(in, rank);
    CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK_ERROR(MPI_Cancel(&requests[0]), MPI_ERR_REQUEST, "not active");
    CHECK_ERROR(MPI_Cancel(NULL), MPI_ERR_ARG, "null pointer");
}

struct Calls {
    int queries, frees, cancels, complete, code;
};

static int query(void* extra, MPI_Status* status)
{
    struct Calls* const calls = extra;
    ++calls->queries;
    MPI_Status_set_elements(status, MPI_INT, 7);
    MPI_Status_set_cancelled(status, calls->cancels != 0);
    MPI_Status_set_source(status, 3);
    MPI_Status_set_tag(status, 4);
    return calls->code;
}

static int free_calls(void* extra)
{
    ++((struct Calls*)extra)->frees;
    MPI_Barrier(MPI_COMM_SELF); /* functions may call MPI */
    return MPI_SUCCESS;
}

static int cancel_calls(void* extra, int complete)
{
    struct Calls* const calls = extra;
    ++calls->cancels;
    calls->complete = complete;
    return MPI_SUCCESS;
}

static void generalized(void)
{
    struct Calls calls = {0, 0, 0, -1, MPI_SUCCESS};
    int flag = -1, count = -1, in = -1, index = -1;
    MPI_Request requests[2], copy;
    MPI_Status status, statuses[2];
    CHECK_OK(MPI_Grequest_start(query, free_calls, cancel_calls, &calls, &requests[0]));
    CHECK_OK(MPI_Test(&requests[0], &flag, &status));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Cancel(&requests[0]));
    CHECK_EQUAL(calls.complete, 0);
    CHECK_OK(MPI_Grequest_complete(requests[0]));
    CHECK_ERROR(MPI_Grequest_complete(requests[0]), MPI_ERR_REQUEST, "complete already");
    CHECK_OK(MPI_Request_get_status(requests[0], &flag, &status));
    CHECK_EQUAL(flag, 1);
    CHECK_EQUAL(calls.queries, 1);
    CHECK_EQUAL(calls.frees, 0);
    CHECK_OK(MPI_Wait(&requests[0], &status));
    CHECK(requests[0] == MPI_REQUEST_NULL);
    CHECK_EQUAL(calls.queries, 2);
    CHECK_EQUAL(calls.frees, 1);
    CHECK_EQUAL(status.MPI_SOURCE, 3);
    CHECK_EQUAL(status.MPI_TAG, 4);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(count, 7);
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQUAL(flag, 1);

    /* Among others, with an error. */
    calls.code = MPI_ERR_OTHER;
    CHECK_OK(MPI_Grequest_start(query, free_calls, cancel_calls, &calls, &requests[0]));
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Grequest_complete(requests[0]));
    CHECK_OK(MPI_Send(&rank, 1, MPI_INT, right, 1, MPI_COMM_WORLD));
    CHECK_ERROR(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS, "1 of the operations failed");
    CHECK_EQUAL(statuses[0].MPI_ERROR, MPI_ERR_OTHER);
    CHECK_EQUAL(statuses[1].MPI_ERROR, MPI_SUCCESS);
    CHECK_EQUAL(in, left);
    calls.code = MPI_SUCCESS;
    CHECK_OK(MPI_Grequest_start(query, free_calls, cancel_calls, &calls, &requests[0]));
    CHECK_OK(MPI_Grequest_complete(requests[0]));
    CHECK_OK(MPI_Waitany(1, requests, &index, &status));
    CHECK_EQUAL(index, 0);

    /* Freed before it is complete. */
    calls.frees = 0;
    CHECK_OK(MPI_Grequest_start(query, free_calls, cancel_calls, &calls, &requests[0]));
    copy = requests[0];
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_EQUAL(calls.frees, 0);
    CHECK_OK(MPI_Grequest_complete(copy));
    CHECK_EQUAL(calls.frees, 1);
    CHECK_ERROR(MPI_Grequest_complete(copy), MPI_ERR_REQUEST, "has ended");
    /* And after. */
    CHECK_OK(MPI_Grequest_start(query, free_calls, cancel_calls, &calls, &requests[0]));
    CHECK_OK(MPI_Grequest_complete(requests[0]));
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_EQUAL(calls.frees, 2);
    CHECK_ERROR(MPI_Grequest_start(NULL, free_calls, cancel_calls, NULL, &copy), MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Grequest_complete(MPI_REQUEST_NULL), MPI_ERR_REQUEST, "MPI_Grequest_start");
}

/* Handles that are used after the end. */
static void ended(void)
{
    int in = -1, i;
    MPI_Request request, copies[3];
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request));
    copies[0] = request;
    CHECK_OK(MPI_Send(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Recv_init(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request));
    copies[1] = request;
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request));
    copies[2] = request;
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (i = 0; i < 3; ++i) {
        request = copies[i];
        CHECK_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "has ended");
        CHECK_ERROR(MPI_Cancel(&request), MPI_ERR_REQUEST, "has ended");
        CHECK_ERROR(MPI_Request_free(&request), MPI_ERR_REQUEST, "has ended");
        CHECK_ERROR(MPI_Start(&request), MPI_ERR_REQUEST, "has ended");
    }
    /* Twice in one array. */
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &copies[0]));
    copies[1] = copies[0];
    CHECK_OK(MPI_Send(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD));
    CHECK_ERROR(MPI_Waitall(2, copies, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST, "has ended");
}

static void statuses(void)
{
    int value = -1;
    MPI_Count count = -1;
    MPI_Status status;
    CHECK_OK(MPI_Status_set_source(&status, 5));
    CHECK_OK(MPI_Status_set_tag(&status, 6));
    CHECK_OK(MPI_Status_set_error(&status, MPI_ERR_TAG));
    CHECK_OK(MPI_Status_set_cancelled(&status, 0));
    CHECK_OK(MPI_Status_get_source(&status, &value));
    CHECK_EQUAL(value, 5);
    CHECK_OK(MPI_Status_get_tag(&status, &value));
    CHECK_EQUAL(value, 6);
    CHECK_OK(MPI_Status_get_error(&status, &value));
    CHECK_EQUAL(value, MPI_ERR_TAG);
    CHECK_EQUAL(status.MPI_SOURCE, 5);
    CHECK_OK(MPI_Status_set_elements(&status, MPI_DOUBLE, 3));
    CHECK_OK(MPI_Get_count(&status, MPI_DOUBLE, &value));
    CHECK_EQUAL(value, 3);
    CHECK_OK(MPI_Status_set_elements_x(&status, MPI_SHORT, (MPI_Count)1 << 40));
    CHECK_OK(MPI_Get_count_c(&status, MPI_SHORT, &count));
    CHECK_EQUAL(count, (long long)1 << 40);
    /* One and a half pairs. */
    CHECK_OK(MPI_Status_set_elements_c(&status, MPI_DOUBLE_INT, 3));
    CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &value));
    CHECK_EQUAL(value, 20);
    CHECK_ERROR(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT, "the count is -1");
    CHECK_ERROR(MPI_Status_set_elements(&status, MPI_DATATYPE_NULL, 1), MPI_ERR_TYPE, "datatype");
    CHECK_ERROR(MPI_Status_set_tag(NULL, 1), MPI_ERR_ARG, "status is a null pointer");
    CHECK_ERROR(MPI_Status_get_source(&status, NULL), MPI_ERR_ARG, "source is a null pointer");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    freed();
    cancelled();
    generalized();
    ended();
    statuses();
    MPI_Finalize();
    return check_result();
}
