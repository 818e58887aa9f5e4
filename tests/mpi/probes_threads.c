/* Several threads take messages of one tag by matched probes: each message comes once, and whole. */
#include <pthread.h>
#include <stdlib.h>
#include "check.h"

enum { kThreads = 4, kRounds = 40, kMost = 40000 };

static const int kCounts[] = {1, 200, 5000, kMost};

static int rank, right, left;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int times[kThreads * kRounds];

static MPI_Message matched(int way, int* count)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int flag = 0;
    if (way % 2 == 0)
        CHECK_OK(MPI_Mprobe(left, 3, MPI_COMM_WORLD, &message, &status));
    while (way % 2 != 0 && !flag) {
        CHECK(message == MPI_MESSAGE_NULL);
        CHECK_OK(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
    }
    CHECK(message != MPI_MESSAGE_NULL);
    CHECK_EQUAL(status.MPI_SOURCE, left);
    CHECK_EQUAL(status.MPI_TAG, 3);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, count));
    return message;
}

static void take(int way, int* in)
{
    MPI_Status status;
    int count = -1, got = -1, wrong = 0, i;
    MPI_Message message = matched(way, &count);
    CHECK(count >= 1 && count <= kMost);
    in[0] = -1;
    if (way % 3 == 0) {
        MPI_Request request;
        CHECK_OK(MPI_Imrecv(in, count, MPI_INT, &message, &request));
        CHECK_OK(MPI_Wait(&request, &status));
    } else {
        CHECK_OK(MPI_Mrecv(in, count, MPI_INT, &message, &status));
    }
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
    CHECK_EQUAL(got, count);
    for (i = 1; i < count; ++i)
        wrong += in[i] != in[0];
    CHECK_EQUAL(wrong, 0);
    CHECK(in[0] >= 0 && in[0] < kThreads * kRounds);
    CHECK_EQUAL(count, kCounts[(in[0] / kRounds + in[0]) % 4]);
    pthread_mutex_lock(&mutex);
    ++times[in[0]];
    pthread_mutex_unlock(&mutex);
}

static void* exchange(void* number)
{
    const int thread = (int)(size_t)number;
    int* const out = malloc(kMost * sizeof(int));
    int* const in = malloc(kMost * sizeof(int));
    int round, i;
    for (round = 0; round < kRounds; ++round) {
        const int mark = thread * kRounds + round;
        const int count = kCounts[(thread + mark) % 4];
        MPI_Request request;
        for (i = 0; i < count; ++i)
            out[i] = mark;
        CHECK_OK(MPI_Isend(out, count, MPI_INT, right, 3, MPI_COMM_WORLD, &request));
        take(thread + round, in);
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    free(in);
    free(out);
    return NULL;
}

int main(int argc, char** argv)
{
    pthread_t threads[kThreads];
    int level, size, i;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    CHECK_EQUAL(level, MPI_THREAD_MULTIPLE);
    check_errors_return();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    for (i = 0; i < kThreads; ++i)
        pthread_create(&threads[i], NULL, exchange, (void*)(size_t)i);
    for (i = 0; i < kThreads; ++i)
        pthread_join(threads[i], NULL);
    for (i = 0; i < kThreads * kRounds; ++i)
        CHECK_EQUAL(times[i], 1);
    MPI_Finalize();
    return check_result();
}
