/* The collectives of intercommunicators: data goes from each group to the other. */
#include <stdlib.h>

#include "forms.h"

enum { kMostRanks = 16 };

static int rank, local, remote; /* in the own group, and both groups' sizes */
static int group;               /* 0 or 1 */
static MPI_Comm both;

/* What rank `from` of `of_group` has for rank `to` of the other group. */
static int value(int of_group, int from, int to, int i)
{
    return of_group * 1000003 + from * 10007 + to * 101 + i;
}

static int* new_ints(int count)
{
    int* ints = malloc(((size_t)count + 1) * sizeof *ints);
    int i;
    for (i = 0; i <= count; ++i)
        ints[i] = -1;
    return ints;
}

static void fill(int* block, int count, int to)
{
    int i;
    for (i = 0; i < count; ++i)
        block[i] = value(group, rank, to, i);
}

/* The block that rank `from` of the other group has for rank `to`. */
static void check_block(const int* block, int count, int from, int to)
{
    int i;
    for (i = 0; i < count && block[i] == value(1 - group, from, to, i); ++i)
        continue;
    CHECK_EQUAL(i, count);
}

/* The root argument at this rank, if rank `root` of `root_group` is the root. */
static int root_here(int root_group, int root)
{
    return root_group != group ? root : root == rank ? MPI_ROOT : MPI_PROC_NULL;
}

static void rooted(int n, int root_group, int root)
{
    const int given = root_here(root_group, root), is_root = given == MPI_ROOT;
    const int has_own = root_group != group;
    int counts[kMostRanks], places[kMostRanks], r, total = 0;
    int* own = new_ints(2 * n + kMostRanks);
    int* all;
    for (r = 0; r < remote; ++r) {
        counts[r] = n + r;
        places[r] = total;
        total += counts[r];
    }
    all = new_ints(total + n * remote);
    fill(own, n, 0);
    COLLECTIVE(Bcast, bcast, own, n, MPI_INT, given, both);
    if (has_own)
        check_block(own, n, root, 0);

    fill(own, n, root);
    COLLECTIVE(Gather, gather, own, n, MPI_INT, all, 4 * n, MPI_BYTE, given, both);
    for (r = 0; r < remote && is_root; ++r)
        check_block(all + r * n, n, r, rank);
    fill(own, n + rank, root);
    COLLECTIVE(Gatherv, gatherv, own, n + rank, MPI_INT, all, counts, places, MPI_INT, given, both);
    for (r = 0; r < remote && is_root; ++r)
        check_block(all + places[r], counts[r], r, rank);

    for (r = 0; r < remote; ++r)
        fill(all + r * n, n, r);
    COLLECTIVE(Scatter, scatter, all, n, MPI_INT, own, n, MPI_INT, given, both);
    if (has_own)
        check_block(own, n, root, rank);
    for (r = 0; r < remote; ++r)
        fill(all + places[r], counts[r], r);
    COLLECTIVE(Scatterv, scatterv, all, counts, places, MPI_INT, own, n + rank, MPI_INT, given, both);
    if (has_own)
        check_block(own, n + rank, root, rank);

    for (r = 0; r < n; ++r) {
        own[r] = rank + r;
        all[r] = -1;
    }
    COLLECTIVE(Reduce, reduce, own, all, n, MPI_INT, MPI_SUM, given, both);
    for (r = 0; r < n; ++r)
        CHECK_EQUAL(all[r], is_root ? remote * (remote - 1) / 2 + remote * r : -1);
    free(own);
    free(all);
}

static void unrooted(int n)
{
    /* As many elements in both groups. */
    const int total = n * local * remote;
    int counts[kMostRanks], from[kMostRanks], to[kMostRanks], from_bytes[kMostRanks], to_bytes[kMostRanks], r, i;
    int own_counts[kMostRanks];
    MPI_Datatype types[kMostRanks];
    int* in = new_ints((n + kMostRanks) * kMostRanks * 2 + total);
    int* out = new_ints((n + kMostRanks) * kMostRanks * 2 + total);
    fill(in, n, 0);
    COLLECTIVE(Barrier, barrier, both);
    COLLECTIVE(Allgather, allgather, in, n, MPI_INT, out, n, MPI_INT, both);
    for (r = 0; r < remote; ++r)
        check_block(out + r * n, n, r, 0);
    for (r = 0, i = 0; r < remote; ++r) {
        counts[r] = n + r;
        to[r] = i;
        i += counts[r];
    }
    fill(in, n + rank, 0);
    COLLECTIVE(Allgatherv, allgatherv, in, n + rank, MPI_INT, out, counts, to, MPI_INT, both);
    for (r = 0; r < remote; ++r)
        check_block(out + to[r], counts[r], r, 0);

    for (r = 0; r < remote; ++r)
        fill(in + r * n, n, r);
    COLLECTIVE(Alltoall, alltoall, in, n, MPI_INT, out, 4 * n, MPI_BYTE, both);
    for (r = 0; r < remote; ++r)
        check_block(out + r * n, n, r, rank);
    for (r = 0, i = 0; r < remote; ++r) {
        counts[r] = n + rank + r;
        from[r] = to[r] = i;
        from_bytes[r] = to_bytes[r] = 4 * i;
        types[r] = MPI_INT;
        i += counts[r];
        fill(in + from[r], counts[r], r);
    }
    COLLECTIVE(Alltoallv, alltoallv, in, counts, from, MPI_INT, out, counts, to, MPI_INT, both);
    for (r = 0; r < remote; ++r)
        check_block(out + to[r], counts[r], r, rank);
    for (i = 0; i < (n + kMostRanks) * kMostRanks; ++i)
        out[i] = -1;
    COLLECTIVE(Alltoallw, alltoallw, in, counts, from_bytes, types, out, counts, to_bytes, types, both);
    for (r = 0; r < remote; ++r)
        check_block(out + to[r], counts[r], r, rank);

    for (i = 0; i < total; ++i)
        in[i] = rank + i;
    COLLECTIVE(Allreduce, allreduce, in, out, n, MPI_INT, MPI_SUM, both);
    for (i = 0; i < n; ++i)
        CHECK_EQUAL(out[i], remote * (remote - 1) / 2 + remote * i);
    COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, in, out, n * remote, MPI_INT, MPI_SUM, both);
    for (i = 0; i < n * remote; ++i)
        CHECK_EQUAL(out[i], remote * (remote - 1) / 2 + remote * (rank * n * remote + i));
    for (r = 0; r < local; ++r)
        own_counts[r] = r == 0 ? total : 0;
    COLLECTIVE(Reduce_scatter, reduce_scatter, in, out, own_counts, MPI_INT, MPI_SUM, both);
    for (i = 0; i < own_counts[rank]; ++i)
        CHECK_EQUAL(out[i], remote * (remote - 1) / 2 + remote * i);
    free(in);
    free(out);
}

static void wrong_arguments(void)
{
    int data[2 * kMostRanks] = {0};
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    CHECK_ERROR(MPI_Bcast(data, 1, MPI_INT, remote, both), MPI_ERR_ROOT, "the other group");
    CHECK_ERROR(MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, data, 1, MPI_INT, both), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    CHECK_ERROR(MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, both), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    CHECK_ERROR(MPI_Scan(data, data + 1, 1, MPI_INT, MPI_SUM, both), MPI_ERR_COMM, "intercommunicators");
}

int main(int argc, char** argv)
{
    static const int counts[] = {0, 1, 9, 3000};
    int world_rank, half, i, of_group, root;
    MPI_Comm own;
    MPI_Init(&argc, &argv);
    check_errors_return();
    world_rank = check_rank();
    half = (check_size() + 1) / 2;
    group = world_rank >= half;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, group, world_rank, &own));
    CHECK_OK(MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, group == 0 ? half : 0, 5, &both));
    CHECK_OK(MPI_Comm_rank(both, &rank));
    CHECK_OK(MPI_Comm_size(both, &local));
    CHECK_OK(MPI_Comm_remote_size(both, &remote));
    for (form = 0; form < kForms; ++form)
        for (i = 0; i < 4; ++i) {
            for (of_group = 0; of_group < 2; ++of_group)
                for (root = 0; root < (of_group == group ? local : remote); ++root)
                    rooted(counts[i], of_group, root);
            unrooted(counts[i] > 100 ? counts[i] / 10 : counts[i]);
        }
    wrong_arguments();
    CHECK_OK(MPI_Comm_free(&both));
    CHECK_OK(MPI_Comm_free(&own));
    MPI_Finalize();
    return check_result();
}
