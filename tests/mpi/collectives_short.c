/* Many blocking collectives of short data in a row, as ranks of a node do them in shared memory: sizes around
   a cache line's and a chunk's, every root, in place, ranks that run ahead or come late, operators of the
   program's, several communicators, memory that the others map or do not, and messages and non-blocking
   collectives under way meanwhile. */
#include <stdlib.h>

#include "check.h"

#ifdef __SANITIZE_ADDRESS__
enum { kMost = 2500, kRounds = 12 };
#else
enum { kMost = 2500, kRounds = 40 };
#endif

static const int kCounts[] = {0, 1, 2, 3, 11, 12, 13, 127, 1023, 1024, 2047, 2049, kMost};
enum { kSizes = sizeof kCounts / sizeof kCounts[0] };

static MPI_Comm comm;
static int rank, size;
static int *in, *out;

/* Element `i` of what `from` has for `to` in a round. */
static int value(int round, int from, int to, int i)
{
    return round * 7919 + from * 1009 + to * 31 + i;
}

static void fill(int* data, int count, int round, int to)
{
    int i;
    for (i = 0; i < count; ++i)
        data[i] = value(round, rank, to, i);
}

static int wrong(const int* data, int count, int round, int from, int to)
{
    int i;
    for (i = 0; i < count; ++i)
        if (data[i] != value(round, from, to, i))
            return 1;
    return 0;
}

/* The sum over the first `ranks`. */
static int wrong_sum_of(const int* data, int count, int round, int ranks)
{
    int i, r;
    for (i = 0; i < count; ++i) {
        int sum = 0;
        for (r = 0; r < ranks; ++r)
            sum += value(round, r, 0, i);
        if (data[i] != sum)
            return 1;
    }
    return 0;
}

static int wrong_sum(const int* data, int count, int round)
{
    return wrong_sum_of(data, count, round, size);
}

/* Does nothing of use for a while, at one rank. */
static void come_late(int late, int round)
{
    volatile int work = 0;
    int i;
    if (rank == late && round % 5 == 0)
        for (i = 0; i < 20000; ++i)
            work += i;
}

static void reductions(int round, int count)
{
    const int root = round % size;
    fill(in, count, round, 0);
    CHECK_OK(MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm));
    CHECK(!wrong_sum(out, count, round));
    CHECK(!wrong(in, count, round, rank, 0));
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, in, count, MPI_INT, MPI_SUM, comm));
    CHECK(!wrong_sum(in, count, round));
    fill(in, count, round, 0);
    CHECK_OK(MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm));
    CHECK(rank != root || !wrong_sum(out, count, round));
    CHECK_OK(MPI_Reduce(rank == root ? MPI_IN_PLACE : in, in, count, MPI_INT, MPI_SUM, root, comm));
    CHECK(rank == root ? !wrong_sum(in, count, round) : !wrong(in, count, round, rank, 0));
}

static void blocks(int round, int count)
{
    int r, root;
    for (root = 0; root < size; ++root) {
        fill(in, count, rank == root ? round : round + 1, root);
        CHECK_OK(MPI_Bcast(in, count, MPI_INT, root, comm));
        CHECK(!wrong(in, count, round, root, root));
    }
    fill(in, count, round, 0);
    CHECK_OK(MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm));
    for (r = 0; r < size; ++r)
        CHECK(!wrong(out + r * count, count, round, r, 0));
    fill(out + rank * count, count, round + 1, 0);
    CHECK_OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, MPI_INT, comm));
    for (r = 0; r < size; ++r)
        CHECK(!wrong(out + r * count, count, round + 1, r, 0));
    for (r = 0; r < size; ++r)
        fill(in + r * count, count, round, r);
    CHECK_OK(MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm));
    CHECK_OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, count, MPI_INT, comm));
    for (r = 0; r < size; ++r) {
        CHECK(!wrong(out + r * count, count, round, r, rank));
        CHECK(!wrong(in + r * count, count, round, r, rank));
    }
}

static void rooted_blocks(int round, int count)
{
    int r, root;
    for (root = 0; root < size; ++root) {
        fill(in, count, round, root);
        CHECK_OK(MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, comm));
        for (r = 0; rank == root && r < size; ++r)
            CHECK(!wrong(out + r * count, count, round, r, root));
        fill(out + rank * count, count, round + 1, root);
        CHECK_OK(MPI_Gather(rank == root ? MPI_IN_PLACE : out + rank * count, count, MPI_INT, out, count,
                            MPI_INT, root, comm));
        for (r = 0; rank == root && r < size; ++r)
            CHECK(!wrong(out + r * count, count, round + 1, r, root));
        for (r = 0; r < size; ++r)
            fill(in + r * count, count, round, r);
        CHECK_OK(MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, comm));
        CHECK(!wrong(out, count, round, root, rank));
        CHECK_OK(
            MPI_Scatter(in, count, MPI_INT, rank == root ? MPI_IN_PLACE : out, count, MPI_INT, root, comm));
        CHECK(!wrong(rank == root ? in + rank * count : out, count, round, root, rank));
    }
}

static void scans(int round, int count)
{
    fill(in, count, round, 0);
    CHECK_OK(MPI_Scan(in, out, count, MPI_INT, MPI_SUM, comm));
    CHECK(!wrong_sum_of(out, count, round, rank + 1));
    CHECK_OK(MPI_Exscan(in, out, count, MPI_INT, MPI_SUM, comm));
    CHECK(!wrong_sum_of(out, count, round, rank == 0 ? 1 : rank)); /* rank 0 keeps the scan's */
    fill(out, count, round, 0);
    CHECK_OK(MPI_Scan(MPI_IN_PLACE, in, count, MPI_INT, MPI_SUM, comm));
    CHECK(!wrong_sum_of(in, count, round, rank + 1));
    CHECK_OK(MPI_Exscan(MPI_IN_PLACE, out, count, MPI_INT, MPI_SUM, comm));
    CHECK(!wrong_sum_of(out, count, round, rank == 0 ? 1 : rank));
}

/* Ranks have a different number of elements each, some have none. */
static void unequal_blocks(int round, int count)
{
    int* counts = malloc(sizeof(int) * (size_t)size);
    int* places = malloc(sizeof(int) * (size_t)size);
    int r;
    for (r = 0; r < size; ++r) {
        counts[r] = count * ((r + round) % 3) / 2;
        places[r] = r == 0 ? 0 : places[r - 1] + counts[r - 1];
    }
    fill(in, counts[rank], round, 0);
    CHECK_OK(MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, places, MPI_INT, comm));
    for (r = 0; r < size; ++r)
        CHECK(!wrong(out + places[r], counts[r], round, r, 0));
    free(counts);
    free(places);
}

/* 10 * left + right, modulo 10^9 + 7, of (factor, number): the order counts. */
static void join_pairs(void* a, void* b, int* length, MPI_Datatype* type)
{
    const long long* left = a;
    long long* right = b;
    int i;
    (void)type;
    for (i = 0; i < *length; ++i, left += 2, right += 2) {
        right[1] = (left[1] * right[0] + right[1]) % 1000000007;
        right[0] = left[0] * right[0] % 1000000007;
    }
}

static void own_operators(int round)
{
    MPI_Datatype pair;
    MPI_Op join;
    long long mine[2], all[2], expected[2];
    int r;
    MPI_Type_contiguous(2, MPI_LONG_LONG, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(join_pairs, 0, &join);
    mine[0] = 10;
    mine[1] = rank + round + 1;
    expected[0] = 10;
    expected[1] = round + 1;
    for (r = 1; r < size; ++r) {
        expected[1] = (expected[1] * 10 + r + round + 1) % 1000000007;
        expected[0] = expected[0] * 10 % 1000000007;
    }
    CHECK_OK(MPI_Allreduce(mine, all, 1, pair, join, comm));
    CHECK_EQUAL(all[0], expected[0]);
    CHECK_EQUAL(all[1], expected[1]);
    CHECK_OK(MPI_Reduce(mine, all, 1, pair, join, size - 1, comm));
    CHECK(rank != size - 1 || (all[0] == expected[0] && all[1] == expected[1]));
    CHECK_OK(MPI_Scan(mine, all, 1, pair, join, comm));
    CHECK(rank != size - 1 || (all[0] == expected[0] && all[1] == expected[1]));
    MPI_Op_free(&join);
    MPI_Type_free(&pair);
}

/* The other collectives end while these are under way, which end in spite of them. */
static void beside_others(int round)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int sent = value(round, rank, next, 0), received = -1, sum = 0, root_has = rank == 0 ? round : -1;
    MPI_Request requests[4];
    int i;
    CHECK_OK(MPI_Irecv(&received, 1, MPI_INT, before, round, comm, &requests[0]));
    CHECK_OK(MPI_Iallreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]));
    CHECK_OK(MPI_Ibcast(&root_has, 1, MPI_INT, 0, comm, &requests[2]));
    for (i = 0; i < 20; ++i) {
        fill(in, 1, round + i, 0);
        CHECK_OK(MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, comm));
        CHECK(!wrong_sum(out, 1, round + i));
    }
    CHECK_OK(MPI_Isend(&sent, 1, MPI_INT, next, round, comm, &requests[3]));
    CHECK_OK(MPI_Barrier(comm));
    CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    CHECK_EQUAL(received, value(round, before, rank, 0));
    CHECK_EQUAL(root_has, round);
    for (i = 0; i < size; ++i)
        sum -= value(round, i, (i + 1) % size, 0);
    CHECK_EQUAL(sum, 0);
}

/* No rank leaves a barrier before the last one has come: rank 0 has then set its word of the window. */
static void barriers(int round)
{
    MPI_Win window;
    int* word;
    int i;
    MPI_Win_allocate_shared(rank == 0 ? sizeof *word : 0, sizeof *word, MPI_INFO_NULL, comm, &word, &window);
    if (rank != 0) {
        MPI_Aint bytes;
        int unit;
        MPI_Win_shared_query(window, 0, &bytes, &unit, &word);
    }
    MPI_Win_lock_all(0, window);
    for (i = 0; i < 50; ++i) {
        come_late(0, i);
        if (rank == 0)
            *(volatile int*)word = round + i;
        MPI_Win_sync(window);
        CHECK_OK(MPI_Barrier(comm));
        MPI_Win_sync(window);
        CHECK_EQUAL(*(volatile int*)word, round + i);
        CHECK_OK(MPI_Barrier(comm));
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* `lends`: the ranks whose buffers others may read where they lie, as bits. */
static void all_of(MPI_Comm on, int lends)
{
    const int is_lent = lends >> (check_rank() % 2) & 1;
    int round, i;
    comm = on;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (is_lent) {
        MPI_Alloc_mem((MPI_Aint)sizeof *in * (size * kMost + 1), MPI_INFO_NULL, &in);
        MPI_Alloc_mem((MPI_Aint)sizeof *out * (size * kMost + 1), MPI_INFO_NULL, &out);
    } else {
        in = malloc(sizeof *in * (size_t)(size * kMost + 1));
        out = malloc(sizeof *out * (size_t)(size * kMost + 1));
    }
    for (round = 0; round < kRounds; ++round) {
        come_late(round % size, round);
        for (i = 0; i < kSizes; ++i) {
            reductions(round, kCounts[i]);
            blocks(round, kCounts[i]);
            unequal_blocks(round, kCounts[i]);
            rooted_blocks(round, kCounts[i]);
            scans(round, kCounts[i]);
        }
        own_operators(round);
        beside_others(round);
    }
    /* The root runs ahead of the others, as far as there is room. */
    for (round = 0; round < 500; ++round) {
        come_late(size - 1, round);
        fill(in, 3, rank == 0 ? round : -1, 0);
        CHECK_OK(MPI_Bcast(in, 3, MPI_INT, 0, comm));
        CHECK(!wrong(in, 3, round, 0, 0));
    }
    barriers(1000);
    if (is_lent) {
        MPI_Free_mem(in);
        MPI_Free_mem(out);
    } else {
        free(in);
        free(out);
    }
}

int main(void)
{
    MPI_Comm copy, half;
    MPI_Init(NULL, NULL);
    check_errors_return();
    all_of(MPI_COMM_WORLD, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    all_of(copy, 2);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank() / 2, 0, &half);
    all_of(half, 3);
    all_of(MPI_COMM_WORLD, 1);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return check_result();
}
