/* Rank 0 alone begins an operation, and all finalize: unfinished OPERATION. That is a mistake, and no reason to crash. */
#include "check.h"

enum { kCount = 1000 };

int main(int argc, char** argv)
{
    static int out[5 * kCount], in[5 * kCount];
    const char* what = argc > 1 ? argv[1] : "";
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    check_errors_return();
    /* All are connected. */
    CHECK_OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
    for (int peer = 0; peer < check_size(); ++peer)
        CHECK_OK(MPI_Sendrecv(out, 1, MPI_INT, peer, 0, in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
    if (check_rank() == 0) {
        if (strcmp(what, "barrier") == 0)
            CHECK_OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
        else if (strcmp(what, "bcast") == 0)
            CHECK_OK(MPI_Ibcast(in, kCount, MPI_INT, 1, MPI_COMM_WORLD, &request));
        else if (strcmp(what, "allreduce") == 0)
            CHECK_OK(MPI_Iallreduce(out, in, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
        else if (strcmp(what, "gather") == 0)
            CHECK_OK(MPI_Igather(out, kCount, MPI_INT, in, kCount, MPI_INT, 0, MPI_COMM_WORLD, &request));
        else if (strcmp(what, "alltoall") == 0)
            CHECK_OK(MPI_Ialltoall(out, kCount, MPI_INT, in, kCount, MPI_INT, MPI_COMM_WORLD, &request));
        else
            CHECK_OK(MPI_Irecv(in, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request));
        CHECK(request != MPI_REQUEST_NULL);
    }
    MPI_Finalize();
    return check_result();
}
