/* A program's operator runs on threads that are inside MPI calls. Below MPI_THREAD_MULTIPLE that is the program's own
   thread, also where a thread of the library's makes progress: TUTTI_PROGRESS=thread. */
#include "check.h"
#include <pthread.h>
#include <unistd.h>

enum { kElements = 1000, kRounds = 20 };

static pthread_t program;
static int is_in_call, calls, calls_elsewhere, calls_between;

static void add(void* in, void* inout, int* length, MPI_Datatype* type)
{
    int i;
    (void)type;
    ++calls;
    if (!pthread_equal(pthread_self(), program))
        ++calls_elsewhere;
    if (!is_in_call)
        ++calls_between;
    for (i = 0; i < *length; ++i)
        ((int*)inout)[i] += ((int*)in)[i];
}

/* What the others send arrives while the program computes. */
static void compute(void)
{
    is_in_call = 0;
    usleep(2000);
    is_in_call = 1;
}

int main(int argc, char** argv)
{
    static int in[kElements], out[kElements];
    int rank, size, round, done = 0, i;
    MPI_Request request, again, built_in;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    check_errors_return();
    program = pthread_self();
    is_in_call = 1;
    rank = check_rank();
    size = check_size();
    CHECK_OK(MPI_Op_create(add, 0, &op));
    CHECK_OK(MPI_Allreduce_init(in, out, kElements, MPI_INT, op, MPI_COMM_WORLD, MPI_INFO_NULL, &again));
    for (round = 0; round < kRounds; ++round) {
        int one = 1, ones = 0;
        for (i = 0; i < kElements; ++i)
            in[i] = rank + i + round;
        CHECK_OK(MPI_Iallreduce(&one, &ones, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &built_in));
        if (round % 2 == 0) {
            CHECK_OK(MPI_Iallreduce(in, out, kElements, MPI_INT, op, MPI_COMM_WORLD, &request));
        } else {
            request = again;
            CHECK_OK(MPI_Start(&request));
        }
        compute();
        for (done = 0; !done && round % 3 == 0;) {
            CHECK_OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
            compute();
        }
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Wait(&built_in, MPI_STATUS_IGNORE));
        CHECK_EQUAL(ones, size);
        for (i = 0; i < kElements; ++i)
            CHECK_EQUAL(out[i], size * (i + round) + size * (size - 1) / 2);
    }
    CHECK_EQUAL(calls_elsewhere, 0);
    CHECK_EQUAL(calls_between, 0);
    CHECK(size == 1 || calls > 0 || rank > 0);
    CHECK_OK(MPI_Request_free(&again));
    CHECK_OK(MPI_Op_free(&op));
    MPI_Finalize();
    return check_result();
}
