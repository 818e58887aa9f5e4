/* Persistent collectives are matched by the order in which they were made, not by that of their starts. */
#include "check.h"

static int rank, size;

/* All ranks start the same requests, each in an order of its own, round after round, with other collectives
 * between. */
static void in_any_order(MPI_Comm comm)
{
    enum { kRequests = 6, kRounds = 5 };
    MPI_Request requests[kRequests];
    int told[2], sums[2], own[2], greatest = 0, round, i, before = 0, total = 0;
    int all[64] = {0};
    CHECK_OK(MPI_Bcast_init(&told[0], 1, MPI_INT, 0, comm, MPI_INFO_NULL, &requests[0]));
    CHECK_OK(MPI_Bcast_init(&told[1], 1, MPI_INT, size - 1, comm, MPI_INFO_NULL, &requests[1]));
    CHECK_OK(MPI_Allreduce_init(&own[0], &sums[0], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[2]));
    CHECK_OK(MPI_Allreduce_init(&own[1], &sums[1], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[3]));
    CHECK_OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &requests[4]));
    CHECK_OK(MPI_Allgather_init(&own[0], 1, MPI_INT, all, 1, MPI_INT, comm, MPI_INFO_NULL, &requests[5]));
    for (round = 0; round < kRounds; ++round) {
        MPI_Request beside;
        told[0] = rank == 0 ? 10 + round : -1;
        told[1] = rank == size - 1 ? 20 + round : -1;
        own[0] = rank + round;
        own[1] = 100 * rank + round;
        for (i = 0; i < kRequests; ++i) {
            const int step = rank % 2 == 0 ? i : kRequests - 1 - i;
            CHECK_OK(MPI_Start(&requests[(step + rank + round) % kRequests]));
            if (i == 2) { /* those of the communicator itself have their order */
                CHECK_OK(MPI_Iallreduce(&rank, &total, 1, MPI_INT, MPI_SUM, comm, &beside));
                CHECK_OK(MPI_Allreduce(&own[0], &greatest, 1, MPI_INT, MPI_MAX, comm));
            }
        }
        CHECK_OK(MPI_Wait(&beside, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Waitall(kRequests, requests, MPI_STATUSES_IGNORE));
        CHECK_EQUAL(told[0], 10 + round);
        CHECK_EQUAL(told[1], 20 + round);
        before = size * (size - 1) / 2;
        CHECK_EQUAL(sums[0], before + size * round);
        CHECK_EQUAL(sums[1], 100 * before + size * round);
        CHECK_EQUAL(total, before);
        CHECK_EQUAL(greatest, size - 1 + round);
        for (i = 0; i < size; ++i)
            CHECK_EQUAL(all[i], i + round);
    }
    for (i = 0; i < kRequests; ++i)
        CHECK_OK(MPI_Request_free(&requests[i]));
}

/* One runs twice at some ranks before others have come to it. */
static void at_other_speeds(void)
{
    enum { kTimes = 20 };
    MPI_Request quick, slow;
    int value = 0, sum = 0, i;
    CHECK_OK(MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &quick));
    CHECK_OK(MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &slow));
    if (rank % 2 == 1)
        CHECK_OK(MPI_Start(&slow));
    for (i = 0; i < kTimes; ++i) {
        if (rank == 0)
            value = i;
        CHECK_OK(MPI_Start(&quick));
        CHECK_OK(MPI_Wait(&quick, MPI_STATUS_IGNORE));
        CHECK_EQUAL(value, i);
    }
    if (rank % 2 == 0)
        CHECK_OK(MPI_Start(&slow));
    CHECK_OK(MPI_Wait(&slow, MPI_STATUS_IGNORE));
    CHECK_EQUAL(sum, size * (size - 1) / 2);
    CHECK_OK(MPI_Request_free(&quick));
    CHECK_OK(MPI_Request_free(&slow));
}

int main(int argc, char** argv)
{
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    in_any_order(MPI_COMM_WORLD);
    at_other_speeds();
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank() % 2, 0, &half));
    CHECK_OK(MPI_Comm_rank(half, &rank));
    CHECK_OK(MPI_Comm_size(half, &size));
    in_any_order(half);
    CHECK_OK(MPI_Comm_free(&half));
    MPI_Finalize();
    return check_result();
}
