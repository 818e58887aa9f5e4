/* Groups: made of lists, ranges and other groups; their ranks, comparisons and errors. */
#include "check.h"

static MPI_Group world = MPI_GROUP_NULL;
static int size, rank;

static int size_of(MPI_Group group)
{
    int number = -1;
    CHECK_OK(MPI_Group_size(group, &number));
    return number;
}

static int compared(MPI_Group one, MPI_Group other)
{
    int result = -1;
    CHECK_OK(MPI_Group_compare(one, other, &result));
    return result;
}

/* The group's rank `place` is this rank of MPI_COMM_WORLD. */
static void check_place(MPI_Group group, int place, int expected)
{
    int found = -1;
    CHECK_OK(MPI_Group_translate_ranks(group, 1, &place, world, &found));
    CHECK_EQUAL(found, expected);
}

static void check_free(MPI_Group* group)
{
    CHECK_OK(MPI_Group_free(group));
    CHECK(*group == MPI_GROUP_NULL);
}

static void whole(void)
{
    MPI_Group self, again;
    int number = -1, i;
    CHECK_EQUAL(size_of(world), size);
    CHECK_OK(MPI_Group_rank(world, &number));
    CHECK_EQUAL(number, rank);
    for (i = 0; i < size; ++i)
        check_place(world, i, i);
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &again));
    CHECK_EQUAL(compared(world, again), MPI_IDENT);
    CHECK_OK(MPI_Comm_group(MPI_COMM_SELF, &self));
    CHECK_EQUAL(size_of(self), 1);
    check_place(self, 0, rank);
    CHECK_EQUAL(compared(world, self), size == 1 ? MPI_IDENT : MPI_UNEQUAL);
    check_free(&self);
    check_free(&again);
}

static void empty(void)
{
    MPI_Group none = MPI_GROUP_EMPTY;
    int number = -1;
    CHECK_EQUAL(size_of(MPI_GROUP_EMPTY), 0);
    CHECK_OK(MPI_Group_rank(MPI_GROUP_EMPTY, &number));
    CHECK_EQUAL(number, MPI_UNDEFINED);
    CHECK_EQUAL(compared(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY), MPI_IDENT);
    CHECK_EQUAL(compared(MPI_GROUP_EMPTY, world), MPI_UNEQUAL);
    CHECK_OK(MPI_Group_incl(world, 0, NULL, &none));
    CHECK(none == MPI_GROUP_EMPTY);
    check_free(&none);
    CHECK_EQUAL(size_of(MPI_GROUP_EMPTY), 0);
    CHECK_OK(MPI_Group_excl(MPI_GROUP_EMPTY, 0, NULL, &none));
    CHECK(none == MPI_GROUP_EMPTY);
    CHECK_OK(MPI_Group_difference(world, world, &none));
    CHECK(none == MPI_GROUP_EMPTY);
}

static void lists(void)
{
    int ranks[64];
    MPI_Group backwards, rest, all;
    int number = -1, i;
    for (i = 0; i < size; ++i)
        ranks[i] = size - 1 - i;
    CHECK_OK(MPI_Group_incl(world, size, ranks, &backwards));
    CHECK_EQUAL(compared(world, backwards), size == 1 ? MPI_IDENT : MPI_SIMILAR);
    CHECK_OK(MPI_Group_rank(backwards, &number));
    CHECK_EQUAL(number, size - 1 - rank);
    for (i = 0; i < size; ++i)
        check_place(backwards, i, size - 1 - i);
    /* All but the last of them, which is rank 0. */
    ranks[0] = size - 1;
    CHECK_OK(MPI_Group_excl(backwards, 1, ranks, &rest));
    CHECK_EQUAL(size_of(rest), size - 1);
    for (i = 0; i < size - 1; ++i)
        check_place(rest, i, size - 1 - i);
    CHECK_OK(MPI_Group_excl(backwards, 0, NULL, &all));
    CHECK_EQUAL(compared(all, backwards), MPI_IDENT);
    check_free(&all);
    check_free(&backwards);
    check_free(&rest);
}

static void ranges(void)
{
    int even[1][3] = {{0, 0, 2}};
    int down_and_one[2][3] = {{3, 1, -2}, {4, 4, 7}};
    MPI_Group part, rest;
    int i;
    even[0][1] = size - 1; /* not met if it is odd */
    CHECK_OK(MPI_Group_range_incl(world, 1, even, &part));
    CHECK_EQUAL(size_of(part), (size + 1) / 2);
    for (i = 0; i < (size + 1) / 2; ++i)
        check_place(part, i, 2 * i);
    check_free(&part);
    even[0][1] = size; /* the last rank that is met counts */
    if (size % 2 == 1) {
        CHECK_OK(MPI_Group_range_incl(world, 1, even, &part));
        check_free(&part);
    } else
        CHECK_ERROR(MPI_Group_range_incl(world, 1, even, &part), MPI_ERR_RANK, "which ranges names");
    CHECK_OK(MPI_Group_range_incl(world, 0, NULL, &rest));
    CHECK(rest == MPI_GROUP_EMPTY);
    if (size < 5)
        return;
    CHECK_OK(MPI_Group_range_incl(world, 2, down_and_one, &part));
    CHECK_EQUAL(size_of(part), 3);
    check_place(part, 0, 3);
    check_place(part, 1, 1);
    check_place(part, 2, 4);
    CHECK_OK(MPI_Group_range_excl(world, 2, down_and_one, &rest));
    CHECK_EQUAL(size_of(rest), size - 3);
    check_place(rest, 0, 0);
    check_place(rest, 1, 2);
    check_free(&part);
    check_free(&rest);
}

static void sets(void)
{
    /* One has ranks 2 1 0, two 1 3 2. */
    const int one_ranks[] = {2, 1, 0}, two_ranks[] = {1, 3, 2}, all[] = {2, 1, 0, 3};
    const int asked[] = {0, 1, MPI_PROC_NULL, 2};
    int found[4], i;
    MPI_Group one, two, made;
    if (size < 4)
        return;
    CHECK_OK(MPI_Group_incl(world, 3, one_ranks, &one));
    CHECK_OK(MPI_Group_incl(world, 3, two_ranks, &two));
    CHECK_OK(MPI_Group_union(one, two, &made));
    CHECK_EQUAL(size_of(made), 4);
    for (i = 0; i < 4; ++i)
        check_place(made, i, all[i]);
    check_free(&made);
    CHECK_OK(MPI_Group_intersection(one, two, &made));
    CHECK_EQUAL(size_of(made), 2);
    check_place(made, 0, 2);
    check_place(made, 1, 1);
    check_free(&made);
    CHECK_OK(MPI_Group_difference(two, one, &made));
    CHECK_EQUAL(size_of(made), 1);
    check_place(made, 0, 3);
    check_free(&made);
    CHECK_OK(MPI_Group_translate_ranks(one, 4, asked, two, found));
    CHECK_EQUAL(found[0], 2);
    CHECK_EQUAL(found[1], 0);
    CHECK_EQUAL(found[2], MPI_PROC_NULL);
    CHECK_EQUAL(found[3], MPI_UNDEFINED);
    CHECK_EQUAL(compared(one, two), MPI_UNEQUAL);
    check_free(&one);
    check_free(&two);
}

static void wrong(void)
{
    const int twice[] = {0, 0};
    const int outside[] = {0, 1000}, below[] = {-1};
    int no_step[1][3] = {{0, 0, 0}}, away[1][3] = {{0, 5, -1}}, huge[1][3] = {{0, 2147483647, 1}};
    int overlapping[2][3] = {{0, 0, 1}, {0, 0, 1}};
    int number = 7;
    MPI_Group group = MPI_GROUP_NULL, freed;
    CHECK_ERROR(MPI_Group_size(MPI_GROUP_NULL, &number), MPI_ERR_GROUP, "MPI_GROUP_NULL");
    CHECK_ERROR(MPI_Group_size((MPI_Group)MPI_COMM_WORLD, &number), MPI_ERR_GROUP, "is no group");
    CHECK_ERROR(MPI_Group_size(world, NULL), MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Group_incl(world, -1, twice, &group), MPI_ERR_ARG, "negative");
    CHECK_ERROR(MPI_Group_incl(world, 1, NULL, &group), MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Group_incl(world, 2, twice, &group), MPI_ERR_RANK, "names rank 0 twice");
    CHECK_ERROR(MPI_Group_incl(world, 2, outside, &group), MPI_ERR_RANK, "no rank 1000");
    CHECK_ERROR(MPI_Group_excl(world, 1, below, &group), MPI_ERR_RANK, "no rank -1");
    CHECK_ERROR(MPI_Group_excl(world, 2, twice, &group), MPI_ERR_RANK, "twice");
    CHECK_ERROR(MPI_Group_range_incl(world, 1, no_step, &group), MPI_ERR_ARG, "stride");
    CHECK_ERROR(MPI_Group_range_incl(world, 1, away, &group), MPI_ERR_ARG, "stride");
    CHECK_ERROR(MPI_Group_range_incl(world, 1, huge, &group), MPI_ERR_RANK, "which ranges names");
    CHECK_ERROR(MPI_Group_range_excl(world, 2, overlapping, &group), MPI_ERR_RANK, "twice");
    CHECK_ERROR(MPI_Group_translate_ranks(world, 2, outside, world, &number), MPI_ERR_RANK, "ranks1");
    CHECK_ERROR(MPI_Group_translate_ranks(world, -2, outside, world, &number), MPI_ERR_ARG, "negative");
    CHECK_ERROR(MPI_Group_union(world, MPI_GROUP_NULL, &group), MPI_ERR_GROUP, "MPI_GROUP_NULL");
    CHECK_ERROR(MPI_Group_compare(world, world, NULL), MPI_ERR_ARG, "result");
    CHECK_ERROR(MPI_Group_free(NULL), MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Group_free(&group), MPI_ERR_GROUP, "MPI_GROUP_NULL");
    CHECK_OK(MPI_Group_incl(world, 1, twice, &group));
    freed = group;
    check_free(&group);
    CHECK_ERROR(MPI_Group_size(freed, &number), MPI_ERR_GROUP, "was freed");
    CHECK_ERROR(MPI_Group_free(&freed), MPI_ERR_GROUP, "was freed");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    size = check_size();
    rank = check_rank();
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    whole();
    empty();
    lists();
    ranges();
    sets();
    wrong();
    check_free(&world);
    MPI_Finalize();
    return check_result();
}
