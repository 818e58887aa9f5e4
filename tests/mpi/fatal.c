/* Ends by an error that the program does not take: the argument says which. fatal_check looks at what is
 * told. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv)
{
    int value = 0;
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    if (which == 0)
        MPI_Comm_rank(MPI_COMM_WORLD, &value);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &value);
    if (which == 1 && value == 1)
        MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    if (which == 2 && value == 1)
        MPI_Abort(MPI_COMM_WORLD, 42);
    if (which == 7 && value == 0)
        MPI_Abort(MPI_COMM_WORLD, 0);
    if (which == 8 && value == 1)
        MPI_Abort(MPI_COMM_WORLD, 256);
    if (which == 9) { /* as the last call, by other roots: rank 1 comes late */
        usleep(value == 1 ? 300000 : 0);
        MPI_Bcast(&value, 1, MPI_INT, value, MPI_COMM_WORLD);
        MPI_Finalize();
        return 0;
    }
    if (which == 10) { /* rank 0 makes no such call, and has left while its process goes on */
        usleep(value == 1 ? 300000 : 0);
        if (value == 1)
            MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Finalize();
        usleep(1000000);
        return 0;
    }
    if (which == 4) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
        MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    }
    if (which == 5) {
        MPI_Add_error_class(&value);
        MPI_Add_error_string(value, "the solver diverges");
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, value);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (which == 6 && value == 1)
        return 0;
    MPI_Finalize();
    if (which == 3)
        MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
