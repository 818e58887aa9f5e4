/* Ranks that wait for each other for ever: the argument says how. hangs_check looks at what is told. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD

static int rank;
static int size;
static int value;
static MPI_Comm rows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void another_tag(void)
{
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 24, rows);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 42, rows, MPI_STATUS_IGNORE);
    MPI_Barrier(rows);
}

/* Each from the next one; two ranks both receive. */
static void cycle(void)
{
    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 3, WORLD, MPI_STATUS_IGNORE);
}

/* Long messages, which go when they are received. */
static void both_send(void)
{
    const int bytes = 64 << 20;
    char* const block = calloc(1, (size_t)bytes);
    MPI_Send(block, bytes, MPI_CHAR, 1 - rank, 3, WORLD);
    MPI_Recv(block, bytes, MPI_CHAR, 1 - rank, 3, WORLD, MPI_STATUS_IGNORE);
    free(block);
}

static void both_probe(void)
{
    MPI_Probe(1 - rank, MPI_ANY_TAG, rows, MPI_STATUS_IGNORE);
}

static void absent_from_collective(void)
{
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 3, WORLD, &request);
    if (rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_SUM, rows);
}

static void barrier_against_receive(void)
{
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 42, WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(WORLD);
}

/* The call with which a communicator begins to share memory. */
static void fourth_against_receive(void)
{
    MPI_Comm fresh;
    int i;
    MPI_Comm_dup(WORLD, &fresh);
    MPI_Comm_set_name(fresh, "fresh");
    for (i = 0; i < 3; ++i)
        MPI_Barrier(fresh);
    if (rank == 0)
        MPI_Barrier(fresh);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 42, WORLD, MPI_STATUS_IGNORE);
}

static void absent_from_fence(void)
{
    MPI_Win table;
    MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, rows, &table);
    MPI_Win_set_name(table, "table");
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 3, WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, table);
}

static void computes(void)
{
    volatile int goes_on = rank == 1;
    while (goes_on) {
    }
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, WORLD);
}

/* What it polls for never comes. */
static void polls(void)
{
    int found = 0;
    while (rank == 1 && !found)
        MPI_Iprobe(0, 6, WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 1, 7, WORLD, MPI_STATUS_IGNORE);
}

static void stops(void)
{
    MPI_Barrier(WORLD);
    if (rank == 1)
        kill(getpid(), SIGSTOP);
    MPI_Barrier(WORLD);
}

/* In one of two orders. */
static void two_communicators(void)
{
    MPI_Barrier(rank == 0 ? WORLD : rows);
    MPI_Barrier(rank == 0 ? rows : WORLD);
}

static void* send_under_lock(void* nothing)
{
    pthread_mutex_lock(&lock);
    MPI_Send(&value, 1, MPI_INT, 1, 8, WORLD);
    return nothing;
}

/* A thread holds the lock while it receives; the one that would send waits for that lock. */
static void users_lock(void)
{
    pthread_t sender;
    if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 8, WORLD, MPI_STATUS_IGNORE);
        return;
    }
    pthread_mutex_lock(&lock);
    pthread_create(&sender, NULL, send_under_lock, NULL);
    MPI_Recv(&value, 1, MPI_INT, 1, 7, WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv)
{
    static const struct {
        const char* name;
        void (*hang)(void);
    } hangs[] = {{"another_tag", another_tag},
                 {"cycle", cycle},
                 {"both_send", both_send},
                 {"both_probe", both_probe},
                 {"absent_from_collective", absent_from_collective},
                 {"barrier_against_receive", barrier_against_receive},
                 {"fourth_against_receive", fourth_against_receive},
                 {"absent_from_fence", absent_from_fence},
                 {"computes", computes},
                 {"polls", polls},
                 {"stops", stops},
                 {"two_communicators", two_communicators},
                 {"users_lock", users_lock}};
    const char* const which = argc > 1 ? argv[1] : "";
    int threads;
    MPI_Init_thread(&argc, &argv, strcmp(which, "users_lock") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &threads);
    MPI_Comm_dup(WORLD, &rows);
    MPI_Comm_set_name(rows, "rows");
    MPI_Comm_rank(rows, &rank);
    MPI_Comm_size(rows, &size);
    for (size_t i = 0; i < sizeof hangs / sizeof *hangs; ++i)
        if (strcmp(which, hangs[i].name) == 0)
            hangs[i].hang();
    MPI_Finalize();
    return 0;
}
