/* Communicators of all sorts. */
#include "differential.h"

enum { kPlaces = 8 };

static Place places[kPlaces], inter;

static Place place_of(MPI_Comm comm, const char* name)
{
    Place place = {comm, name, -1, 0, 0};
    if (comm != MPI_COMM_NULL) {
        int is_inter = 0;
        MPI_Comm_rank(comm, &place.rank);
        MPI_Comm_size(comm, &place.size);
        MPI_Comm_test_inter(comm, &is_inter);
        if (is_inter)
            MPI_Comm_remote_size(comm, &place.remote);
    }
    return place;
}

static MPI_Comm some_ranks(int size, int by_group)
{
    MPI_Group all, some;
    MPI_Comm made = MPI_COMM_NULL;
    int ranks[kMostRanks], is_in;
    for (int i = 0; i < size; ++i)
        ranks[i] = i;
    shuffle(ranks, size);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, (size + 1) / 2, ranks, &some);
    MPI_Group_rank(some, &is_in);
    if (!by_group)
        MPI_Comm_create(MPI_COMM_WORLD, some, &made);
    else if (is_in != MPI_UNDEFINED)
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 7, &made);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
    return made;
}

/* Ranks below `border` on one side, the others on the other. */
static MPI_Comm two_groups(int rank, int size, int border)
{
    MPI_Comm half, made;
    MPI_Comm_split(MPI_COMM_WORLD, rank < border, 0, &half);
    if (size < 2)
        made = MPI_COMM_NULL;
    else
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < border ? border : 0, 5, &made);
    MPI_Comm_free(&half);
    return made;
}

void make_places(void)
{
    const Place world = place_of(MPI_COMM_WORLD, "world");
    const int colors = 1 + below(3), is_reversed = chance(50),
              border = world.size < 2 ? 0 : 1 + below(world.size - 1);
    const int is_periodic = below(2), no_color = below(4);
    MPI_Comm made;
    places[0] = world;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    places[1] = place_of(made, "duplicate");
    MPI_Comm_split(MPI_COMM_WORLD, world.rank % colors == no_color ? MPI_UNDEFINED : world.rank % colors,
                   is_reversed ? -world.rank : 0, &made);
    places[2] = place_of(made, "split");
    places[3] = place_of(some_ranks(world.size, 0), "created");
    places[4] = place_of(some_ranks(world.size, 1), "group");
    MPI_Cart_create(MPI_COMM_WORLD, 1, &world.size, &is_periodic, 0, &made);
    places[5] = place_of(made, "line");
    if (places[1].size % 2 == 0) {
        MPI_Request request;
        MPI_Comm_idup(places[1].comm, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
    }
    places[6] = place_of(made, "copy");
    inter = place_of(two_groups(world.rank, world.size, border), "two groups");
    made = MPI_COMM_NULL;
    if (inter.comm != MPI_COMM_NULL)
        MPI_Intercomm_merge(inter.comm, (world.rank < border) == is_reversed, &made);
    places[7] = place_of(made, "merged");
    for (int i = 0; i < kPlaces; ++i) {
        note(places[i].rank);
        note(places[i].size);
    }
}

void free_places(void)
{
    for (int i = 1; i < kPlaces; ++i)
        if (places[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&places[i].comm);
    if (inter.comm != MPI_COMM_NULL)
        MPI_Comm_free(&inter.comm);
}

Place draw_place(void)
{
    const Place place = places[chance(40) ? 0 : below(kPlaces)];
    describe(place.name);
    return place;
}

Place inter_place(void)
{
    return inter;
}
