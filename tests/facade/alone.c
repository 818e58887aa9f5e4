/* A program that runs well alone, too. */
#include <mpi.h>

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
