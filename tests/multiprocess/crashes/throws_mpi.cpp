// An MPI program in C++ whose last rank throws what nobody catches.
#include <mpi.h>

#include <stdexcept>

namespace {

[[gnu::noinline]] void complain()
{
    throw std::runtime_error("the grid is empty");
}

}  // namespace

int main(int argc, char** argv)
{
    int rank = 0;
    int size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        complain();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
