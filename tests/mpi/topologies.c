/* Grids, and what all topologies share. */
#include "check.h"

static int rank, size;

static void dims_create(void)
{
    int two[2] = {0, 0}, three[3] = {0, 0, 0}, fixed[3] = {0, 3, 0}, full[2] = {2, 3}, wrong[2] = {0, 4};
    int negative[2] = {-1, 0}, none = 7, many[50] = {0};
    CHECK_OK(MPI_Dims_create(12, 2, two));
    CHECK(two[0] == 4 && two[1] == 3);
    CHECK_OK(MPI_Dims_create(24, 3, three));
    CHECK(three[0] == 4 && three[1] == 3 && three[2] == 2);
    CHECK_OK(MPI_Dims_create(24, 3, fixed));
    CHECK(fixed[0] == 4 && fixed[1] == 3 && fixed[2] == 2);
    CHECK_OK(MPI_Dims_create(6, 2, full));
    CHECK(full[0] == 2 && full[1] == 3);
    CHECK_OK(MPI_Dims_create(1, 0, &none));
    CHECK_EQUAL(none, 7);
    CHECK_OK(MPI_Dims_create(30, 50, many));
    CHECK(many[0] == 5 && many[1] == 3 && many[2] == 2 && many[3] == 1 && many[49] == 1);
    CHECK_ERROR(MPI_Dims_create(6, 2, wrong), MPI_ERR_DIMS, "6 ranks do not fill the dimensions (0, 4)");
    CHECK_ERROR(MPI_Dims_create(7, 2, full), MPI_ERR_DIMS, "(2, 3)");
    CHECK_ERROR(MPI_Dims_create(6, 2, negative), MPI_ERR_DIMS, "dimension 0 is -1");
    CHECK_ERROR(MPI_Dims_create(2, 0, &none), MPI_ERR_DIMS, "do not fill");
    CHECK_ERROR(MPI_Dims_create(6, -2, two), MPI_ERR_DIMS, "-2");
    CHECK_ERROR(MPI_Dims_create(0, 2, two), MPI_ERR_ARG, "nnodes is 0");
    CHECK_ERROR(MPI_Dims_create(4, 2, NULL), MPI_ERR_ARG, "dims is a null pointer");
}

/* A ring of all ranks, with a dimension of one rank beside it that is not periodic. */
static void rings(void)
{
    MPI_Comm ring = MPI_COMM_NULL;
    int dims[2], periods[2] = {1, 0}, coords[2] = {-1, -1};
    int source = -9, dest = -9, number = -1, at = -1;
    dims[0] = size;
    dims[1] = 1;
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &ring));
    CHECK_OK(MPI_Topo_test(ring, &number));
    CHECK_EQUAL(number, MPI_CART);
    CHECK_OK(MPI_Cartdim_get(ring, &number));
    CHECK_EQUAL(number, 2);
    dims[0] = dims[1] = periods[0] = periods[1] = -1;
    CHECK_OK(MPI_Cart_get(ring, 2, dims, periods, coords));
    CHECK(dims[0] == size && dims[1] == 1 && periods[0] == 1 && periods[1] == 0);
    CHECK(coords[0] == rank && coords[1] == 0);
    CHECK_OK(MPI_Cart_shift(ring, 0, 1, &source, &dest));
    CHECK(source == (rank + size - 1) % size && dest == (rank + 1) % size);
    CHECK_OK(MPI_Cart_shift(ring, 0, -3 * size - 1, &source, &dest));
    CHECK(source == (rank + 1) % size && dest == (rank + size - 1) % size);
    CHECK_OK(MPI_Cart_shift(ring, 1, 1, &source, &dest));
    CHECK(source == MPI_PROC_NULL && dest == MPI_PROC_NULL);
    CHECK_OK(MPI_Cart_shift(ring, 1, 0, &source, &dest));
    CHECK(source == rank && dest == rank);
    coords[0] = -1;
    coords[1] = 0;
    CHECK_OK(MPI_Cart_rank(ring, coords, &at));
    CHECK_EQUAL(at, size - 1);
    coords[0] = 0;
    coords[1] = 1;
    CHECK_ERROR(MPI_Cart_rank(ring, coords, &at), MPI_ERR_ARG, "the coordinates (0, 1) lie outside the grid");
    CHECK_ERROR(MPI_Cart_shift(ring, 2, 1, &source, &dest), MPI_ERR_DIMS, "the direction is 2");
    CHECK_ERROR(MPI_Cart_shift(ring, -1, 1, &source, &dest), MPI_ERR_DIMS, "the direction is -1");
    CHECK_ERROR(MPI_Cart_coords(ring, size, 2, coords), MPI_ERR_RANK, "rank is");
    CHECK_ERROR(MPI_Cart_coords(ring, 0, 1, coords), MPI_ERR_ARG, "room for 1");
    CHECK_ERROR(MPI_Cart_get(ring, 1, dims, periods, coords), MPI_ERR_ARG, "room for 1");
    CHECK_ERROR(MPI_Graphdims_get(ring, &number, &at), MPI_ERR_TOPOLOGY, "is a grid");
    MPI_Comm_free(&ring);
}

/* All ranks but an odd one, in rows of two; rows and columns of it. */
static void planes(void)
{
    MPI_Comm plane = MPI_COMM_NULL, row = MPI_COMM_NULL, column = MPI_COMM_NULL, point = MPI_COMM_NULL;
    int dims[2], periods[2] = {0, 1}, coords[2] = {-1, -1}, keep[2] = {0, 1}, rows = size / 2;
    int mapped = -1, number = -1, own = -1, i, sum = 0;
    dims[0] = rows;
    dims[1] = 2;
    if (rows == 0) {
        CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &plane), MPI_ERR_DIMS, "dimension 0 has 0");
        return;
    }
    CHECK_OK(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &mapped));
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &plane));
    CHECK((plane == MPI_COMM_NULL) == (rank >= 2 * rows));
    if (plane == MPI_COMM_NULL) {
        CHECK_EQUAL(mapped, MPI_UNDEFINED);
        return;
    }
    MPI_Comm_rank(plane, &own);
    CHECK_EQUAL(mapped, own);
    for (i = 0; i < 2 * rows; ++i) {
        CHECK_OK(MPI_Cart_coords(plane, i, 2, coords));
        CHECK(coords[0] == i / 2 && coords[1] == i % 2);
        CHECK_OK(MPI_Cart_rank(plane, coords, &number));
        CHECK_EQUAL(number, i);
    }

    CHECK_OK(MPI_Cart_sub(plane, keep, &row));
    MPI_Comm_size(row, &number);
    CHECK_EQUAL(number, 2);
    MPI_Comm_rank(row, &number);
    CHECK_EQUAL(number, own % 2);
    CHECK_OK(MPI_Cart_get(row, 2, dims, periods, coords));
    CHECK(dims[0] == 2 && periods[0] == 1 && coords[0] == own % 2);
    CHECK_OK(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, row));
    CHECK_EQUAL(sum, 4 * (own / 2) + 1);

    keep[0] = 1;
    keep[1] = 0;
    CHECK_OK(MPI_Cart_sub(plane, keep, &column));
    CHECK_OK(MPI_Cart_get(column, 1, dims, periods, coords));
    CHECK(dims[0] == rows && periods[0] == 0 && coords[0] == own / 2);

    /* Nothing is kept: each rank alone in a grid without dimensions. */
    keep[0] = 0;
    CHECK_OK(MPI_Cart_sub(plane, keep, &point));
    MPI_Comm_size(point, &number);
    CHECK_EQUAL(number, 1);
    CHECK_OK(MPI_Cartdim_get(point, &number));
    CHECK_EQUAL(number, 0);
    CHECK_ERROR(MPI_Cart_sub(plane, NULL, &point), MPI_ERR_ARG, "remain_dims");
    MPI_Comm_free(&point);
    MPI_Comm_free(&column);
    MPI_Comm_free(&row);
    MPI_Comm_free(&plane);
}

static void grids_without_dimensions(void)
{
    MPI_Comm point = MPI_COMM_NULL, again = MPI_COMM_NULL;
    int number = -1;
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &point));
    CHECK((point == MPI_COMM_NULL) == (rank != 0));
    if (point == MPI_COMM_NULL)
        return;
    CHECK_OK(MPI_Topo_test(point, &number));
    CHECK_EQUAL(number, MPI_CART);
    CHECK_OK(MPI_Cart_get(point, 0, NULL, NULL, NULL));
    CHECK_OK(MPI_Cart_coords(point, 0, 0, NULL));
    CHECK_OK(MPI_Cart_rank(point, NULL, &number));
    CHECK_EQUAL(number, 0);
    CHECK_ERROR(MPI_Cart_shift(point, 0, 1, &number, &number), MPI_ERR_DIMS, "has 0 dimensions");
    CHECK_OK(MPI_Cart_sub(point, NULL, &again));
    CHECK_OK(MPI_Cartdim_get(again, &number));
    CHECK_EQUAL(number, 0);
    MPI_Comm_free(&again);
    MPI_Comm_free(&point);
}

/* Duplicates have the same neighbours; other communicators of the same ranks have none. */
static void duplicates(void)
{
    MPI_Comm ring = MPI_COMM_NULL, copy = MPI_COMM_NULL, later = MPI_COMM_NULL, others = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    const int periodic = 1;
    int dims = -1, periods = -1, coords = -1, kind = -1, in[2] = {-1, -1};
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring));
    CHECK_OK(MPI_Comm_dup(ring, &copy));
    CHECK_OK(MPI_Comm_idup(ring, &later, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_split(ring, 0, rank, &others));
    CHECK_OK(MPI_Comm_free(&ring));
    CHECK_OK(MPI_Cart_get(copy, 1, &dims, &periods, &coords));
    CHECK(dims == size && periods == 1 && coords == rank);
    CHECK_OK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, later));
    CHECK(in[0] == (rank + size - 1) % size && in[1] == (rank + 1) % size);
    CHECK_OK(MPI_Topo_test(others, &kind));
    CHECK_EQUAL(kind, MPI_UNDEFINED);
    CHECK_OK(MPI_Comm_free(&others));
    CHECK_OK(MPI_Comm_free(&later));
    CHECK_OK(MPI_Comm_free(&copy));
}

/* The first rank and the others as two groups. */
static void intercommunicators(void)
{
    MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL, made = MPI_COMM_NULL;
    int dims = 1, periods = 0;
    if (size < 2)
        return;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 0, &inter));
    CHECK_ERROR(MPI_Cart_create(inter, 1, &dims, &periods, 0, &made), MPI_ERR_COMM, "MPI_Cart_create");
    CHECK(made == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Comm_free(&half));
}

static void wrong_arguments(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    int dims[2], periods[2] = {0, 0}, index[2] = {1, 0}, edge = 0, one = 1, far, number = -1;
    dims[0] = size;
    dims[1] = 2;
    far = size;
    CHECK_OK(MPI_Topo_test(MPI_COMM_WORLD, &number));
    CHECK_EQUAL(number, MPI_UNDEFINED);
    CHECK_ERROR(MPI_Topo_test(MPI_COMM_NULL, &number), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Cartdim_get(MPI_COMM_WORLD, &number), MPI_ERR_TOPOLOGY, "has no topology");
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_NULL, 1, dims, periods, 0, &made), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made), MPI_ERR_DIMS, "more ranks than");
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, -1, dims, periods, 0, &made), MPI_ERR_DIMS, "ndims is -1");
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 1, NULL, periods, 0, &made), MPI_ERR_ARG, "dims is a null");
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, NULL, 0, &made), MPI_ERR_ARG, "periods is a null");
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, NULL), MPI_ERR_ARG, "comm_cart is a null");
    dims[0] = dims[1] = 0x7fffffff;
    CHECK_ERROR(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &number), MPI_ERR_DIMS, "more ranks than");
    CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, size + 1, index, &edge, 0, &made), MPI_ERR_ARG, "more ranks than");
    CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, -1, index, &edge, 0, &made), MPI_ERR_ARG, "-1");
    index[0] = -1;
    CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, 1, index, &edge, 0, &made), MPI_ERR_ARG, "index 0 is -1");
    index[0] = 1;
    edge = 1;
    CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, 1, index, &edge, 0, &made), MPI_ERR_RANK, "edge 0 is 1");
    if (size > 1)
        CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, 2, index, &edge, 0, &made), MPI_ERR_ARG, "index 1 is 0");
    CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &far, &one, &edge, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
                MPI_ERR_RANK, "among the sources is");
    edge = -2;
    far = 0;
    CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &far, &one, &edge, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
                MPI_ERR_RANK, "among the destinations is -2");
    CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &far, &edge, &edge, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
                MPI_ERR_ARG, "degree 0 is -2");
    CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, -4, &far, &one, &edge, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
                MPI_ERR_ARG, "-4");
    CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &far, &one, &far, &edge, MPI_INFO_NULL, 0, &made),
                MPI_ERR_ARG, "among the weights is -2");
    CHECK_ERROR(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &far, MPI_WEIGHTS_EMPTY, 1, &far, &one, MPI_INFO_NULL,
                                               0, &made),
                MPI_ERR_ARG, "MPI_WEIGHTS_EMPTY");
    CHECK_ERROR(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &far, MPI_UNWEIGHTED, 1, &far, &one, MPI_INFO_NULL,
                                               0, &made),
                MPI_ERR_ARG, "MPI_UNWEIGHTED");
    CHECK(made == MPI_COMM_NULL);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    dims_create();
    rings();
    planes();
    grids_without_dimensions();
    duplicates();
    intercommunicators();
    wrong_arguments();
    MPI_Finalize();
    return check_result();
}
