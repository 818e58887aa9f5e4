/* Communicators: duplicates, parts, comparisons, names, their end, and errors. */
#include "check.h"

static int size, rank;
/* Static: a search for leaks finds it. */
static MPI_Comm never_freed;

/* Messages of `comm` go round, apart from those of MPI_COMM_WORLD, and its collectives work. */
static void check_works(MPI_Comm comm)
{
    int ranks = -1, mine = -1, got = -1, sum = 0;
    MPI_Status status;
    CHECK_OK(MPI_Comm_size(comm, &ranks));
    CHECK_OK(MPI_Comm_rank(comm, &mine));
    CHECK_OK(MPI_Sendrecv(&mine, 1, MPI_INT, (mine + 1) % ranks, 3, &got, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &status));
    CHECK_EQUAL(got, (mine + ranks - 1) % ranks);
    CHECK_EQUAL(status.MPI_SOURCE, got);
    CHECK_OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQUAL(sum, ranks * (ranks - 1) / 2);
}

static int compared(MPI_Comm one, MPI_Comm other)
{
    int result = -1;
    CHECK_OK(MPI_Comm_compare(one, other, &result));
    return result;
}

static void check_freed(MPI_Comm* comm)
{
    CHECK_OK(MPI_Comm_free(comm));
    CHECK(*comm == MPI_COMM_NULL);
}

static void duplicates(void)
{
    MPI_Comm copy = MPI_COMM_NULL, again = MPI_COMM_NULL;
    MPI_Errhandler handler;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CHECK_EQUAL(compared(copy, MPI_COMM_WORLD), MPI_CONGRUENT);
    CHECK_EQUAL(compared(copy, copy), MPI_IDENT);
    check_works(copy);
    CHECK_OK(MPI_Comm_get_errhandler(copy, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Comm_dup_with_info(copy, MPI_INFO_NULL, &again));
    check_freed(&copy);
    check_works(again);
    check_freed(&again);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &copy));
    check_works(copy);
    check_freed(&copy);
}

static void duplicates_without_waiting(void)
{
    MPI_Comm copies[4];
    MPI_Request requests[4];
    int i;
    for (i = 0; i < 4; ++i) {
        copies[i] = MPI_COMM_NULL;
        if (i % 2 == 0)
            CHECK_OK(MPI_Comm_idup(MPI_COMM_WORLD, &copies[i], &requests[i]));
        else
            CHECK_OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copies[i], &requests[i]));
        CHECK(requests[i] != MPI_REQUEST_NULL);
        CHECK(copies[i] != MPI_COMM_NULL);
    }
    CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    for (i = 0; i < 4; ++i) {
        CHECK(requests[i] == MPI_REQUEST_NULL);
        CHECK_EQUAL(compared(copies[i], MPI_COMM_WORLD), MPI_CONGRUENT);
        CHECK_EQUAL(compared(copies[i], copies[(i + 1) % 4]), MPI_CONGRUENT);
        check_works(copies[i]);
    }
    for (i = 0; i < 4; ++i)
        check_freed(&copies[i]);
}

static void parts(void)
{
    MPI_Comm part = MPI_COMM_NULL, back = MPI_COMM_NULL;
    int number = -1;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part));
    CHECK_OK(MPI_Comm_size(part, &number));
    CHECK_EQUAL(number, (size + 1 - rank % 2) / 2);
    CHECK_OK(MPI_Comm_rank(part, &number));
    CHECK_EQUAL(number, (size - 1 - rank) / 2);
    check_works(part);
    check_freed(&part);
    /* The same ranks in another order; then one without a colour. */
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, 2147483647, -rank, &back));
    CHECK_EQUAL(compared(back, MPI_COMM_WORLD), size == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
    check_works(back);
    check_freed(&back);
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &part));
    if (rank == 0)
        CHECK(part == MPI_COMM_NULL);
    else
        check_works(part);
    if (rank != 0) {
        CHECK_EQUAL(compared(part, MPI_COMM_WORLD), MPI_UNEQUAL);
        check_freed(&part);
    }
}

/* All ranks are on one node. */
static void parts_by_type(void)
{
    MPI_Comm part = MPI_COMM_NULL;
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part));
    CHECK_EQUAL(compared(part, MPI_COMM_WORLD), MPI_CONGRUENT);
    check_works(part);
    check_freed(&part);
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, -rank,
                                 MPI_INFO_NULL, &part));
    CHECK((part == MPI_COMM_NULL) == (rank == 0));
    if (rank != 0)
        check_freed(&part);
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part));
    CHECK(part == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &part));
    CHECK(part == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, MPI_INFO_NULL, &part));
    CHECK(part == MPI_COMM_NULL);
}

/* Even ranks backwards, and odd ranks in order, as groups. */
static MPI_Group half(void)
{
    int range[1][3] = {{0, 0, -2}};
    MPI_Group world, mine;
    range[0][0] = size - 1 - (size - 1) % 2;
    if (rank % 2 == 1) {
        range[0][0] = 1;
        range[0][1] = size - 1;
        range[0][2] = 2;
    }
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Group_range_incl(world, 1, range, &mine));
    CHECK_OK(MPI_Group_free(&world));
    return mine;
}

static void check_half(MPI_Comm part, MPI_Group group)
{
    MPI_Group found;
    int result = -1;
    CHECK_OK(MPI_Comm_group(part, &found));
    CHECK_OK(MPI_Group_compare(found, group, &result));
    CHECK_EQUAL(result, MPI_IDENT);
    CHECK_OK(MPI_Group_free(&found));
    check_works(part);
    check_freed(&part);
}

static void of_groups(void)
{
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Group mine = half();
    CHECK_OK(MPI_Comm_create(MPI_COMM_WORLD, mine, &part));
    check_half(part, mine);
    CHECK_OK(MPI_Comm_create(MPI_COMM_WORLD, rank % 2 == 0 ? mine : MPI_GROUP_EMPTY, &part));
    if (rank % 2 == 0)
        check_half(part, mine);
    else
        CHECK(part == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 2147483647, &part));
    check_half(part, mine);
    if (rank % 2 == 0) {
        CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 4, &part));
        check_half(part, mine);
        CHECK_OK(MPI_Comm_create_from_group(mine, "half", MPI_INFO_NULL, MPI_ERRORS_RETURN, &part));
        check_half(part, mine);
    }
    CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_EMPTY, 0, &part));
    CHECK(part == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "", MPI_INFO_NULL, MPI_ERRORS_RETURN, &part));
    CHECK(part == MPI_COMM_NULL);
    CHECK_OK(MPI_Group_free(&mine));
}

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME], longer[2 * MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Comm copy;
    CHECK_OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
    CHECK_EQUAL(length, 14);
    CHECK_OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    CHECK(strcmp(name, "MPI_COMM_SELF") == 0);
    CHECK_OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length));
    CHECK(strcmp(name, "MPI_COMM_NULL") == 0);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CHECK_OK(MPI_Comm_get_name(copy, name, &length));
    CHECK_EQUAL(length, 0);
    CHECK_OK(MPI_Comm_set_name(copy, "rows"));
    CHECK_OK(MPI_Comm_get_name(copy, name, &length));
    CHECK(strcmp(name, "rows") == 0 && length == 4);
    CHECK_ERROR(MPI_Send(NULL, 0, MPI_INT, size, 0, copy), MPI_ERR_RANK, "MPI_Send on rows");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    CHECK_OK(MPI_Comm_set_name(copy, longer));
    CHECK_OK(MPI_Comm_get_name(copy, name, &length));
    CHECK_EQUAL(length, MPI_MAX_OBJECT_NAME - 1);
    CHECK_ERROR(MPI_Comm_set_name(copy, NULL), MPI_ERR_ARG, "null pointer");
    check_freed(&copy);
}

static int errors_seen = 0;

static void count_error(MPI_Comm* comm, int* code, ...)
{
    (void)comm;
    (void)code;
    ++errors_seen;
}

/* Error handlers are inherited, also one of the program that it has freed. */
static void inheritance(void)
{
    MPI_Errhandler mine;
    MPI_Comm copy, part;
    errors_seen = 0;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CHECK_OK(MPI_Comm_create_errhandler(count_error, &mine));
    CHECK_OK(MPI_Comm_set_errhandler(copy, mine));
    CHECK_OK(MPI_Errhandler_free(&mine));
    CHECK_OK(MPI_Comm_split(copy, 0, 0, &part));
    check_freed(&copy);
    CHECK(MPI_Send(NULL, 0, MPI_INT, -5, 0, part) != MPI_SUCCESS);
    CHECK_EQUAL(errors_seen, 1);
    check_freed(&part);
}

/* What is under way on a freed communicator ends as ever. */
static void freed_while_used(void)
{
    enum { kBytes = 300000 };
    static char out[kBytes], in[kBytes];
    MPI_Comm copy;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    memset(out, rank + 1, sizeof out);
    CHECK_OK(MPI_Irecv(in, kBytes, MPI_CHAR, from, 1, copy, &requests[0]));
    CHECK_OK(MPI_Isend(out, kBytes, MPI_CHAR, to, 1, copy, &requests[1]));
    check_freed(&copy);
    CHECK_OK(MPI_Waitall(2, requests, statuses));
    CHECK_EQUAL(statuses[0].MPI_SOURCE, from);
    CHECK_EQUAL(in[0], from + 1);
    CHECK_EQUAL(in[kBytes - 1], from + 1);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CHECK_OK(MPI_Send_init(&rank, 1, MPI_INT, to, 2, copy, &requests[0]));
    CHECK_OK(MPI_Recv_init(in, 1, MPI_INT, from, 2, copy, &requests[1]));
    check_freed(&copy);
    CHECK_OK(MPI_Startall(2, requests));
    CHECK_OK(MPI_Waitall(2, requests, statuses));
    memcpy(out, &from, sizeof from);
    CHECK(memcmp(in, out, sizeof from) == 0);
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_Request_free(&requests[1]));
    /* A message that nobody receives does no harm. */
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CHECK_OK(MPI_Send(&rank, 1, MPI_INT, to, 2, copy));
    CHECK_OK(MPI_Comm_disconnect(&copy));
    CHECK(copy == MPI_COMM_NULL);
}

/* Contexts are not used up by thousands of communicators. */
static void many(void)
{
    MPI_Comm copies[20];
    int round, i;
    for (round = 0; round < 20; ++round) {
        for (i = 0; i < 20; ++i)
            CHECK_OK(MPI_Comm_dup(i == 0 ? MPI_COMM_WORLD : copies[i - 1], &copies[i]));
        for (i = 0; i < 20; ++i)
            check_freed(&copies[i]);
    }
}

static void infos(void)
{
    MPI_Info info;
    CHECK_OK(MPI_Comm_set_info(MPI_COMM_WORLD, MPI_INFO_NULL));
    CHECK_OK(MPI_Comm_get_info(MPI_COMM_WORLD, &info));
    CHECK_OK(MPI_Info_free(&info));
    CHECK(info == MPI_INFO_NULL);
    CHECK_ERROR(MPI_Comm_get_info(MPI_COMM_WORLD, NULL), MPI_ERR_ARG, "info_used");
    CHECK_ERROR(MPI_Comm_set_info(MPI_COMM_NULL, MPI_INFO_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Comm_set_info(MPI_COMM_WORLD, (MPI_Info)MPI_COMM_WORLD), MPI_ERR_INFO, "is no info");
}

static void wrong(void)
{
    MPI_Comm comm = MPI_COMM_NULL, freed;
    MPI_Request request;
    MPI_Group outside, self;
    int number = 0;
    CHECK_ERROR(MPI_Comm_dup(MPI_COMM_NULL, &comm), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Comm_dup(MPI_COMM_WORLD, NULL), MPI_ERR_ARG, "newcomm");
    CHECK_ERROR(MPI_Comm_dup_with_info(MPI_COMM_WORLD, (MPI_Info)MPI_INT, &comm), MPI_ERR_INFO, "is no info");
    CHECK_ERROR(MPI_Comm_idup(MPI_COMM_WORLD, &comm, NULL), MPI_ERR_ARG, "request");
    CHECK_ERROR(MPI_Comm_idup(MPI_COMM_WORLD, NULL, &request), MPI_ERR_ARG, "newcomm");
    CHECK_ERROR(MPI_Comm_split(MPI_COMM_WORLD, -1, 0, &comm), MPI_ERR_ARG, "the color is -1");
    CHECK_ERROR(MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED - 1, 0, &comm), MPI_ERR_ARG, "color");
    CHECK_ERROR(MPI_Comm_split_type(MPI_COMM_WORLD, 0, 0, MPI_INFO_NULL, &comm), MPI_ERR_ARG, "split type is 0");
    CHECK_ERROR(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &comm), MPI_ERR_GROUP, "MPI_GROUP_NULL");
    CHECK_ERROR(MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_EMPTY, -1, &comm), MPI_ERR_TAG, "tag -1");
    CHECK_ERROR(MPI_Comm_create_from_group(MPI_GROUP_NULL, "", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
                MPI_ERR_GROUP, "MPI_Comm_create_from_group: ");
    CHECK_ERROR(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
                MPI_ERR_ARG, "stringtag");
    CHECK_ERROR(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "", MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &comm),
                MPI_ERR_ERRHANDLER, "error handler");
    CHECK_ERROR(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_NULL, &number), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Comm_group(MPI_COMM_WORLD, NULL), MPI_ERR_ARG, "group");
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &outside));
    CHECK_OK(MPI_Comm_group(MPI_COMM_SELF, &self));
    if (size > 1)
        CHECK_ERROR(MPI_Comm_create(MPI_COMM_SELF, outside, &comm), MPI_ERR_GROUP, "not in the communicator");
    CHECK_OK(MPI_Group_free(&outside));
    CHECK_OK(MPI_Group_free(&self));
    freed = MPI_COMM_WORLD;
    CHECK_ERROR(MPI_Comm_free(&freed), MPI_ERR_COMM, "predefined");
    CHECK_ERROR(MPI_Comm_disconnect(&freed), MPI_ERR_COMM, "predefined");
    CHECK_ERROR(MPI_Comm_free(NULL), MPI_ERR_ARG, "null pointer");
    freed = MPI_COMM_NULL;
    CHECK_ERROR(MPI_Comm_free(&freed), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    freed = comm;
    check_freed(&comm);
    CHECK_ERROR(MPI_Comm_size(freed, &number), MPI_ERR_COMM, "was freed");
    CHECK_ERROR(MPI_Send(NULL, 0, MPI_INT, 0, 0, freed), MPI_ERR_COMM, "was freed");
    CHECK_ERROR(MPI_Comm_free(&freed), MPI_ERR_COMM, "was freed");
}

/* Ranks that name each other, but in another order. */
static void disagreement(void)
{
    const int forwards[] = {0, 1}, backwards[] = {1, 0};
    MPI_Group world, mine = MPI_GROUP_EMPTY;
    MPI_Comm comm = MPI_COMM_NULL;
    if (size == 1)
        return;
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    if (rank < 2) {
        CHECK_OK(MPI_Group_incl(world, 2, rank == 0 ? forwards : backwards, &mine));
        CHECK_ERROR(MPI_Comm_create(MPI_COMM_WORLD, mine, &comm), MPI_ERR_ARG, "must give the same");
        CHECK_OK(MPI_Group_free(&mine));
    } else {
        CHECK_OK(MPI_Comm_create(MPI_COMM_WORLD, mine, &comm));
    }
    CHECK(comm == MPI_COMM_NULL);
    CHECK_OK(MPI_Group_free(&world));
}

int main(int argc, char** argv)
{
    MPI_Comm left;
    MPI_Init(&argc, &argv);
    check_errors_return();
    size = check_size();
    rank = check_rank();
    duplicates();
    duplicates_without_waiting();
    parts();
    parts_by_type();
    of_groups();
    names();
    inheritance();
    freed_while_used();
    many();
    infos();
    wrong();
    disagreement();
    CHECK_OK(MPI_Comm_get_parent(&left));
    CHECK(left == MPI_COMM_NULL);
    /* One that is never freed. */
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &never_freed));
    MPI_Finalize();
    return check_result();
}
