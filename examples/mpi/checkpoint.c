/* Checkpoints of a grid whose cells are dealt to the ranks. Each is written beside the one before, brought to the disk,
   and given its name: a crash leaves the old one or the new one. Then fewer ranks read it, and check what they find.

       tuttirun -n 4 ./checkpoint /tmp/grid */
#include <mpi.h>
#include <stdio.h>

enum { rows = 600, columns = 450, steps = 3 };

struct part {
    int sizes[2], starts[2];
    double* cells;
    MPI_Datatype in_file;
};

/* Errors of files return; here they end the job. */
static void check(int error, const char* path)
{
    char sentence[MPI_MAX_ERROR_STRING];
    int length;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, sentence, &length);
    fprintf(stderr, "%s: %s\n", path, sentence);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static struct part part_of(MPI_Comm ranks)
{
    const int sizes[2] = {rows, columns};
    int rank, size, shape[2] = {0, 0};
    struct part part;
    MPI_Comm_rank(ranks, &rank);
    MPI_Comm_size(ranks, &size);
    MPI_Dims_create(size, 2, shape);
    const int at[2] = {rank / shape[1], rank % shape[1]};
    for (int i = 0; i < 2; ++i) {
        part.starts[i] = sizes[i] * at[i] / shape[i];
        part.sizes[i] = sizes[i] * (at[i] + 1) / shape[i] - part.starts[i];
    }
    MPI_Alloc_mem(part.sizes[0] * part.sizes[1] * (MPI_Aint)sizeof *part.cells, MPI_INFO_NULL, &part.cells);
    MPI_Type_create_subarray(2, sizes, part.sizes, part.starts, MPI_ORDER_C, MPI_DOUBLE, &part.in_file);
    MPI_Type_commit(&part.in_file);
    return part;
}

static void free_part(struct part* part)
{
    MPI_Type_free(&part->in_file);
    MPI_Free_mem(part->cells);
}

/* What a cell of the part is after a step. */
static double value_of(const struct part* part, int cell, int step)
{
    const int row = part->starts[0] + cell / part->sizes[1];
    const int column = part->starts[1] + cell % part->sizes[1];
    return row * columns + column + 0.5 * step;
}

static void save(MPI_Comm ranks, const char* path, const struct part* part)
{
    char beside[4096];
    int rank;
    MPI_File file;
    MPI_Comm_rank(ranks, &rank);
    snprintf(beside, sizeof beside, "%s.new", path);
    check(MPI_File_open(ranks, beside, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file), beside);
    check(MPI_File_set_size(file, 0), beside);
    check(MPI_File_set_view(file, 0, MPI_DOUBLE, part->in_file, "native", MPI_INFO_NULL), beside);
    check(MPI_File_write_all(file, part->cells, part->sizes[0] * part->sizes[1], MPI_DOUBLE, MPI_STATUS_IGNORE),
          beside);
    check(MPI_File_sync(file), beside);
    check(MPI_File_close(&file), beside);
    if (rank == 0 && rename(beside, path) != 0) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(ranks);
}

/* How many cells of this rank's part are not what they were after the step. */
static int wrong_in(MPI_Comm ranks, const char* path, int step)
{
    struct part part = part_of(ranks);
    const int cells = part.sizes[0] * part.sizes[1];
    int count, wrong = 0;
    MPI_File file;
    MPI_Status status;
    check(MPI_File_open(ranks, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), path);
    check(MPI_File_set_view(file, 0, MPI_DOUBLE, part.in_file, "native", MPI_INFO_NULL), path);
    check(MPI_File_read_all(file, part.cells, cells, MPI_DOUBLE, &status), path);
    check(MPI_File_close(&file), path);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    for (int i = 0; i < cells; ++i)
        wrong += i >= count || part.cells[i] != value_of(&part, i, step);
    free_part(&part);
    return wrong;
}

int main(int argc, char** argv)
{
    int rank, size, wrong = 0, all_wrong;
    MPI_Comm readers;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char* path = argc > 1 ? argv[1] : "checkpoint.grid";

    struct part part = part_of(MPI_COMM_WORLD);
    for (int step = 1; step <= steps; ++step) {
        for (int i = 0; i < part.sizes[0] * part.sizes[1]; ++i)
            part.cells[i] = value_of(&part, i, step);
        save(MPI_COMM_WORLD, path, &part);
    }
    free_part(&part);

    /* The file does not know how many ranks have written it. */
    const int count = size > 1 ? size - 1 : 1;
    MPI_Comm_split(MPI_COMM_WORLD, rank < count ? 0 : MPI_UNDEFINED, rank, &readers);
    if (readers != MPI_COMM_NULL) {
        wrong = wrong_in(readers, path, steps);
        MPI_Comm_free(&readers);
    }
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s, written by %d ranks and read by %d: %s\n", path, size, count, all_wrong == 0 ? "right" : "WRONG");
        check(MPI_File_delete(path, MPI_INFO_NULL), path);
    }
    MPI_Finalize();
    return all_wrong == 0 ? 0 : 1;
}
