/* Ranks that poll on one core: a poll that finds nothing gives the core to others. So what it polls for comes after a
   few polls, and not when the scheduler ends the rank's turn, after some thirty thousand. */
#define _GNU_SOURCE
#include <sched.h>
#include <time.h>
#include "check.h"

enum { kRounds = 30, kMostPolls = 5000, kRequests = 3 };

static int rank, size, right, left;
static long long polls;

static MPI_Request receive(int* into)
{
    MPI_Request request;
    CHECK_OK(MPI_Irecv(into, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request));
    return request;
}

static void by_test(int* into)
{
    MPI_Request request = receive(into);
    for (int done = 0; !done; ++polls)
        CHECK_OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
}

static void by_request_get_status(int* into)
{
    MPI_Request request = receive(into);
    for (int done = 0; !done; ++polls)
        CHECK_OK(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void by_testall(int* into)
{
    MPI_Request requests[kRequests] = {MPI_REQUEST_NULL, receive(into), MPI_REQUEST_NULL};
    for (int done = 0; !done; ++polls)
        CHECK_OK(MPI_Testall(kRequests, requests, &done, MPI_STATUSES_IGNORE));
}

static void by_testany(int* into)
{
    MPI_Request requests[kRequests] = {MPI_REQUEST_NULL, receive(into), MPI_REQUEST_NULL};
    int which = MPI_UNDEFINED;
    for (int done = 0; !done; ++polls)
        CHECK_OK(MPI_Testany(kRequests, requests, &which, &done, MPI_STATUS_IGNORE));
    CHECK_EQUAL(which, 1);
}

static void by_testsome(int* into)
{
    MPI_Request requests[kRequests] = {MPI_REQUEST_NULL, receive(into), MPI_REQUEST_NULL};
    int which[kRequests];
    for (int done = 0; !done; ++polls)
        CHECK_OK(MPI_Testsome(kRequests, requests, &done, which, MPI_STATUSES_IGNORE));
    CHECK_EQUAL(which[0], 1);
}

static void by_iprobe(int* into)
{
    for (int found = 0; !found; ++polls)
        CHECK_OK(MPI_Iprobe(left, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Recv(into, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void by_iprobe_from_any(int* into)
{
    for (int found = 0; !found; ++polls)
        CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Recv(into, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void by_improbe(int* into)
{
    MPI_Message message;
    for (int found = 0; !found; ++polls)
        CHECK_OK(MPI_Improbe(left, 0, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Mrecv(into, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
}

static void look_at_polls(const char* how, long long events)
{
    if (polls > events * kMostPolls) {
        ++check_failures;
        fprintf(stderr, "rank %d polled %lld times by %s for %lld events\n", rank, polls, how, events);
    }
    polls = 0;
}

/* A token goes round: while it is away, all others poll for it. */
static void ring(const char* how, void (*take)(int*))
{
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int round = 0; round < kRounds; ++round) {
        int token = round;
        if (rank == 0)
            CHECK_OK(MPI_Send(&token, 1, MPI_INT, right, 0, MPI_COMM_WORLD));
        token = -1;
        take(&token);
        CHECK_EQUAL(token, round);
        if (rank != 0)
            CHECK_OK(MPI_Send(&token, 1, MPI_INT, right, 0, MPI_COMM_WORLD));
    }
    look_at_polls(how, (long long)kRounds * size);
}

static void barriers(void)
{
    for (int round = 0; round < kRounds; ++round) {
        MPI_Request request;
        CHECK_OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
        for (int done = 0; !done; ++polls)
            CHECK_OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    }
    look_at_polls("MPI_Test of a barrier", (long long)kRounds * size);
}

/* Each exposes its memory to the rank on its left. */
static void windows(void)
{
    MPI_Group all, before, behind;
    MPI_Win window;
    int* memory;
    CHECK_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    CHECK_OK(MPI_Group_incl(all, 1, &left, &before));
    CHECK_OK(MPI_Group_incl(all, 1, &right, &behind));
    for (int round = 0; round < kRounds; ++round) {
        CHECK_OK(MPI_Win_post(before, 0, window));
        CHECK_OK(MPI_Win_start(behind, 0, window));
        CHECK_OK(MPI_Put(&round, 1, MPI_INT, right, 0, 1, MPI_INT, window));
        CHECK_OK(MPI_Win_complete(window));
        for (int done = 0; !done; ++polls)
            CHECK_OK(MPI_Win_test(window, &done));
        CHECK_EQUAL(*memory, round);
    }
    look_at_polls("MPI_Win_test", (long long)kRounds * size);
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Group_free(&before));
    CHECK_OK(MPI_Group_free(&behind));
    CHECK_OK(MPI_Win_free(&window));
}

/* Rank 1 is in the barrier already when its end and a message sent behind it come, both between two polls.
   The end is known first. */
static void barrier_before_message(void)
{
    const struct timespec both_come = {0, 50 * 1000 * 1000};
    MPI_Comm pair;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair));
    if (pair == MPI_COMM_NULL)
        return;
    int message = 0;
    for (int round = 0; round < 5; ++round) {
        MPI_Request barrier;
        if (rank == 0) {
            CHECK_OK(MPI_Recv(&message, 1, MPI_INT, 1, 1, pair, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Ibarrier(pair, &barrier));
            CHECK_OK(MPI_Wait(&barrier, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Send(&round, 1, MPI_INT, 1, 0, pair));
            continue;
        }
        CHECK_OK(MPI_Ibarrier(pair, &barrier));
        CHECK_OK(MPI_Send(&round, 1, MPI_INT, 0, 1, pair));
        nanosleep(&both_come, NULL);
        int ended = 0;
        for (int found = 0; !found;) {
            CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, 0, pair, &found, MPI_STATUS_IGNORE));
            CHECK(!found || ended);
            if (!ended)
                CHECK_OK(MPI_Test(&barrier, &ended, MPI_STATUS_IGNORE));
        }
        CHECK_OK(MPI_Wait(&barrier, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Recv(&message, 1, MPI_INT, 0, 0, pair, MPI_STATUS_IGNORE));
        CHECK_EQUAL(message, round);
    }
    CHECK_OK(MPI_Comm_free(&pair));
}

/* All ranks on the first processor that this one may use. */
static void share_one_core(void)
{
    cpu_set_t allowed, one;
    CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
        if (CPU_ISSET(cpu, &allowed))
            CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

int main(int argc, char** argv)
{
    share_one_core();
    int given = MPI_THREAD_SINGLE;
    CHECK_OK(MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &given));
    check_errors_return();
    rank = check_rank();
    size = check_size();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    ring("MPI_Test", by_test);
    ring("MPI_Request_get_status", by_request_get_status);
    ring("MPI_Testall", by_testall);
    ring("MPI_Testany", by_testany);
    ring("MPI_Testsome", by_testsome);
    ring("MPI_Iprobe", by_iprobe);
    ring("MPI_Iprobe from any", by_iprobe_from_any);
    ring("MPI_Improbe", by_improbe);
    barriers();
    windows();
    if (argc == 1) /* a progress thread sees the end alone */
        barrier_before_message();
    MPI_Finalize();
    return check_result();
}
