/* The collectives that move blocks: every root, several sizes, in place, in three forms. */
#include <stdlib.h>

#include "forms.h"

static int rank, size;

/* What rank `from` has for rank `to`. */
static int value(int from, int to, int i)
{
    return from * 100003 + to * 1009 + i;
}

static int* new_ints(int count)
{
    int i, *ints = malloc(((size_t)count + 1) * sizeof *ints);
    for (i = 0; i <= count; ++i)
        ints[i] = -1;
    return ints;
}

static void fill(int* block, int count, int from, int to)
{
    int i;
    for (i = 0; i < count; ++i)
        block[i] = value(from, to, i);
}

static void check_block(const int* block, int count, int from, int to)
{
    int i;
    for (i = 0; i < count && block[i] == value(from, to, i); ++i)
        continue;
    CHECK_EQUAL(i, count);
}

static void broadcast(int n)
{
    int* data = new_ints(n);
    int root;
    for (root = 0; root < size; ++root) {
        fill(data, n, rank, 0);
        /* Equal bytes by different counts and types. */
        if (rank == root)
            COLLECTIVE(Bcast, bcast, data, n, MPI_INT, root, MPI_COMM_WORLD);
        else
            COLLECTIVE(Bcast, bcast, data, 4 * n, MPI_BYTE, root, MPI_COMM_WORLD);
        check_block(data, n, root, 0);
        CHECK_EQUAL(data[n], -1);
    }
    free(data);
}

static void gather(int n, int root)
{
    int* own = new_ints(n);
    int* all = new_ints(n * size);
    int from;
    fill(own, n, rank, root);
    if (rank == root)
        COLLECTIVE(Gather, gather, own, 4 * n, MPI_BYTE, all, n, MPI_INT, root, MPI_COMM_WORLD);
    else
        COLLECTIVE(Gather, gather, own, n, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
    for (from = 0; from < size && rank == root; ++from)
        check_block(all + from * n, n, from, root);
    if (rank == root) {
        for (from = 0; from < n * size; ++from)
            all[from] = -1;
        fill(all + rank * n, n, rank, root);
        COLLECTIVE(Gather, gather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, root, MPI_COMM_WORLD);
        for (from = 0; from < size; ++from)
            check_block(all + from * n, n, from, root);
        CHECK_EQUAL(all[n * size], -1);
    } else {
        COLLECTIVE(Gather, gather, own, n, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD);
    }
    free(own);
    free(all);
}

static void scatter(int n, int root)
{
    int* own = new_ints(n);
    int* all = new_ints(n * size);
    int to;
    for (to = 0; to < size; ++to)
        fill(all + to * n, n, root, to);
    if (rank == root)
        COLLECTIVE(Scatter, scatter, all, n, MPI_INT, own, 2 * n, MPI_SHORT, root, MPI_COMM_WORLD);
    else
        COLLECTIVE(Scatter, scatter, NULL, -1, MPI_DATATYPE_NULL, own, n, MPI_INT, root, MPI_COMM_WORLD);
    check_block(own, n, root, rank);
    CHECK_EQUAL(own[n], -1);
    for (to = 0; to < n; ++to)
        own[to] = -1;
    if (rank == root) {
        COLLECTIVE(Scatter, scatter, all, n, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, MPI_COMM_WORLD);
        check_block(all + rank * n, n, root, rank);
    } else {
        COLLECTIVE(Scatter, scatter, NULL, 0, MPI_INT, own, n, MPI_INT, root, MPI_COMM_WORLD);
        check_block(own, n, root, rank);
    }
    free(own);
    free(all);
}

/* The block of rank r has n + r elements and lies, in reverse order, behind a gap of one element; the buffer
   begins in the middle, so that some displacements are negative. */
static int block_count(int n, int r)
{
    return n == 0 ? 0 : n + r;
}
static int* new_blocks(int n, int* counts, int* displacements, int** base)
{
    int total = 0, r;
    int* memory;
    for (r = size - 1; r >= 0; --r) {
        counts[r] = block_count(n, r);
        displacements[r] = total + 1;
        total += counts[r] + 1;
    }
    memory = new_ints(total);
    *base = memory + total / 2;
    for (r = 0; r < size; ++r)
        displacements[r] -= total / 2;
    return memory;
}
static void check_gaps(const int* base, const int* displacements)
{
    int r;
    for (r = 0; r < size; ++r)
        CHECK_EQUAL(base[displacements[r] - 1], -1);
}

static void vectors(int n, int root)
{
    int counts[16], displacements[16], r;
    int* all;
    int* memory = new_blocks(n, counts, displacements, &all);
    int* own = new_ints(counts[rank]);
    fill(own, counts[rank], rank, root);
    COLLECTIVE(Gatherv, gatherv, own, counts[rank], MPI_INT, all, rank == root ? counts : NULL,
               rank == root ? displacements : NULL, MPI_INT, root, MPI_COMM_WORLD);
    for (r = 0; r < size; ++r)
        if (rank == root)
            check_block(all + displacements[r], counts[r], r, root);
    if (rank == root) {
        COLLECTIVE(Gatherv, gatherv, MPI_IN_PLACE, 0, MPI_INT, all, counts, displacements, MPI_INT, root,
                   MPI_COMM_WORLD);
        for (r = 0; r < size; ++r)
            check_block(all + displacements[r], counts[r], r, root);
        for (r = 0; r < size; ++r)
            fill(all + displacements[r], counts[r], root, r);
        COLLECTIVE(Scatterv, scatterv, all, counts, displacements, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root,
                   MPI_COMM_WORLD);
    } else {
        COLLECTIVE(Gatherv, gatherv, own, 4 * counts[rank], MPI_BYTE, NULL, NULL, NULL, MPI_INT, root,
                   MPI_COMM_WORLD);
        COLLECTIVE(Scatterv, scatterv, NULL, NULL, NULL, MPI_INT, own, counts[rank], MPI_INT, root,
                   MPI_COMM_WORLD);
        check_block(own, counts[rank], root, rank);
    }
    for (r = 0; r < counts[rank]; ++r)
        own[r] = -1;
    COLLECTIVE(Scatterv, scatterv, all, counts, displacements, MPI_INT, own, 2 * counts[rank], MPI_SHORT, root,
               MPI_COMM_WORLD);
    check_block(own, counts[rank], root, rank);
    if (root == 0) {
        /* The own block also lies in the gap between others. */
        fill(own, counts[rank], rank, 7);
        COLLECTIVE(Allgatherv, allgatherv, own, counts[rank], MPI_INT, all, counts, displacements, MPI_INT,
                   MPI_COMM_WORLD);
        for (r = 0; r < size; ++r)
            check_block(all + displacements[r], counts[r], r, 7);
        fill(all + displacements[rank], counts[rank], rank, 8);
        COLLECTIVE(Allgatherv, allgatherv, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, all, counts, displacements,
                   MPI_INT, MPI_COMM_WORLD);
        for (r = 0; r < size; ++r)
            check_block(all + displacements[r], counts[r], r, 8);
    }
    check_gaps(all, displacements);
    free(own);
    free(memory);
}

static void allgather(int n)
{
    int* own = new_ints(n);
    int* all = new_ints(n * size);
    int from;
    fill(own, n, rank, 3);
    COLLECTIVE(Allgather, allgather, own, 2 * n, MPI_SHORT, all, n, MPI_INT, MPI_COMM_WORLD);
    for (from = 0; from < size; ++from)
        check_block(all + from * n, n, from, 3);
    fill(all + rank * n, n, rank, 4);
    COLLECTIVE(Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, MPI_COMM_WORLD);
    for (from = 0; from < size; ++from)
        check_block(all + from * n, n, from, 4);
    CHECK_EQUAL(all[n * size], -1);
    free(own);
    free(all);
}

static void alltoall(int n)
{
    int* in = new_ints(n * size);
    int* out = new_ints(n * size);
    int r;
    for (r = 0; r < size; ++r)
        fill(in + r * n, n, rank, r);
    COLLECTIVE(Alltoall, alltoall, in, 4 * n, MPI_BYTE, out, n, MPI_INT, MPI_COMM_WORLD);
    for (r = 0; r < size; ++r)
        check_block(out + r * n, n, r, rank);
    COLLECTIVE(Alltoall, alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, n, MPI_INT, MPI_COMM_WORLD);
    for (r = 0; r < size; ++r)
        check_block(in + r * n, n, r, rank);
    CHECK_EQUAL(in[n * size], -1);
    free(in);
    free(out);
}

/* Between ranks a and b go n + a + b elements. Blocks to send and blocks to receive take turns in one array. */
static void alltoallv(int n)
{
    int counts[16], from[16], to[16], bytes[16], from_bytes[16], to_bytes[16], total = 0, r;
    MPI_Datatype ints[16], shorts[16];
    int* memory;
    for (r = 0; r < size; ++r) {
        counts[r] = n == 0 ? 0 : n + rank + r;
        bytes[r] = 2 * counts[r];
        from[r] = total;
        to[r] = total + counts[r];
        from_bytes[r] = 4 * from[r];
        to_bytes[r] = 4 * to[r];
        total += 2 * counts[r];
        ints[r] = counts[r] == 0 ? MPI_DATATYPE_NULL : MPI_INT;
        shorts[r] = MPI_SHORT;
    }
    memory = new_ints(total);
    for (r = 0; r < size; ++r)
        fill(memory + from[r], counts[r], rank, r);
    COLLECTIVE(Alltoallv, alltoallv, memory, counts, from, MPI_INT, memory, counts, to, MPI_INT, MPI_COMM_WORLD);
    for (r = 0; r < size; ++r) {
        check_block(memory + from[r], counts[r], rank, r);
        check_block(memory + to[r], counts[r], r, rank);
    }
    COLLECTIVE(Alltoallv, alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, memory, counts, from, MPI_INT,
               MPI_COMM_WORLD);
    for (r = 0; r < size; ++r) {
        check_block(memory + from[r], counts[r], r, rank);
        fill(memory + from[r], counts[r], r + 1, rank);
    }
    COLLECTIVE(Alltoallw, alltoallw, memory, counts, from_bytes, ints, memory, bytes, to_bytes, shorts,
               MPI_COMM_WORLD);
    for (r = 0; r < size; ++r)
        check_block(memory + to[r], counts[r], rank + 1, r);
    COLLECTIVE(Alltoallw, alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, memory, counts, to_bytes, ints,
               MPI_COMM_WORLD);
    for (r = 0; r < size; ++r)
        check_block(memory + to[r], counts[r], r + 1, rank);
    CHECK_EQUAL(memory[total], -1);
    free(memory);
}

/* Elements with gaps, which stay as they are. */
static void pairs(void)
{
    struct {
        double value;
        int index;
        int gap;
    } all[16], own, taken[16];
    int counts[16], places[16], r;
    for (r = 0; r < size; ++r) {
        all[r].gap = 50 + r;
        taken[r].gap = 60 + r;
        counts[r] = 1;
        places[r] = size - 1 - r;
    }
    own.value = rank / 2.0;
    own.index = rank;
    own.gap = 70;
    COLLECTIVE(Allgather, allgather, &own, 1, MPI_DOUBLE_INT, all, 1, MPI_DOUBLE_INT, MPI_COMM_WORLD);
    COLLECTIVE(Allgatherv, allgatherv, &own, 12, MPI_BYTE, taken, counts, places, MPI_DOUBLE_INT,
               MPI_COMM_WORLD);
    for (r = 0; r < size; ++r) {
        CHECK(all[r].value == r / 2.0 && all[r].index == r && all[r].gap == 50 + r);
        CHECK(taken[places[r]].value == r / 2.0 && taken[places[r]].index == r);
        CHECK_EQUAL(taken[r].gap, 60 + r);
    }
    COLLECTIVE(Bcast, bcast, &own, 1, MPI_DOUBLE_INT, size - 1, MPI_COMM_WORLD);
    CHECK(own.value == (size - 1) / 2.0 && own.index == size - 1 && own.gap == 70);
}

static void large_counts(void)
{
    MPI_Count counts[16];
    MPI_Aint places[16];
    int own[2] = {value(rank, 5, 0), value(rank, 5, 1)}, all[32], r;
    for (r = 0; r < size; ++r) {
        counts[r] = 2;
        places[r] = 2 * r;
    }
    CHECK_OK(MPI_Allgather_c(own, 2, MPI_INT, all, 8, MPI_BYTE, MPI_COMM_WORLD));
    for (r = 0; r < size; ++r)
        check_block(all + 2 * r, 2, r, 5);
    memset(all, 0, sizeof all);
    CHECK_OK(MPI_Allgatherv_c(own, 2, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD));
    for (r = 0; r < size; ++r)
        check_block(all + 2 * r, 2, r, 5);
}

static void repeated_starts(void)
{
    int own = 0, all[16], i, r;
    MPI_Request requests[2];
    CHECK_OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, requests));
    CHECK_OK(MPI_Allgather_init(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (i = 0; i < 5; ++i) {
        own = 100 * i + rank;
        CHECK_OK(MPI_Startall(2, requests));
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (r = 0; r < size; ++r)
            CHECK_EQUAL(all[r], 100 * i + r);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* Several at once, completed in another order. */
static void overlapping(void)
{
    int data[4], i;
    MPI_Request requests[5];
    for (i = 0; i < 4; ++i) {
        data[i] = rank == i % size ? 10 * i : -1;
        CHECK_OK(MPI_Ibcast(&data[i], 1, MPI_INT, i % size, MPI_COMM_WORLD, &requests[i]));
    }
    CHECK_OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[4]));
    for (i = 4; i >= 0; --i)
        CHECK_OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    for (i = 0; i < 4; ++i)
        CHECK_EQUAL(data[i], 10 * i);
}

static void wrong_arguments(void)
{
    int data[16] = {0}, counts[16] = {0}, places[16] = {0};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    CHECK_ERROR(MPI_Gather(data, 1, MPI_INT, data, 1, MPI_INT, -1, comm), MPI_ERR_ROOT, "the root is -1");
    CHECK_ERROR(MPI_Gather(data, 1, MPI_INT, data, 1, MPI_INT, MPI_ROOT, comm), MPI_ERR_ROOT, "MPI_Gather");
    CHECK_ERROR(MPI_Ibcast(data, -1, MPI_INT, 0, comm, &request), MPI_ERR_COUNT, "MPI_Ibcast on MPI_COMM_WORLD: ");
    CHECK_ERROR(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    CHECK_ERROR(MPI_Allgather(data, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    CHECK_ERROR(MPI_Allgather(data, 1, MPI_DATATYPE_NULL, data, 1, MPI_INT, comm), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Allgather(NULL, 1, MPI_INT, data, 1, MPI_INT, comm), MPI_ERR_BUFFER, "null pointer");
    CHECK_ERROR(MPI_Alltoall(data, 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Ibarrier(comm, NULL), MPI_ERR_ARG, "request is a null pointer");
    CHECK_ERROR(MPI_Allgatherv(data, 0, MPI_INT, data, NULL, places, MPI_INT, comm), MPI_ERR_ARG, "counts");
    counts[size - 1] = -3;
    CHECK_ERROR(MPI_Allgatherv(data, 0, MPI_INT, data, counts, places, MPI_INT, comm), MPI_ERR_COUNT, "-3");
    CHECK_ERROR(MPI_Alltoallv(data, counts, places, MPI_INT, data, counts, places, MPI_INT, comm), MPI_ERR_COUNT, "-3");
    counts[size - 1] = 0;
    counts[0] = 1;
    CHECK_ERROR(MPI_Allgatherv(data, 1, MPI_INT, NULL, counts, places, MPI_INT, comm), MPI_ERR_BUFFER, "null pointer");
    CHECK_ERROR(MPI_Allgather(data, 2, MPI_INT, data + 3, 1, MPI_INT, comm), MPI_ERR_ARG, "must have");
}

int main(int argc, char** argv)
{
    static const int counts[] = {0, 1, 3, 2000, 40000};
    int root, i;
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    for (form = 0; form < kForms; ++form) {
        for (i = 0; i < 5; ++i) {
            const int n = counts[i];
            broadcast(n);
            allgather(n);
            alltoall(n);
            alltoallv(n);
            for (root = 0; root < size; ++root) {
                gather(n, root);
                scatter(n, root);
                vectors(n, root);
            }
        }
        COLLECTIVE(Barrier, barrier, MPI_COMM_WORLD);
        pairs();
    }
    large_counts();
    repeated_starts();
    overlapping();
    wrong_arguments();
    MPI_Finalize();
    return check_result();
}
