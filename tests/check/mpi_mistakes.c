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

/* Frees the buffers now, or keeps them for free_late(): the program is right then. */
static int frees_early;
static void* late[32];
static int late_blocks;

static void* block(int bytes)
{
    return calloc((size_t)bytes, 1);
}

static void drop(void* data)
{
    if (frees_early)
        free(data);
    else
        late[late_blocks++] = data;
}

static void free_late(void)
{
    while (late_blocks > 0)
        free(late[--late_blocks]);
}

static void lent_to_collectives(void)
{
    const int counts[2] = {1, 1};
    const int places[2] = {0, 4};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    const int period = 1;
    int* const broadcast = block(256);
    int* const sent = block(8);
    int* const received = block(8);
    int* const gathered = block(32);
    int* const backwards = block(256);
    int* const reduced = block(16);
    int* const halo = block(8);
    MPI_Comm ring;
    MPI_Datatype column;
    MPI_Request requests[5];
    MPI_Cart_create(WORLD, 1, &size, &period, 0, &ring);
    MPI_Type_vector(4, 1, -2, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Allreduce_init(MPI_IN_PLACE, reduced, 4, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &requests[4]);
    MPI_Ibcast(broadcast + 8, 4, MPI_INT, 0, WORLD, &requests[0]);
    MPI_Ialltoallw(sent, counts, places, types, received, counts, places, types, WORLD, &requests[1]);
    MPI_Igather(backwards + 32, 1, column, gathered, 4, MPI_INT, 0, WORLD, &requests[2]);
    MPI_Ineighbor_allgather(sent, 1, MPI_INT, halo, 1, MPI_INT, ring, &requests[3]);
    MPI_Start(&requests[4]);
    drop(broadcast);
    drop(received);
    drop(gathered); /* which counts at rank 0 alone */
    drop(halo);
    drop(reduced);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    free_late();
    free(sent);
    free(backwards);
    MPI_Request_free(&requests[4]);
    MPI_Type_free(&column);
    MPI_Comm_free(&ring);
}

static void lent_to_files(void)
{
    MPI_File file;
    MPI_Request request;
    char* const written = block(3000);
    char* const read = block(2000);
    char* const split = block(1000);
    MPI_File_open(WORLD, "lent.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_iwrite_at(file, rank * 3000, written, 3000, MPI_BYTE, &request);
    drop(written);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at_all(file, 0, read, 2000, MPI_BYTE, &request);
    drop(read);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, rank * 3000, split, 1000, MPI_BYTE);
    drop(split);
    MPI_File_write_at_all_end(file, split, MPI_STATUS_IGNORE);
    free_late();
    MPI_File_close(&file);
}

static void lent_to_windows(void)
{
    const int to = 1 - rank;
    int* const memory = block(4000);
    int* const put = block(400);
    int* const got = block(440);
    int* const added = block(480);
    int* const fetched = block(520);
    int* const asked = block(560);
    MPI_Request request;
    MPI_Win window;
    MPI_Win_create(memory, 4000, sizeof(int), MPI_INFO_NULL, WORLD, &window);
    MPI_Win_lock_all(0, window);
    MPI_Put(put, 100, MPI_INT, to, 0, 100, MPI_INT, window);
    MPI_Get(got, 110, MPI_INT, to, 200, 110, MPI_INT, window);
    drop(put);
    MPI_Win_flush_local(to, window);
    drop(got);
    MPI_Rget(asked, 140, MPI_INT, to, 400, 140, MPI_INT, window, &request);
    drop(asked);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(added, 120, MPI_INT, to, 600, 120, MPI_INT, MPI_SUM, window);
    MPI_Get_accumulate(NULL, 0, MPI_INT, fetched, 130, MPI_INT, to, 800, 130, MPI_INT, MPI_NO_OP, window);
    drop(added);
    drop(fetched);
    MPI_Win_fence(0, window);
    drop(memory);
    MPI_Win_free(&window);
    free_late();
}

static void lent_to_sends(void)
{
    const int bytes = 600 + MPI_BSEND_OVERHEAD;
    char* attached = block(bytes);
    int none;
    MPI_Buffer_attach(attached, bytes);
    drop(attached);
    MPI_Buffer_detach(&attached, &none);
    free_late();
}

/* Nothing else frees a buffer: each kind of operation that uses one after its call. */
static void lent(int early)
{
    frees_early = early;
    lent_to_collectives();
    lent_to_files();
    lent_to_windows();
    lent_to_sends();
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
    else if (strstr(which, "lent") != NULL)
        lent(strcmp(which, "lent") == 0);
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
