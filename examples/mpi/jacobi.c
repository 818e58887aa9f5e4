/* Solves Laplace's equation in a square by Jacobi's method, on a grid of ranks: every cell becomes the mean of
   its four neighbours until none changes. The edge has the values x + y, and so has the solution: the program
   checks that. The argument is the number of cells on a side. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* This rank's cells, in rows, with an edge all around: the neighbours' cells, or the edge of the square. */
struct part {
    MPI_Comm grid;
    int first[2];  /* the place of its first cell in the square */
    int cells[2];  /* rows and columns, without the edge */
    /* What goes to and comes from the neighbours above, below, left and right: rows and columns of the array. */
    MPI_Datatype sent[4], received[4];
};

static double* cell(const struct part* part, double* values, int row, int column)
{
    return values + row * (part->cells[1] + 2) + column;
}

static double solution(const struct part* part, int row, int column)
{
    return part->first[0] + row + part->first[1] + column;
}

/* One row (dimension 0) or column (1) of the array, without its corners. */
static MPI_Datatype line_type(const struct part* part, int dimension, int at)
{
    const int sizes[2] = {part->cells[0] + 2, part->cells[1] + 2};
    int subsizes[2] = {part->cells[0], part->cells[1]};
    int starts[2] = {1, 1};
    MPI_Datatype type;
    subsizes[dimension] = 1;
    starts[dimension] = at;
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static struct part make_part(int side)
{
    struct part part;
    int ranks, dimension;
    int dims[2] = {0, 0}, coords[2];
    const int periods[2] = {0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &part.grid);
    MPI_Cart_get(part.grid, 2, dims, (int[2]){0}, coords);
    for (dimension = 0; dimension < 2; ++dimension) {
        part.first[dimension] = side * coords[dimension] / dims[dimension];
        part.cells[dimension] = side * (coords[dimension] + 1) / dims[dimension] - part.first[dimension];
    }
    for (dimension = 0; dimension < 2; ++dimension) {
        const int last = part.cells[dimension];
        part.sent[2 * dimension] = line_type(&part, dimension, 1);
        part.sent[2 * dimension + 1] = line_type(&part, dimension, last);
        part.received[2 * dimension] = line_type(&part, dimension, 0);
        part.received[2 * dimension + 1] = line_type(&part, dimension, last + 1);
    }
    return part;
}

static void free_part(struct part* part)
{
    int side;
    for (side = 0; side < 4; ++side) {
        MPI_Type_free(&part->sent[side]);
        MPI_Type_free(&part->received[side]);
    }
    MPI_Comm_free(&part->grid);
}

/* The edge of the square has the solution's values, all else 0. */
static double* new_values(const struct part* part, int side)
{
    double* const values = calloc((size_t)(part->cells[0] + 2) * (size_t)(part->cells[1] + 2), sizeof *values);
    int row, column;
    for (row = 0; row < part->cells[0] + 2; ++row)
        for (column = 0; column < part->cells[1] + 2; ++column) {
            const int at[2] = {part->first[0] + row, part->first[1] + column};
            if (at[0] == 0 || at[0] == side + 1 || at[1] == 0 || at[1] == side + 1)
                *cell(part, values, row, column) = solution(part, row, column);
        }
    return values;
}

/* Nothing comes from beyond the square: that edge stays. */
static void exchange(const struct part* part, double* values)
{
    static const int ones[4] = {1, 1, 1, 1};
    static const MPI_Aint start[4] = {0, 0, 0, 0};
    MPI_Neighbor_alltoallw(values, ones, start, part->sent, values, ones, start, part->received, part->grid);
}

/* The largest change. */
static double step(const struct part* part, double* from, double* to)
{
    double change = 0;
    int row, column;
    for (row = 1; row <= part->cells[0]; ++row)
        for (column = 1; column <= part->cells[1]; ++column) {
            const double mean = (*cell(part, from, row - 1, column) + *cell(part, from, row + 1, column) +
                                 *cell(part, from, row, column - 1) + *cell(part, from, row, column + 1)) /
                                4;
            change = fmax(change, fabs(mean - *cell(part, from, row, column)));
            *cell(part, to, row, column) = mean;
        }
    return change;
}

static double error_of(const struct part* part, double* values)
{
    double error = 0;
    int row, column;
    for (row = 1; row <= part->cells[0]; ++row)
        for (column = 1; column <= part->cells[1]; ++column)
            error = fmax(error, fabs(*cell(part, values, row, column) - solution(part, row, column)));
    return error;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    const int side = argc > 1 ? atoi(argv[1]) : 20;
    struct part part = make_part(side);
    double* now = new_values(&part, side);
    double* next = new_values(&part, side);
    double change = 1, error;
    int steps = 0, rank;
    while (change > 1e-9) {
        double* const before = now;
        exchange(&part, now);
        change = step(&part, now, next);
        MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, part.grid);
        now = next;
        next = before;
        ++steps;
    }
    error = error_of(&part, now);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, part.grid);
    MPI_Comm_rank(part.grid, &rank);
    if (rank == 0)
        printf("%d x %d cells: %d steps, largest error %.1e\n", side, side, steps, error);
    free(now);
    free(next);
    free_part(&part);
    MPI_Finalize();
    return error < 1e-6 ? 0 : 1;
}
