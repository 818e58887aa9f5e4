/* Persistent requests. */
#include "check.h"

static int rank, size, right, left;

static void messages(void)
{
    int in = -1, out = 0, round, flag = 0;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    CHECK_OK(MPI_Recv_init(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Ssend_init(&out, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]));
    /* Not active yet: a wait does nothing. */
    CHECK_OK(MPI_Wait(&requests[0], &statuses[0]));
    CHECK_EQUAL(statuses[0].MPI_SOURCE, MPI_ANY_SOURCE);
    for (round = 0; round < 5; ++round) {
        const MPI_Request before = requests[0];
        out = 100 * rank + round;
        CHECK_OK(MPI_Startall(2, requests));
        CHECK_OK(MPI_Waitall(2, requests, statuses));
        CHECK(requests[0] == before);
        CHECK_EQUAL(in, 100 * left + round);
        CHECK_EQUAL(statuses[0].MPI_SOURCE, left);
    }
    CHECK_OK(MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE));
    CHECK_EQUAL(flag, 1);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Start(&requests[0]));
    CHECK_ERROR(MPI_Start(&requests[0]), MPI_ERR_REQUEST, "still under way");
    CHECK_OK(MPI_Start(&requests[1]));
    CHECK_OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_Request_free(&requests[1]));
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

static void nobody(void)
{
    int value = 4;
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_OK(MPI_Request_free(&request));
}

static void wrong_arguments(void)
{
    int in = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_ERROR(MPI_Start(&request), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, left, 9, MPI_COMM_WORLD, &request));
    CHECK_ERROR(MPI_Start(&request), MPI_ERR_REQUEST, "not persistent");
    CHECK_OK(MPI_Send(&in, 1, MPI_INT, right, 9, MPI_COMM_WORLD));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPI_Send_init(&in, 1, MPI_INT, size, 9, MPI_COMM_WORLD, &request), MPI_ERR_RANK, "MPI_Send_init");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    messages();
    nobody();
    wrong_arguments();
    MPI_Finalize();
    return check_result();
}
