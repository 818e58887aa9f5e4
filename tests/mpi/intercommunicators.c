/* Intercommunicators: made, asked, split, duplicated and merged; messages between their groups; errors. */
#include "check.h"

static int size, rank;
static int side;      /* even or odd ranks */
static MPI_Comm half; /* of this side */

static int size_of_side(int which)
{
    return (size + 1 - which) / 2;
}

/* Ranks of MPI_COMM_WORLD are 2 * (rank on the side) + side. */
static MPI_Comm between_halves(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    const int leads = rank < 2;
    CHECK_OK(MPI_Intercomm_create(half, 0, leads ? MPI_COMM_WORLD : MPI_COMM_NULL, leads ? 1 - side : -77, 9, &made));
    return made;
}

/* Messages go to the other group, and ranks are those there. */
static void check_messages(MPI_Comm inter)
{
    int mine = -1, others = -1, i, out[2], in[2] = {-1, -1}, flag = 0, number = -1;
    MPI_Request requests[64];
    MPI_Status status;
    CHECK_OK(MPI_Comm_rank(inter, &mine));
    CHECK_OK(MPI_Comm_remote_size(inter, &others));
    out[0] = side;
    out[1] = mine;
    for (i = 0; i < others; ++i)
        CHECK_OK(MPI_Isend(out, 2, MPI_INT, i, 11, inter, &requests[i]));
    for (i = 0; i < others; ++i) {
        CHECK_OK(MPI_Recv(in, 2, MPI_INT, i, 11, inter, &status));
        CHECK_EQUAL(in[0], 1 - side);
        CHECK_EQUAL(in[1], i);
        CHECK_EQUAL(status.MPI_SOURCE, i);
    }
    CHECK_OK(MPI_Waitall(others, requests, MPI_STATUSES_IGNORE));
    /* From any rank, found by a probe. Ranks beyond the smaller group are left out. */
    if (mine < others) {
        CHECK_OK(MPI_Isend(out, 2, MPI_INT, mine, 12, inter, &requests[0]));
        CHECK_OK(MPI_Probe(MPI_ANY_SOURCE, 12, inter, &status));
        CHECK_EQUAL(status.MPI_SOURCE, mine);
        CHECK_OK(MPI_Get_count(&status, MPI_INT, &number));
        CHECK_EQUAL(number, 2);
        CHECK_OK(MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status));
        CHECK_EQUAL(status.MPI_SOURCE, mine);
        CHECK_EQUAL(in[1], mine);
        CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    }
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, 12, inter, &flag, &status));
    CHECK_EQUAL(flag, 0);
    CHECK_ERROR(MPI_Send(out, 1, MPI_INT, others, 0, inter), MPI_ERR_RANK, "the destination is");
    CHECK_ERROR(MPI_Recv(in, 1, MPI_INT, others, 0, inter, &status), MPI_ERR_RANK, "the source is");
}

static void check_groups(MPI_Comm inter, int own, int others)
{
    MPI_Group local, remote, world, both;
    int number = -1, flag = -1, first = 0, found = -1;
    CHECK_OK(MPI_Comm_test_inter(inter, &flag));
    CHECK_EQUAL(flag, 1);
    CHECK_OK(MPI_Comm_size(inter, &number));
    CHECK_EQUAL(number, own);
    CHECK_OK(MPI_Comm_remote_size(inter, &number));
    CHECK_EQUAL(number, others);
    CHECK_OK(MPI_Comm_group(inter, &local));
    CHECK_OK(MPI_Comm_remote_group(inter, &remote));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Group_translate_ranks(remote, 1, &first, world, &found));
    CHECK_EQUAL(found, 1 - side);
    CHECK_OK(MPI_Group_size(local, &number));
    CHECK_EQUAL(number, own);
    CHECK_OK(MPI_Group_union(local, remote, &both));
    CHECK_OK(MPI_Group_size(both, &number));
    CHECK_EQUAL(number, own + others);
    CHECK_OK(MPI_Group_free(&local));
    CHECK_OK(MPI_Group_free(&remote));
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Group_free(&both));
}

static void check_merged(MPI_Comm inter, int high, int expected)
{
    MPI_Comm merged = MPI_COMM_NULL;
    int number = -1, sum = -1, one = 1;
    CHECK_OK(MPI_Intercomm_merge(inter, high, &merged));
    CHECK_OK(MPI_Comm_test_inter(merged, &number));
    CHECK_EQUAL(number, 0);
    CHECK_OK(MPI_Comm_size(merged, &number));
    CHECK_EQUAL(number, size);
    CHECK_OK(MPI_Comm_rank(merged, &number));
    if (expected >= 0)
        CHECK_EQUAL(number, expected);
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, merged));
    CHECK_EQUAL(sum, size);
    CHECK_OK(MPI_Comm_free(&merged));
}

static void copies(MPI_Comm inter)
{
    MPI_Comm copy = MPI_COMM_NULL, late = MPI_COMM_NULL, part = MPI_COMM_NULL;
    MPI_Request request;
    int result = -1, number = -1;
    CHECK_OK(MPI_Comm_dup(inter, &copy));
    CHECK_OK(MPI_Comm_compare(inter, copy, &result));
    CHECK_EQUAL(result, MPI_CONGRUENT);
    CHECK_OK(MPI_Comm_compare(inter, half, &result));
    CHECK_EQUAL(result, MPI_UNEQUAL);
    check_groups(copy, size_of_side(side), size_of_side(1 - side));
    check_messages(copy);
    CHECK_OK(MPI_Comm_idup(copy, &late, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_free(&copy));
    check_messages(late);
    CHECK_OK(MPI_Comm_disconnect(&late));
    /* By colours: rank 0 of each side is left with the other one. */
    CHECK_OK(MPI_Comm_split(inter, rank < 2 ? 0 : MPI_UNDEFINED, 0, &part));
    CHECK((part != MPI_COMM_NULL) == (rank < 2));
    if (rank < 2) {
        check_groups(part, 1, 1);
        check_messages(part);
        CHECK_OK(MPI_Comm_free(&part));
    }
    /* A colour that only one side has gives none. */
    CHECK_OK(MPI_Comm_split(inter, side, 0, &part));
    CHECK(part == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &part));
    CHECK_OK(MPI_Comm_rank(part, &number));
    CHECK_EQUAL(number, size_of_side(side) - 1 - rank / 2);
    CHECK_OK(MPI_Comm_compare(inter, part, &result));
    CHECK_EQUAL(result, size > 2 ? MPI_SIMILAR : MPI_CONGRUENT);
    CHECK_OK(MPI_Comm_free(&part));
}

static void of_groups(MPI_Comm inter)
{
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Group local, remote, first;
    const int zero = 0;
    CHECK_OK(MPI_Comm_group(inter, &local));
    CHECK_OK(MPI_Comm_remote_group(inter, &remote));
    CHECK_OK(MPI_Group_incl(local, 1, &zero, &first));
    CHECK_OK(MPI_Comm_create(inter, first, &part));
    CHECK((part != MPI_COMM_NULL) == (rank < 2));
    if (rank < 2) {
        check_groups(part, 1, 1);
        CHECK_OK(MPI_Comm_free(&part));
    }
    CHECK_ERROR(MPI_Comm_create(inter, remote, &part), MPI_ERR_GROUP, "not in the communicator");
    CHECK_ERROR(MPI_Comm_create_group(inter, local, 0, &part), MPI_ERR_COMM, "intercommunicator");
    CHECK_OK(MPI_Intercomm_create_from_groups(local, 0, remote, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_RETURN, &part));
    check_groups(part, size_of_side(side), size_of_side(1 - side));
    check_messages(part);
    CHECK_OK(MPI_Comm_free(&part));
    CHECK_ERROR(MPI_Intercomm_create_from_groups(local, 0, local, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_RETURN, &part),
                MPI_ERR_GROUP, "in common");
    CHECK_ERROR(MPI_Intercomm_create_from_groups(local, size, remote, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                                 &part),
                MPI_ERR_RANK, "local_leader");
    CHECK_OK(MPI_Intercomm_create_from_groups(local, 0, MPI_GROUP_EMPTY, 0, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                              &part));
    CHECK(part == MPI_COMM_NULL);
    CHECK_OK(MPI_Group_free(&local));
    CHECK_OK(MPI_Group_free(&remote));
    CHECK_OK(MPI_Group_free(&first));
}

static void freed_while_used(void)
{
    MPI_Comm inter = between_halves();
    MPI_Request requests[2];
    MPI_Status status;
    int in = -1;
    if (rank / 2 < size_of_side(1 - side)) {
        CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, rank / 2, 0, inter, &requests[0]));
        CHECK_OK(MPI_Issend(&rank, 1, MPI_INT, rank / 2, 0, inter, &requests[1]));
        CHECK_OK(MPI_Comm_free(&inter));
        CHECK_OK(MPI_Wait(&requests[0], &status));
        CHECK_OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        CHECK_EQUAL(in, rank - side + 1 - side);
        CHECK_EQUAL(status.MPI_SOURCE, rank / 2);
    } else {
        CHECK_OK(MPI_Comm_free(&inter));
    }
    CHECK(inter == MPI_COMM_NULL);
}

static void wrong(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group;
    int number = -1;
    CHECK_OK(MPI_Comm_test_inter(MPI_COMM_WORLD, &number));
    CHECK_EQUAL(number, 0);
    CHECK_ERROR(MPI_Comm_test_inter(MPI_COMM_NULL, &number), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Comm_test_inter(MPI_COMM_WORLD, NULL), MPI_ERR_ARG, "flag");
    CHECK_ERROR(MPI_Comm_remote_size(MPI_COMM_WORLD, &number), MPI_ERR_COMM, "single group");
    CHECK_ERROR(MPI_Comm_remote_group(MPI_COMM_WORLD, &group), MPI_ERR_COMM, "single group");
    CHECK_ERROR(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made), MPI_ERR_COMM, "single group");
    CHECK_ERROR(MPI_Intercomm_merge(MPI_COMM_NULL, 0, &made), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Intercomm_create(MPI_COMM_NULL, 0, MPI_COMM_WORLD, 0, 0, &made), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Intercomm_create(MPI_COMM_SELF, 1, MPI_COMM_WORLD, 0, 0, &made), MPI_ERR_RANK, "local leader is 1");
    CHECK_ERROR(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, size, 0, &made), MPI_ERR_RANK, "communicator of the leaders");
    CHECK_ERROR(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 0, &made), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, rank, 0, &made), MPI_ERR_ARG, "itself");
    CHECK_ERROR(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 0, -1, &made), MPI_ERR_TAG, "tag -1");
    CHECK_ERROR(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 0, 0, NULL), MPI_ERR_ARG, "newintercomm");
}

/* Two ranks alone, by the largest tag, while the others do something else. */
static void pair(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    int got = -1;
    if (rank > 1)
        return;
    CHECK_OK(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 2147483647, &made));
    CHECK_OK(MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, made, MPI_STATUS_IGNORE));
    CHECK_EQUAL(got, 1 - rank);
    CHECK_OK(MPI_Comm_free(&made));
}

/* All ranks of both groups are told if those of one do not agree. */
static void disagreement(MPI_Comm inter)
{
    MPI_Comm merged = MPI_COMM_NULL;
    if (size > 2)
        CHECK_ERROR(MPI_Intercomm_merge(inter, rank == 0, &merged), MPI_ERR_ARG, "all of a group must give the same");
}

int main(int argc, char** argv)
{
    MPI_Comm inter;
    MPI_Init(&argc, &argv);
    check_errors_return();
    size = check_size();
    rank = check_rank();
    side = rank % 2;
    wrong();
    if (size > 1) {
        CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half));
        inter = between_halves();
        check_groups(inter, size_of_side(side), size_of_side(1 - side));
        check_messages(inter);
        CHECK_ERROR(MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 0, &inter), MPI_ERR_COMM, "intercommunicator");
        check_merged(inter, side == 1, side == 0 ? rank / 2 : size_of_side(0) + rank / 2);
        check_merged(inter, side == 0, side == 1 ? rank / 2 : size_of_side(1) + rank / 2);
        check_merged(inter, 1, -1);
        disagreement(inter);
        copies(inter);
        of_groups(inter);
        CHECK_OK(MPI_Comm_free(&inter));
        freed_while_used();
        pair();
        CHECK_OK(MPI_Comm_free(&half));
    }
    MPI_Finalize();
    return check_result();
}
