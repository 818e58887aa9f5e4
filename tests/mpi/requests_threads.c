/* Several threads wait at once: each for its own requests, in every way; for requests that another thread
   completes; and for collectives. */
#include <pthread.h>
#include "check.h"

enum { kThreads = 4, kRounds = 60, kEach = 6 };

static int rank, size, right, left;

/* Messages of a round have tags of their own. */
static int tag_of(int thread, int round, int i)
{
    return (thread * kRounds + round) * kEach + i;
}

static void collect(int way, MPI_Request* requests)
{
    int left_over = kEach, index, flag, count, indices[kEach];
    while (left_over > 0) {
        count = 0;
        switch (way) {
            case 0:
                CHECK_OK(MPI_Waitall(kEach, requests, MPI_STATUSES_IGNORE));
                return;
            case 1:
                CHECK_OK(MPI_Waitany(kEach, requests, &index, MPI_STATUS_IGNORE));
                count = 1;
                break;
            case 2:
                CHECK_OK(MPI_Waitsome(kEach, requests, &count, indices, MPI_STATUSES_IGNORE));
                break;
            case 3:
                CHECK_OK(MPI_Testsome(kEach, requests, &count, indices, MPI_STATUSES_IGNORE));
                break;
            case 4:
                CHECK_OK(MPI_Testany(kEach, requests, &index, &count, MPI_STATUS_IGNORE));
                break;
            default:
                CHECK_OK(MPI_Testall(kEach, requests, &flag, MPI_STATUSES_IGNORE));
                count = flag ? kEach : 0;
        }
        left_over -= count;
    }
}

static void* exchange(void* number)
{
    const int thread = (int)(size_t)number;
    MPI_Request requests[kEach];
    int in[kEach], out[kEach], round, i;
    for (round = 0; round < kRounds; ++round) {
        for (i = 0; i < kEach; ++i)
            CHECK_OK(
                MPI_Irecv(&in[i], 1, MPI_INT, left, tag_of(thread, round, i), MPI_COMM_WORLD, &requests[i]));
        for (i = 0; i < kEach; ++i) {
            out[i] = 1000 * rank + tag_of(thread, round, i) % 1000;
            CHECK_OK(MPI_Send(&out[i], 1, MPI_INT, right, tag_of(thread, round, i), MPI_COMM_WORLD));
        }
        collect((thread + round) % 6, requests);
        for (i = 0; i < kEach; ++i)
            CHECK_EQUAL(in[i], 1000 * left + tag_of(thread, round, i) % 1000);
    }
    return NULL;
}

static void several_waits(void)
{
    pthread_t threads[kThreads];
    size_t i;
    for (i = 0; i < kThreads; ++i)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, exchange, (void*)i), 0);
    for (i = 0; i < kThreads; ++i)
        pthread_join(threads[i], NULL);
}

/* Blocking collectives of several threads at once, each on a communicator of its own, in its own order of
 * calls. */
static MPI_Comm comms[kThreads];

static void* collectives(void* number)
{
    const int thread = (int)(size_t)number;
    const MPI_Comm comm = comms[thread];
    int round, mine, sum, root_has;
    for (round = 0; round < 300; ++round) {
        mine = 10 * rank + thread + round;
        sum = -1;
        CHECK_OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
        CHECK_EQUAL(sum, 5 * size * (size - 1) + size * (thread + round));
        root_has = rank == round % size ? round : -1;
        CHECK_OK(MPI_Bcast(&root_has, 1, MPI_INT, round % size, comm));
        CHECK_EQUAL(root_has, round);
        if (round % (thread + 2) == 0)
            CHECK_OK(MPI_Barrier(comm));
    }
    return NULL;
}

static void several_collectives(void)
{
    pthread_t threads[kThreads];
    size_t i;
    for (i = 0; i < kThreads; ++i)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (i = 0; i < kThreads; ++i)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, collectives, (void*)i), 0);
    for (i = 0; i < kThreads; ++i)
        pthread_join(threads[i], NULL);
    for (i = 0; i < kThreads; ++i)
        MPI_Comm_free(&comms[i]);
}

static int query(void* extra, MPI_Status* status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int*)extra);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int ended(void* extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancelled(void* extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

static void* complete(void* request)
{
    int value = 0;
    /* The main thread is in its wait, or comes there later. */
    CHECK_OK(MPI_Sendrecv(&rank, 1, MPI_INT, right, 1, &value, 1, MPI_INT, left, 1, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Grequest_complete(*(MPI_Request*)request));
    return NULL;
}

static void completed_elsewhere(void)
{
    int extra = 3, in = 0, index = -1, count = -1, round;
    MPI_Request requests[2], copy;
    MPI_Status status;
    pthread_t thread;
    for (round = 0; round < 20; ++round) {
        CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[0]));
        CHECK_OK(MPI_Grequest_start(query, ended, cancelled, &extra, &requests[1]));
        copy = requests[1];
        CHECK_EQUAL(pthread_create(&thread, NULL, complete, &copy), 0);
        if (round % 2 == 0) {
            CHECK_OK(MPI_Waitany(2, requests, &index, &status));
            CHECK_EQUAL(index, 1);
        } else {
            CHECK_OK(MPI_Wait(&requests[1], &status));
        }
        CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_EQUAL(count, 3);
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* no rank's message comes before all have waited */
        CHECK_OK(MPI_Send(&rank, 1, MPI_INT, right, 2, MPI_COMM_WORLD));
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_EQUAL(in, left);
        pthread_join(thread, NULL);
    }
}

int main(int argc, char** argv)
{
    int provided = -1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    several_waits();
    several_collectives();
    completed_elsewhere();
    MPI_Finalize();
    return check_result();
}
