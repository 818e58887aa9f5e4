/* Matched probes and the receives of their messages. */
#include <stdlib.h>
#include "check.h"

enum { kLarge = 100000 };

static int rank, size, right, left;
/* Static: a search for leaks finds it. */
static MPI_Message never_received;

static void matched(void)
{
    int out[2] = {rank, 5}, in[2] = {-1, -1}, other = -1, count = -1, flag = 0;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Improbe(left, 1, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(out, 2, MPI_INT, right, 1, MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(&size, 1, MPI_INT, right, 1, MPI_COMM_WORLD));
    CHECK_OK(MPI_Mprobe(left, 1, MPI_COMM_WORLD, &message, &status));
    CHECK_EQUAL(status.MPI_SOURCE, left);
    CHECK_EQUAL(status.MPI_TAG, 1);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(count, 2);
    /* Nobody else gets the matched one. */
    CHECK_OK(MPI_Recv(&other, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status));
    CHECK_EQUAL(other, size);
    CHECK_OK(MPI_Mrecv(in, 2, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_EQUAL(in[0], left);
    CHECK_EQUAL(in[1], 5);
    CHECK_EQUAL(status.MPI_TAG, 1);

    CHECK_OK(MPI_Send(out, 2, MPI_INT, right, 2, MPI_COMM_WORLD));
    for (flag = 0; !flag;)
        CHECK_OK(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK_EQUAL(status.MPI_SOURCE, left);
    CHECK_EQUAL(status.MPI_TAG, 2);
    in[0] = in[1] = -1;
    CHECK_OK(MPI_Imrecv(in, 2, MPI_INT, &message, &request));
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_EQUAL(in[0], left);
    CHECK_EQUAL(status.MPI_TAG, 2);
}

static void large(void)
{
    static int out[kLarge], in[kLarge];
    MPI_Message message;
    MPI_Request sent;
    MPI_Status status;
    int i, count = -1;
    for (i = 0; i < kLarge; ++i)
        out[i] = rank + i;
    CHECK_OK(MPI_Isend(out, kLarge, MPI_INT, right, 1, MPI_COMM_WORLD, &sent));
    CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(count, kLarge);
    CHECK_OK(MPI_Mrecv(in, kLarge, MPI_INT, &message, MPI_STATUS_IGNORE));
    CHECK_EQUAL(in[0], left);
    CHECK_EQUAL(in[kLarge - 1], left + kLarge - 1);
    CHECK_OK(MPI_Wait(&sent, MPI_STATUS_IGNORE));
}

/* A rank's message to itself has arrived as soon as it has matched: a test may be its memory's last use. Each
 * element is the first of `stride` integers. */
static void to_itself(int elements, MPI_Datatype sent_type, int sent_stride, MPI_Datatype received_type,
                      int received_stride)
{
    int* const out = calloc((size_t)(elements * sent_stride + 1), sizeof *out);
    int* const in = calloc((size_t)(elements * received_stride + 1), sizeof *in);
    int i, flag = 0;
    MPI_Message message;
    MPI_Request sent, received;
    MPI_Status status;
    for (i = 0; i < elements; ++i)
        out[i * sent_stride] = rank + i + 1;
    CHECK_OK(MPI_Issend(out, elements, sent_type, rank, 3, MPI_COMM_WORLD, &sent));
    CHECK_OK(MPI_Test(&sent, &flag, MPI_STATUS_IGNORE));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status));
    CHECK_EQUAL(status.MPI_SOURCE, rank);
    CHECK_OK(MPI_Imrecv(in, elements, received_type, &message, &received));
    CHECK_OK(MPI_Test(&received, &flag, &status));
    CHECK_EQUAL(flag, 1);
    CHECK_OK(MPI_Get_count(&status, received_type, &i));
    CHECK_EQUAL(i, elements);
    for (i = 0; i < elements; ++i)
        if (in[i * received_stride] != rank + i + 1)
            break;
    CHECK_EQUAL(i, elements);
    if (flag)
        free(in);
    CHECK_OK(MPI_Wait(&sent, MPI_STATUS_IGNORE));
    free(out);
}

static void all_to_itself(void)
{
    static const int elements[] = {0, 1, 100, 20000};
    static int out[kLarge], in[4] = {-1, -1, -1, -1};
    MPI_Datatype apart;
    MPI_Message message;
    MPI_Request sent;
    size_t i;
    /* The first of two integers. */
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &apart));
    CHECK_OK(MPI_Type_commit(&apart));
    for (i = 0; i < sizeof elements / sizeof *elements; ++i) {
        to_itself(elements[i], MPI_INT, 1, MPI_INT, 1);
        to_itself(elements[i], MPI_INT, 1, apart, 2);
        to_itself(elements[i], apart, 2, MPI_INT, 1);
        to_itself(elements[i], apart, 2, apart, 2);
    }
    CHECK_OK(MPI_Type_free(&apart));
    out[0] = 7;
    out[2] = 9;
    CHECK_OK(MPI_Issend(out, kLarge, MPI_INT, rank, 3, MPI_COMM_WORLD, &sent));
    CHECK_OK(MPI_Mprobe(rank, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPI_Mrecv(in, 3, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, "the buffer 12");
    CHECK_EQUAL(in[0], 7);
    CHECK_EQUAL(in[2], 9);
    CHECK_EQUAL(in[3], -1);
    CHECK_OK(MPI_Wait(&sent, MPI_STATUS_IGNORE));
}

static void nobody(void)
{
    int flag = 0, value = 3;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQUAL(value, 3);
    CHECK_OK(MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK_EQUAL(flag, 1);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CHECK_OK(MPI_Imrecv(&value, 1, MPI_INT, &message, &request));
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
}

static void wrong_arguments(void)
{
    int in[2], out[2] = {1, 2};
    MPI_Message message = MPI_MESSAGE_NULL, copy;
    MPI_Request request;
    CHECK_ERROR(MPI_Mrecv(in, 2, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_REQUEST,
                "the message is MPI_MESSAGE_NULL");
    CHECK_ERROR(MPI_Mrecv(in, 2, MPI_INT, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG, "message is a null pointer");
    CHECK_ERROR(MPI_Mprobe(size, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), MPI_ERR_RANK, "source");
    CHECK_ERROR(MPI_Mprobe(0, -5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), MPI_ERR_TAG, "MPI_Mprobe");
    CHECK_ERROR(MPI_Mprobe(0, 1, MPI_COMM_NULL, &message, MPI_STATUS_IGNORE), MPI_ERR_COMM, "MPI_Mprobe");
    CHECK_OK(MPI_Send(out, 2, MPI_INT, right, 1, MPI_COMM_WORLD));
    CHECK_OK(MPI_Mprobe(left, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    copy = message;
    CHECK_ERROR(MPI_Imrecv(in, -1, MPI_INT, &message, &request), MPI_ERR_COUNT,
                "MPI_Imrecv on MPI_COMM_WORLD");
    CHECK_ERROR(MPI_Imrecv(in, 2, MPI_INT, &message, NULL), MPI_ERR_ARG, "request is a null pointer");
    CHECK_ERROR(MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE,
                "has 8 bytes, the buffer 4");
    CHECK_ERROR(MPI_Mrecv(in, 2, MPI_INT, &copy, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "has been received");
    /* One that is never received. */
    CHECK_OK(MPI_Send(out, 2, MPI_INT, right, 1, MPI_COMM_WORLD));
    CHECK_OK(MPI_Mprobe(left, 1, MPI_COMM_WORLD, &never_received, MPI_STATUS_IGNORE));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    matched();
    large();
    all_to_itself();
    nobody();
    wrong_arguments();
    MPI_Finalize();
    return check_result();
}
