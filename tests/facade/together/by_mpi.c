/* A module that uses MPI, compiled with each library's header. Its functions return how many checks failed.
 */
#include <mpi.h>
#include <stdio.h>

static int failures;

#define EXPECT(condition)                                                   \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                     \
        }                                                                   \
    } while (0)

static int copied, deleted;

static int copy(MPI_Comm comm, int key, void* state, void* value, void* to, int* flag)
{
    int size = 0;
    EXPECT(MPI_Comm_size(comm, &size) == MPI_SUCCESS && size > 0);
    *(void**)to = value;
    *flag = 1;
    ++copied;
    return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int key, void* value, void* state)
{
    ++deleted;
    return MPI_SUCCESS;
}

/* The greatest, and a count of the elements it has seen of the type that it knows. */
static void greatest(void* in, void* inout, int* length, MPI_Datatype* type)
{
    int i;
    EXPECT(*type == MPI_INT);
    for (i = 0; i < *length; ++i)
        if (((int*)in)[i] > ((int*)inout)[i])
            ((int*)inout)[i] = ((int*)in)[i];
}

int begin(void)
{
    int provided = -1, flag = -1;
    EXPECT(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 0);
    EXPECT(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    EXPECT(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 1);
    return failures;
}

int exchange(int round)
{
    int rank = -1, size = 0, got = -1, sum = 0, key = MPI_KEYVAL_INVALID;
    MPI_Status status;
    MPI_Comm half;
    MPI_Request request;
    MPI_Op op;
    const int before = failures;
    EXPECT(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS);
    EXPECT(MPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    const int sent = 100 * round + rank;

    EXPECT(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    EXPECT(MPI_Send(&sent, 1, MPI_INT, right, round, MPI_COMM_WORLD) == MPI_SUCCESS);
    EXPECT(MPI_Wait(&request, &status) == MPI_SUCCESS);
    EXPECT(got == 100 * round + left && status.MPI_SOURCE == left && status.MPI_TAG == round);

    EXPECT(MPI_Op_create(greatest, 1, &op) == MPI_SUCCESS);
    EXPECT(MPI_Allreduce(&sent, &got, 1, MPI_INT, op, MPI_COMM_WORLD) == MPI_SUCCESS);
    EXPECT(got == 100 * round + size - 1);
    EXPECT(MPI_Op_free(&op) == MPI_SUCCESS);

    copied = deleted = 0;
    EXPECT(MPI_Comm_create_keyval(copy, delete, &key, NULL) == MPI_SUCCESS);
    EXPECT(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half) == MPI_SUCCESS);
    EXPECT(MPI_Comm_set_attr(half, key, &key) == MPI_SUCCESS);
    {
        MPI_Comm twin;
        EXPECT(MPI_Comm_dup(half, &twin) == MPI_SUCCESS);
        EXPECT(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, twin) == MPI_SUCCESS);
        EXPECT(MPI_Comm_free(&twin) == MPI_SUCCESS);
    }
    for (got = 0, key = rank % 2; key < size; key += 2)
        got += key;
    EXPECT(sum == got);
    EXPECT(MPI_Comm_free(&half) == MPI_SUCCESS);
    EXPECT(copied == 1 && deleted == 2);

    /* An error of this library goes to its own handler, as its own class. */
    EXPECT(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    got = MPI_Send(&sent, 1, MPI_INT, 7, 0, MPI_COMM_SELF);
    EXPECT(MPI_Error_class(got, &sum) == MPI_SUCCESS && sum == MPI_ERR_RANK);
    return failures - before;
}

int end(void)
{
    const int before = failures;
    int flag = -1;
    EXPECT(MPI_Finalize() == MPI_SUCCESS);
    EXPECT(MPI_Finalized(&flag) == MPI_SUCCESS && flag == 1);
    return failures - before;
}
