/* A mistake that no error tells: the argument says which. check_check looks at what is found with --check. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD

static int rank;
static int size;

/* From rank 0 to rank 1, which has got a message before it looks. */
static void other_type(void)
{
    double numbers[10] = {0};
    int whole[20];
    if (rank == 0) {
        for (int i = 0; i < 3; ++i)
            MPI_Send(numbers, 10, MPI_DOUBLE, 1, 7, WORLD);
    } else if (rank == 1) {
        for (int i = 0; i < 3; ++i)
            MPI_Recv(whole, 20, MPI_INT, 0, 7, WORLD, MPI_STATUS_IGNORE);
    }
}

static void other_struct(void)
{
    struct Pair {
        double value;
        long place;
    } pairs[4] = {{0}};
    const int lengths[2] = {1, 1};
    const MPI_Aint offsets[2] = {0, 8};
    const MPI_Datatype sent_types[2] = {MPI_DOUBLE, MPI_LONG};
    const MPI_Datatype received_types[2] = {MPI_LONG, MPI_DOUBLE};
    MPI_Datatype type;
    MPI_Type_create_struct(2, lengths, offsets, rank == 0 ? sent_types : received_types, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(pairs, 4, type, 1, 8, WORLD);
    else if (rank == 1)
        MPI_Recv(pairs, 4, type, 0, 8, WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
}

/* Of `bytes` bytes: at once, and by rendezvous. */
static void changed_send(int bytes)
{
    char* buffer = calloc((size_t)bytes, 1);
    if (rank == 0) {
        MPI_Request request;
        MPI_Isend(buffer, bytes, MPI_CHAR, 1, 9, WORLD, &request);
        buffer[bytes / 2] = 1;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(buffer, bytes, MPI_CHAR, 0, 9, WORLD, MPI_STATUS_IGNORE);
    }
    free(buffer);
}

/* As a Fortran compiler does with the copy of an array section. Of `bytes` bytes, at `place` of a block. */
static void freed_buffer(int bytes, int place, int resizes)
{
    char* block = calloc((size_t)(bytes + place), 1);
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Isend(block + place, bytes, MPI_CHAR, 1, 15, WORLD, &requests[0]);
        MPI_Isend(block + place, bytes, MPI_CHAR, 1, 15, WORLD, &requests[1]);
    } else if (rank == 1) {
        MPI_Irecv(block + place, bytes, MPI_CHAR, 0, 15, WORLD, &requests[0]);
        MPI_Irecv(&block[place], 0, MPI_CHAR, 0, 16, WORLD, &requests[1]);
    }
    if (resizes)
        block = realloc(block, (size_t)(64 * (bytes + place)));
    else
        free(block);
    if (rank == 1) {
        int value[64];
        MPI_Recv(value, 0, MPI_CHAR, 0, 17, WORLD, MPI_STATUS_IGNORE);
        block = malloc((size_t)bytes);
        MPI_Recv(block, bytes, MPI_CHAR, 0, 15, WORLD, MPI_STATUS_IGNORE);
        free(block);
    } else {
        MPI_Send(NULL, 0, MPI_CHAR, 1, 16, WORLD);
        MPI_Send(NULL, 0, MPI_CHAR, 1, 17, WORLD);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void freed_before_start(void)
{
    char* buffer = calloc(50, 1);
    char* unused = calloc(60, 1);
    MPI_Request request, never_started;
    MPI_Send_init(buffer, 50, MPI_CHAR, 0, 18, MPI_COMM_SELF, &request);
    MPI_Send_init(unused, 60, MPI_CHAR, 0, 18, MPI_COMM_SELF, &never_started);
    free(unused);
    free(buffer);
    buffer = calloc(50, 1);
    MPI_Start(&request);
    MPI_Recv(buffer, 50, MPI_CHAR, 0, 18, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Request_free(&never_started);
    free(buffer);
}

static void touched_receive(int after)
{
    int value = 0;
    if (rank == 0) {
        if (!after)
            MPI_Barrier(WORLD);
        MPI_Send(&value, 1, MPI_INT, 1, 10, WORLD);
        if (after)
            MPI_Barrier(WORLD);
    } else if (rank == 1) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 0, 10, WORLD, &request);
        if (!after)
            value = 77;
        MPI_Barrier(WORLD);
        if (after) {
            int done = 0;
            while (!done)
                MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
            value = 77;
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(WORLD);
    }
}

static void forgotten_request(void)
{
    static int value;
    MPI_Request request;
    if (rank == 0)
        MPI_Isend(&value, 1, MPI_INT, 1, 11, WORLD, &request);
    else if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 11, WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Irecv(&value, 1, MPI_INT, 0, 12, WORLD, &request);
}

static void forgotten_message(void)
{
    int values[3] = {0};
    if (rank == 0)
        MPI_Send(values, 3, MPI_INT, 1, 24, WORLD);
}

/* As OpenCoarrays, whose initialization is known by its name. */
#ifdef HAS_COARRAYS
void _gfortran_caf_init(void);
void _gfortran_caf_init(void) {}
#endif
static void state_of_image(void)
{
    int stopped = 1;
    if (rank == 0)
        MPI_Send(&stopped, 1, MPI_INT, 1, 424242, WORLD);
}

static void leaked_handles(void)
{
    MPI_Comm copy;
    MPI_Datatype row;
    MPI_Group group;
    MPI_Request request;
    static int value;
    MPI_Comm_dup(WORLD, &copy);
    MPI_Comm_set_name(copy, "rows");
    MPI_Type_contiguous(3, MPI_INT, &row);
    MPI_Comm_group(WORLD, &group);
    MPI_Send_init(&value, 1, MPI_INT, 0, 0, WORLD, &request);
}

static void race(void)
{
    int value = 0;
    if (rank == 0) {
        MPI_Barrier(WORLD);
        for (int i = 1; i < size; ++i)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 13, WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 13, WORLD);
        MPI_Barrier(WORLD);
    }
}

static void* three_calls(void* unused)
{
    int value = rank;
    MPI_Barrier(WORLD);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 14, WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 14, WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, WORLD);
    return unused;
}

/* Calls of a thread that did not initialize MPI; the main thread makes none meanwhile. */
static void other_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, three_calls, NULL);
    pthread_join(thread, NULL);
}

int main(int argc, char** argv)
{
    const char* const which = argc > 1 ? argv[1] : "";
    int level;
    MPI_Init_thread(&argc, &argv,
                    strcmp(which, "serial_thread") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED,
                    &level);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    if (strcmp(which, "type") == 0)
        other_type();
    else if (strcmp(which, "struct") == 0)
        other_struct();
    else if (strcmp(which, "send") == 0)
        changed_send(8);
    else if (strcmp(which, "long_send") == 0)
        changed_send(1 << 20);
    else if (strcmp(which, "freed") == 0)
        freed_buffer(8, 3, 0);
    else if (strcmp(which, "long_freed") == 0)
        freed_buffer(1 << 20, 0, 0);
    else if (strcmp(which, "resized") == 0)
        freed_buffer(2000, 8, 1);
    else if (strcmp(which, "freed_before_start") == 0)
        freed_before_start();
    else if (strcmp(which, "receive") == 0)
        touched_receive(0);
    else if (strcmp(which, "received") == 0)
        touched_receive(1);
    else if (strcmp(which, "request") == 0)
        forgotten_request();
    else if (strcmp(which, "message") == 0)
        forgotten_message();
    else if (strcmp(which, "image") == 0)
        state_of_image();
    else if (strcmp(which, "handles") == 0)
        leaked_handles();
    else if (strcmp(which, "race") == 0)
        race();
    else if (strstr(which, "thread") != NULL)
        other_thread();
    MPI_Finalize();
    return 0;
}
