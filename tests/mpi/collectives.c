/* Barrier, broadcast and allreduce. */
#include "check.h"

enum { kElements = 1000 };

static int rank, size;

static void broadcasts(void)
{
    int data[kElements];
    int root, i;
    for (root = 0; root < size; ++root) {
        for (i = 0; i < kElements; ++i)
            data[i] = rank == root ? 7 * root + i : -1;
        /* Equal bytes by different counts and types. */
        if (rank == root)
            CHECK_OK(MPI_Bcast(data, kElements, MPI_INT, root, MPI_COMM_WORLD));
        else
            CHECK_OK(MPI_Bcast_c(data, 4 * kElements, MPI_BYTE, root, MPI_COMM_WORLD));
        for (i = 0; i < kElements && data[i] == 7 * root + i; ++i)
            continue;
        CHECK_EQUAL(i, kElements);
    }
}

static void reductions(void)
{
    double in[3] = {1.0, 2.0, 3.0}, out[3] = {0, 0, 0};
    int product = 2, highest = rank, all = 1 << rank;
    struct {
        double value;
        int index;
    } place = {10.0 - rank, rank};
    CHECK_OK(MPI_Allreduce(in, out, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK(out[0] == size && out[1] == 2.0 * size && out[2] == 3.0 * size && in[2] == 3.0);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, &product, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD));
    CHECK_EQUAL(product, 1 << size);
    CHECK_OK(MPI_Allreduce_c(MPI_IN_PLACE, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    CHECK_EQUAL(highest, size - 1);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UNSIGNED, MPI_BOR, MPI_COMM_WORLD));
    CHECK_EQUAL(all, (1 << size) - 1);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, &place, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD));
    CHECK(place.index == size - 1 && place.value == 11.0 - size);
}

static void wrong_arguments(void)
{
    int value = 0;
    double number = 0;
    CHECK_ERROR(MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD), MPI_ERR_ROOT, "the root is");
    CHECK_ERROR(MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT, "MPI_Bcast on MPI_COMM_WORLD: ");
    CHECK_ERROR(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP, "MPI_DOUBLE");
    CHECK_ERROR(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP, "operator");
    CHECK_ERROR(MPI_Allreduce(MPI_IN_PLACE, &number, -2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT, "-2");
}

int main(int argc, char** argv)
{
    int i;
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    for (i = 0; i < 20; ++i)
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    broadcasts();
    for (i = 0; i < 6; ++i)
        reductions();
    wrong_arguments();
    MPI_Finalize();
    return check_result();
}
