/* Sends, receives and probes. */
#include "check.h"

#include <stdlib.h>

enum { kLong = 300000 };

static int rank, size, right, left;

static void ring(void)
{
    int in = -1;
    MPI_Status status;
    CHECK_OK(MPI_Sendrecv(&rank, 1, MPI_INT, right, 5, &in, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &status));
    CHECK_EQUAL(in, left);
    CHECK_EQUAL(status.MPI_SOURCE, left);
    CHECK_EQUAL(status.MPI_TAG, 5);
    CHECK_OK(MPI_Sendrecv_c(&rank, 1, MPI_INT, right, 6, &in, 1, MPI_INT, left, 6, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
    CHECK_EQUAL(in, left);
}

static void lengths(void)
{
    static const int counts[] = {0, 1, 17, 4096, kLong};
    double* out = malloc(kLong * sizeof *out);
    double* in = malloc(kLong * sizeof *in);
    size_t i;
    int k;
    for (i = 0; i < sizeof counts / sizeof *counts; ++i) {
        MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;
        MPI_Status status;
        int count = -1;
        MPI_Count wide = -1;
        for (k = 0; k < counts[i]; ++k) {
            out[k] = rank + k;
            in[k] = -1;
        }
        CHECK_OK(MPI_Irecv(in, kLong, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &received));
        CHECK_OK(i % 2 == 0 ? MPI_Isend(out, counts[i], MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &sent)
                            : MPI_Issend(out, counts[i], MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &sent));
        CHECK(sent != MPI_REQUEST_NULL && received != MPI_REQUEST_NULL);
        CHECK_OK(MPI_Wait(&received, &status));
        CHECK_OK(MPI_Wait(&sent, MPI_STATUS_IGNORE));
        CHECK(sent == MPI_REQUEST_NULL && received == MPI_REQUEST_NULL);
        CHECK_OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
        CHECK_EQUAL(count, counts[i]);
        CHECK_OK(MPI_Get_count_c(&status, MPI_CHAR, &wide));
        CHECK_EQUAL(wide, 8LL * counts[i]);
        for (k = 0; k < counts[i]; ++k)
            if (in[k] != left + k)
                break;
        CHECK_EQUAL(k, counts[i]);
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    free(out);
    free(in);
}

static void counts_of_other_types(void)
{
    char out[5] = "abcd";
    char in[8];
    int count = -1;
    MPI_Status status;
    CHECK_OK(MPI_Sendrecv(out, 5, MPI_CHAR, right, 2, in, 8, MPI_CHAR, left, 2, MPI_COMM_WORLD, &status));
    CHECK_EQUAL(strcmp(in, out), 0);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(count, MPI_UNDEFINED);
}

static void nobody(void)
{
    int value = 4, count = -1;
    MPI_Status status;
    MPI_Request request;
    CHECK_OK(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD));
    CHECK_OK(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQUAL(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(count, 0);
    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQUAL(value, 4);
    CHECK_OK(MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
}

static void probes(void)
{
    int out[3] = {1, 2, 3};
    int in[3] = {0, 0, 0};
    int flag = 0, count = -1;
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Isend(out, 3, MPI_INT, right, 8, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK_EQUAL(status.MPI_SOURCE, left);
    CHECK_EQUAL(status.MPI_TAG, 8);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(count, 3);
    CHECK_OK(MPI_Iprobe(left, 8, MPI_COMM_WORLD, &flag, &status));
    CHECK_EQUAL(flag, 1);
    CHECK_OK(MPI_Recv(in, 3, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQUAL(in[2], 3);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Iprobe(left, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_EQUAL(flag, 0);
}

static void modes(void)
{
    int in = -1, out = 10 * rank;
    MPI_Request request;
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Rsend(&out, 1, MPI_INT, right, 4, MPI_COMM_WORLD));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQUAL(in, 10 * left);
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Ssend(&rank, 1, MPI_INT, right, 4, MPI_COMM_WORLD));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQUAL(in, left);
}

static void pairs(void)
{
    struct {
        double value;
        int index;
    } out[2] = {{1.5, 3}, {2.5, 4}}, in[2] = {{0, 0}, {0, 0}};
    int count = -1;
    MPI_Status status;
    CHECK_OK(MPI_Sendrecv(out, 2, MPI_DOUBLE_INT, right, 9, in, 2, MPI_DOUBLE_INT, left, 9, MPI_COMM_WORLD, &status));
    CHECK(in[1].value == 2.5 && in[1].index == 4 && in[0].index == 3);
    CHECK_OK(MPI_Get_count(&status, MPI_DOUBLE_INT, &count));
    CHECK_EQUAL(count, 2);
}

static void wrong_arguments(void)
{
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_ERROR(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT, "the count is -1");
    CHECK_ERROR(MPI_Send_c(&value, (MPI_Count)1 << 62, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT, "exceed");
    CHECK_ERROR(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER, "null pointer to 4 bytes");
    CHECK_ERROR(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Send(&value, 1, (MPI_Datatype)MPI_COMM_WORLD, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, "no datatype");
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK, "MPI_Send on MPI_COMM_WORLD: ");
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK, "MPI_ANY_SOURCE");
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 0, -2, MPI_COMM_WORLD), MPI_ERR_TAG, "tag -2");
    CHECK_ERROR(MPI_Recv(&value, 1, MPI_INT, -7, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_RANK, "source is -7");
    CHECK_ERROR(MPI_Recv(&value, 1, MPI_INT, 0, -9, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TAG, "tag -9");
    CHECK_ERROR(MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG, "request is a null pointer");
    CHECK_ERROR(MPI_Irecv(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK, "MPI_Irecv");
    CHECK(request == MPI_REQUEST_NULL);
}

static void truncation(void)
{
    int out[4] = {1, 2, 3, 4};
    int in[2] = {0, 0};
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Isend(out, 4, MPI_INT, right, 11, MPI_COMM_WORLD, &request));
    CHECK_ERROR(MPI_Recv(in, 2, MPI_INT, left, 11, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE,
                "has 16 bytes, the buffer 8");
    CHECK_EQUAL(in[1], 2);
    CHECK_EQUAL(status.MPI_SOURCE, left);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    ring();
    lengths();
    counts_of_other_types();
    nobody();
    probes();
    modes();
    pairs();
    wrong_arguments();
    truncation();
    MPI_Finalize();
    return check_result();
}
