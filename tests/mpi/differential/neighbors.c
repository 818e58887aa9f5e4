/* Topologies, and the collectives among neighbours. */
#include <stdlib.h>
#include "differential.h"

enum { kDimensions = 2 };

static Place place;
static Match match;
static int sources[kMostRanks], destinations[kMostRanks], source_count, destination_count;

static void make_grid(void)
{
    int dims[kDimensions] = {0, 0}, periods[kDimensions], coords[kDimensions], world_size, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Dims_create(world_size, kDimensions, dims);
    describe("grid");
    /* Whoever is a neighbour twice has to tell two messages apart, in which MPIs differ. */
    for (int i = 0; i < kDimensions; ++i) {
        note(dims[i]);
        periods[i] = dims[i] > 2 && chance(50);
    }
    MPI_Cart_create(MPI_COMM_WORLD, kDimensions, dims, periods, 0, &place.comm);
    MPI_Comm_rank(place.comm, &place.rank);
    MPI_Comm_size(place.comm, &place.size);
    MPI_Cart_coords(place.comm, place.rank, kDimensions, coords);
    MPI_Cart_rank(place.comm, coords, &rank);
    note(rank);
    source_count = destination_count = 0;
    for (int i = 0; i < kDimensions; ++i) {
        int low, high;
        MPI_Cart_shift(place.comm, i, 1, &low, &high);
        note(coords[i]);
        note(low == MPI_PROC_NULL ? -1 : low);
        note(high == MPI_PROC_NULL ? -1 : high);
        sources[source_count++] = destinations[destination_count++] = low;
        sources[source_count++] = destinations[destination_count++] = high;
    }
    if (chance(50)) {
        const int kept = below(2), remain[kDimensions] = {kept, !kept || chance(50)};
        int sum = 0, one = place.rank;
        MPI_Comm sub;
        MPI_Cart_sub(place.comm, remain, &sub);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, sub);
        note(sum);
        MPI_Comm_free(&sub);
    }
}

static void make_graph(void)
{
    int edges[kMostRanks][kMostRanks], weighted, in, out;
    MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &place.size);
    describe("graph");
    source_count = destination_count = 0;
    for (int i = 0; i < place.size; ++i)
        for (int j = 0; j < place.size; ++j)
            edges[i][j] = chance(45);
    for (int i = 0; i < place.size; ++i) {
        if (edges[i][place.rank])
            sources[source_count++] = i;
        if (edges[place.rank][i])
            destinations[destination_count++] = i;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, source_count, sources, MPI_UNWEIGHTED, destination_count,
                                   destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &place.comm);
    MPI_Dist_graph_neighbors_count(place.comm, &in, &out, &weighted);
    note(in);
    note(out);
    note(weighted);
}

/* What goes from one rank to another, in rounds of the match. */
static int rounds_between(int from, int to, int salt, int most)
{
    if (from == MPI_PROC_NULL || to == MPI_PROC_NULL)
        return 0;
    return (int)(mixed((uint64_t)(from * 131 + to * 17 + salt)) % (uint64_t)(most + 1));
}

void step_neighbors(void)
{
    describe("neighbors");
    place.remote = 0;
    if (chance(50))
        make_grid();
    else
        make_graph();
    draw_form();
    match = draw_match();
    const int salt = below(1000), most = match.first.most_items < 1000 || match.second.most_items < 1000 ? 1
                                         : chance(20)                                                    ? 900
                                                                                                         : 4;
    int out_counts[kMostRanks], in_counts[kMostRanks], out_places[kMostRanks], in_places[kMostRanks];
    int out_items = 0, in_items = 0;
    const int what = below(5), is_each = what == 0 || what == 1;
    /* An allgather sends one block, which is then of a length a sender. */
    const int is_gather = what == 0 || what == 2;
    for (int i = 0; i < destination_count; ++i) {
        const int rounds =
            is_each ? most : rounds_between(place.rank, is_gather ? 0 : destinations[i], salt, most);
        out_counts[i] = rounds * match.first_items;
        out_places[i] = out_items;
        out_items += out_counts[i];
    }
    for (int i = 0; i < source_count; ++i) {
        const int rounds =
            is_each ? most : rounds_between(sources[i], is_gather ? 0 : place.rank, salt, most);
        in_counts[i] = rounds * match.second_items;
        in_places[i] = in_items;
        in_items += in_counts[i];
    }
    const int own = (is_each ? most : rounds_between(place.rank, 0, salt, most)) * match.first_items;
    if (is_gather && out_items < own)
        out_items = own;
    Area out = new_area(&match.first, out_items, salt_of(place.rank, 1));
    Area in = new_area(&match.second, in_items, salt_of(place.rank, 2));
    switch (what) {
        case 0:
            describe("allgather");
            COLLECTIVE(&place, Neighbor_allgather, neighbor_allgather, out.first, own, match.first.type,
                       in.first, most * match.second_items, match.second.type, place.comm);
            break;
        case 1:
            describe("alltoall");
            COLLECTIVE(&place, Neighbor_alltoall, neighbor_alltoall, out.first, own, match.first.type,
                       in.first, most * match.second_items, match.second.type, place.comm);
            break;
        case 2:
            describe("allgatherv");
            COLLECTIVE(&place, Neighbor_allgatherv, neighbor_allgatherv, out.first, own, match.first.type,
                       in.first, in_counts, in_places, match.second.type, place.comm);
            break;
        case 3:
            describe("alltoallv");
            COLLECTIVE(&place, Neighbor_alltoallv, neighbor_alltoallv, out.first, out_counts, out_places,
                       match.first.type, in.first, in_counts, in_places, match.second.type, place.comm);
            break;
        default: {
            MPI_Aint out_bytes[kMostRanks], in_bytes[kMostRanks];
            MPI_Datatype sent[kMostRanks], received[kMostRanks];
            describe("alltoallw");
            for (int i = 0; i < destination_count; ++i) {
                out_bytes[i] = item_at(&out, &match.first, out_places[i]) - out.first;
                sent[i] = match.first.type;
            }
            for (int i = 0; i < source_count; ++i) {
                in_bytes[i] = item_at(&in, &match.second, in_places[i]) - in.first;
                received[i] = match.second.type;
            }
            COLLECTIVE(&place, Neighbor_alltoallw, neighbor_alltoallw, out.first, out_counts, out_bytes, sent,
                       in.first, in_counts, in_bytes, received, place.comm);
        }
    }
    note_area(&in);
    note_area(&out);
    free_match(&match);
    MPI_Comm_free(&place.comm);
}
