/* The collectives that combine elements: every root, several sizes, in place, in three forms, with built-in and user
   operators on types with and without gaps. */
#include <stdlib.h>

#include "forms.h"

static int rank, size;

/* The affine map x -> a * x + b, modulo a prime: maps are combined in order. */
enum { kPrime = 10007 };
typedef struct {
    long a, b;
} Map;

static Map map_of(int r, int i)
{
    Map map;
    map.a = 2 + r + i % 50;
    map.b = 3 * r + i % 30;
    return map;
}

/* First `first`, then `second`. */
static Map combined(Map first, Map second)
{
    Map map;
    map.a = first.a * second.a % kPrime;
    map.b = (second.a * first.b + second.b) % kPrime;
    return map;
}

static Map combined_over(int from, int to, int i)
{
    Map map = map_of(from, i);
    int r;
    for (r = from + 1; r <= to; ++r)
        map = combined(map, map_of(r, i));
    return map;
}

static void check_maps(const Map* maps, int count, int from, int to, int first)
{
    int i;
    for (i = 0; i < count; ++i) {
        const Map expected = combined_over(from, to, first + i);
        if (maps[i].a != expected.a || maps[i].b != expected.b)
            break;
    }
    CHECK_EQUAL(i, count);
}

static int function_calls;

/* A map has the size of a double complex. */
static void combine_maps(void* in, void* inout, int* length, MPI_Datatype* type)
{
    const Map* left = in;
    Map* right = inout;
    int i;
    CHECK(*type == MPI_C_DOUBLE_COMPLEX);
    ++function_calls;
    for (i = 0; i < *length; ++i)
        right[i] = combined(left[i], right[i]);
}

static void combine_maps_c(void* in, void* inout, MPI_Count* length, MPI_Datatype* type)
{
    int count = (int)*length;
    combine_maps(in, inout, &count, type);
}

static void fill(Map* maps, int count)
{
    int i;
    for (i = 0; i < count; ++i)
        maps[i] = map_of(rank, i);
}

/* `op` does not commute, and its elements are maps. */
static void ordered(int n, MPI_Op op)
{
    const MPI_Datatype type = MPI_C_DOUBLE_COMPLEX;
    Map* in = malloc(((size_t)n * (size_t)size + 1) * sizeof *in);
    Map* out = malloc(((size_t)n * (size_t)size + 1) * sizeof *out);
    int counts[16], root, r, before = 0;
    fill(in, n * size);
    for (root = 0; root < size; ++root) {
        memset(out, 0, (size_t)n * sizeof *out);
        COLLECTIVE(Reduce, reduce, in, rank == root ? out : NULL, n, type, op, root, MPI_COMM_WORLD);
        if (rank == root) {
            check_maps(out, n, 0, size - 1, 0);
            memcpy(out, in, (size_t)n * sizeof *out);
        }
        COLLECTIVE(Reduce, reduce, rank == root ? MPI_IN_PLACE : (void*)in, out, n, type, op, root, MPI_COMM_WORLD);
        if (rank == root)
            check_maps(out, n, 0, size - 1, 0);
    }
    COLLECTIVE(Allreduce, allreduce, in, out, n, type, op, MPI_COMM_WORLD);
    check_maps(out, n, 0, size - 1, 0);
    COLLECTIVE(Scan, scan, in, out, n, type, op, MPI_COMM_WORLD);
    check_maps(out, n, 0, rank, 0);
    fill(out, n);
    COLLECTIVE(Exscan, exscan, in, out, n, type, op, MPI_COMM_WORLD);
    check_maps(out, n, 0, rank == 0 ? 0 : rank - 1, 0); /* rank 0's is unchanged */
    COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, in, out, n, type, op, MPI_COMM_WORLD);
    check_maps(out, n, 0, size - 1, rank * n);
    /* Blocks of different sizes, some of them empty. */
    for (r = 0; r < size; ++r) {
        counts[r] = r % 2 == 0 ? n - (n > 0) : 0;
        before += r < rank ? counts[r] : 0;
    }
    COLLECTIVE(Reduce_scatter, reduce_scatter, in, out, counts, type, op, MPI_COMM_WORLD);
    check_maps(out, counts[rank], 0, size - 1, before);

    fill(out, n * size);
    COLLECTIVE(Allreduce, allreduce, MPI_IN_PLACE, out, n, type, op, MPI_COMM_WORLD);
    check_maps(out, n, 0, size - 1, 0);
    fill(out, n);
    COLLECTIVE(Scan, scan, MPI_IN_PLACE, out, n, type, op, MPI_COMM_WORLD);
    check_maps(out, n, 0, rank, 0);
    fill(out, n);
    COLLECTIVE(Exscan, exscan, MPI_IN_PLACE, out, n, type, op, MPI_COMM_WORLD);
    check_maps(out, n, 0, rank == 0 ? 0 : rank - 1, 0);
    fill(out, n * size);
    COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, MPI_IN_PLACE, out, n, type, op, MPI_COMM_WORLD);
    check_maps(out, n, 0, size - 1, rank * n);
    fill(out, n * size);
    COLLECTIVE(Reduce_scatter, reduce_scatter, MPI_IN_PLACE, out, counts, type, op, MPI_COMM_WORLD);
    check_maps(out, counts[rank], 0, size - 1, before);
    free(in);
    free(out);
}

/* Elements with gaps: only their own bytes are written. */
typedef struct {
    double value;
    int index;
    int gap;
} Pair;

static void add_pairs(void* in, void* inout, int* length, MPI_Datatype* type)
{
    const Pair* left = in;
    Pair* right = inout;
    int i;
    CHECK(*type == MPI_DOUBLE_INT);
    for (i = 0; i < *length; ++i) {
        right[i].value += left[i].value;
        right[i].index = right[i].index > left[i].index ? right[i].index : left[i].index;
    }
}

static void gaps(int n)
{
    Pair* in = malloc(((size_t)n + 1) * sizeof *in);
    Pair* out = malloc(((size_t)n + 1) * sizeof *out);
    MPI_Op op;
    int i, root;
    for (i = 0; i < n; ++i) {
        in[i].value = rank + i;
        in[i].index = rank * i;
        in[i].gap = 5;
        out[i].gap = i;
    }
    CHECK_OK(MPI_Op_create(add_pairs, 1, &op));
    COLLECTIVE(Allreduce, allreduce, in, out, n, MPI_DOUBLE_INT, op, MPI_COMM_WORLD);
    for (i = 0; i < n; ++i)
        if (out[i].value != size * (size - 1) / 2 + (double)size * i || out[i].index != (size - 1) * i || out[i].gap != i)
            break;
    CHECK_EQUAL(i, n);
    for (root = 0; root < size; ++root) {
        for (i = 0; i < n; ++i)
            out[i] = in[i];
        COLLECTIVE(Reduce, reduce, rank == root ? MPI_IN_PLACE : (void*)in, out, n, MPI_DOUBLE_INT, op, root,
                   MPI_COMM_WORLD);
        for (i = 0; i < n && rank == root; ++i)
            if (out[i].value != size * (size - 1) / 2 + (double)size * i || out[i].gap != 5)
                break;
        CHECK_EQUAL(i, rank == root ? n : 0);
    }
    CHECK_OK(MPI_Op_free(&op));
    free(in);
    free(out);
}

static void built_in(int n)
{
    double* in = malloc(((size_t)n + 1) * sizeof *in);
    double* out = malloc(((size_t)n + 1) * sizeof *out);
    int i, highest = rank;
    struct {
        double value;
        int index;
    } place;
    for (i = 0; i < n; ++i)
        in[i] = rank + i;
    COLLECTIVE(Allreduce, allreduce, in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (i = 0; i < n && out[i] == size * (size - 1) / 2 + (double)size * i; ++i)
        continue;
    CHECK_EQUAL(i, n);
    COLLECTIVE(Scan, scan, in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (i = 0; i < n && out[i] == rank * (rank + 1) / 2 + (double)(rank + 1) * i; ++i)
        continue;
    CHECK_EQUAL(i, n);
    COLLECTIVE(Allreduce, allreduce, MPI_IN_PLACE, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_EQUAL(highest, size - 1);
    place.value = rank % 3;
    place.index = rank;
    COLLECTIVE(Allreduce, allreduce, MPI_IN_PLACE, &place, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK(place.value == (size > 2 ? 2 : size - 1) && place.index == (size > 2 ? 2 : size - 1));
    free(in);
    free(out);
}

/* The operator may be freed while its operation is under way. */
static void freed_early(void)
{
    Map in = map_of(rank, 0), out, again;
    MPI_Op op;
    MPI_Request requests[2];
    CHECK_OK(MPI_Op_create(combine_maps, 0, &op));
    CHECK_OK(MPI_Iallreduce(&in, &out, 1, MPI_C_DOUBLE_COMPLEX, op, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Scan_init(&in, &again, 1, MPI_C_DOUBLE_COMPLEX, op, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    CHECK_OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    CHECK_OK(MPI_Start(&requests[1]));
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    check_maps(&out, 1, 0, size - 1, 0);
    check_maps(&again, 1, 0, rank, 0);
    memset(&again, 0, sizeof again);
    CHECK_OK(MPI_Start(&requests[1]));
    CHECK_OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    check_maps(&again, 1, 0, rank, 0);
    MPI_Request_free(&requests[1]);
}

static void wrong_arguments(void)
{
    double number = 0, other = 0;
    int counts[16] = {0};
    MPI_Comm comm = MPI_COMM_WORLD;
    CHECK_ERROR(MPI_Reduce(&number, &other, 1, MPI_DOUBLE, MPI_SUM, size, comm), MPI_ERR_ROOT, "MPI_Reduce on MPI_COMM_WORLD: the root is");
    CHECK_ERROR(MPI_Scan(&number, &other, -1, MPI_DOUBLE, MPI_SUM, comm), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Scan(&number, MPI_IN_PLACE, 1, MPI_DOUBLE, MPI_SUM, comm), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    CHECK_ERROR(MPI_Exscan(&number, NULL, 1, MPI_DOUBLE, MPI_SUM, comm), MPI_ERR_BUFFER, "null pointer");
    CHECK_ERROR(MPI_Allreduce(&number, &other, 1, MPI_DATATYPE_NULL, MPI_SUM, comm), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Allreduce(&number, &other, 1, MPI_DOUBLE, MPI_REPLACE, comm), MPI_ERR_OP, "MPI_REPLACE");
    CHECK_ERROR(MPI_Allreduce(&number, &other, 1, MPI_DOUBLE, MPI_NO_OP, comm), MPI_ERR_OP, "MPI_NO_OP");
    counts[0] = -1;
    CHECK_ERROR(MPI_Reduce_scatter(&number, &other, counts, MPI_DOUBLE, MPI_SUM, comm), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Reduce_scatter(&number, &other, NULL, MPI_DOUBLE, MPI_SUM, comm), MPI_ERR_ARG, "counts");
}

int main(int argc, char** argv)
{
    static const int counts[] = {0, 1, 7, 500, 6000};
    MPI_Op op, op_c;
    int i;
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    CHECK_OK(MPI_Op_create(combine_maps, 0, &op));
    CHECK_OK(MPI_Op_create_c(combine_maps_c, 0, &op_c));
    for (form = 0; form < kForms; ++form)
        for (i = 0; i < 5; ++i) {
            ordered(counts[i], i % 2 == 0 ? op : op_c);
            gaps(counts[i]);
            built_in(counts[i]);
        }
    CHECK(size == 1 || function_calls > 0);
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Op_free(&op_c));
    freed_early();
    wrong_arguments();
    MPI_Finalize();
    return check_result();
}
