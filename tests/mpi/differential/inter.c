/* Collectives and messages between two groups. */
#include <stdlib.h>
#include "differential.h"

static Place place;
static Match match;
static int is_low; /* in the group whose first rank is the world's first */

/* Rounds of what a group sends: both draw both. */
static int rounds_of[2];

static int mine(void)
{
    return rounds_of[is_low];
}

static int theirs(void)
{
    return rounds_of[!is_low];
}

#define OUT(count) out.first, (count)*match.first_items, match.first.type
#define IN(count) in.first, (count)*match.second_items, match.second.type

static void note_both(Area* in, Area* out)
{
    note_area(in);
    note_area(out);
}

static Area out_area(int rounds)
{
    return new_area(&match.first, rounds * match.first_items, salt_of(place.rank + 100 * is_low, 1));
}

static Area in_area(int rounds)
{
    return new_area(&match.second, rounds * match.second_items, salt_of(place.rank + 100 * is_low, 2));
}

static int root_of(int root_is_low, int rank)
{
    if (root_is_low != is_low)
        return rank;
    return place.rank == rank ? MPI_ROOT : MPI_PROC_NULL;
}

static void rooted(void)
{
    const int root_is_low = below(2), number = (int)(draw() % 1000);
    const int group = root_is_low == is_low ? place.size : place.remote;
    const int root = root_of(root_is_low, number % group), is_root = root == MPI_ROOT,
              rounds = mine() < theirs() ? mine() : theirs();
    const int sends = root_is_low != is_low;
    const int others = is_root ? place.remote : 0;
    switch (below(3)) {
        case 0: {
            describe("broadcast");
            Area in = is_root ? out_area(rounds) : in_area(rounds);
            if (is_root)
                COLLECTIVE(&place, Bcast, bcast, in.first, rounds * match.first_items, match.first.type, root,
                           place.comm);
            else
                COLLECTIVE(&place, Bcast, bcast, IN(rounds), root, place.comm);
            note_area(&in);
            return;
        }
        case 1: {
            describe("gather");
            Area out = out_area(sends ? rounds : 0), in = in_area(others * rounds);
            COLLECTIVE(&place, Gather, gather, OUT(sends ? rounds : 0), IN(rounds), root, place.comm);
            note_both(&in, &out);
            return;
        }
        default: {
            describe("scatter");
            Area out = out_area(others * rounds), in = in_area(sends ? rounds : 0);
            COLLECTIVE(&place, Scatter, scatter, OUT(rounds), IN(sends ? rounds : 0), root, place.comm);
            note_both(&in, &out);
        }
    }
}

static void unrooted(void)
{
    switch (below(4)) {
        case 0: {
            describe("allgather");
            Area out = out_area(mine()), in = in_area(theirs() * place.remote);
            COLLECTIVE(&place, Allgather, allgather, OUT(mine()), IN(theirs()), place.comm);
            note_both(&in, &out);
            return;
        }
        case 1: {
            describe("alltoall");
            const int each = mine() < theirs() ? mine() : theirs();
            Area out = out_area(each * place.remote), in = in_area(each * place.remote);
            COLLECTIVE(&place, Alltoall, alltoall, OUT(each), IN(each), place.comm);
            note_both(&in, &out);
            return;
        }
        case 2: {
            describe("allgatherv");
            int counts[kMostRanks], places[kMostRanks], end = 0;
            for (int i = 0; i < place.remote; ++i) {
                counts[i] = ((i + theirs()) % 3) * match.second_items;
                places[i] = end;
                end += ((i + theirs()) % 3) * match.second_items;
            }
            const int rounds = (place.rank + mine()) % 3;
            Area out = out_area(rounds), in = new_area(&match.second, end, 3);
            COLLECTIVE(&place, Allgatherv, allgatherv, OUT(rounds), in.first, counts, places,
                       match.second.type, place.comm);
            note_both(&in, &out);
            return;
        }
        default:
            describe("barrier");
            COLLECTIVE(&place, Barrier, barrier, place.comm);
    }
}

static void reductions(void)
{
    enum { kElements = 840 };
    int out[kElements], in[kElements];
    for (int i = 0; i < kElements; ++i) {
        out[i] = (int)(salt_of(place.rank + 100 * is_low, i) % 1000);
        in[i] = -1;
    }
    const int is_sum = below(2), count = 1 + below(kElements);
    const MPI_Op op = is_sum ? MPI_SUM : MPI_MAX;
    switch (below(3)) {
        case 0:
            describe("allreduce");
            COLLECTIVE(&place, Allreduce, allreduce, out, in, count, MPI_INT, op, place.comm);
            break;
        case 1: {
            const int root_is_low = below(2);
            describe("reduce");
            COLLECTIVE(&place, Reduce, reduce, out, in, count, MPI_INT, op, root_of(root_is_low, 0),
                       place.comm);
            break;
        }
        default: {
            /* The groups' blocks together are equally long. */
            const int each = 1 + below(7);
            describe("reduce_scatter_block");
            COLLECTIVE(&place, Reduce_scatter_block, reduce_scatter_block, out, in, each * place.remote,
                       MPI_INT, op, place.comm);
        }
    }
    note_bytes(in, sizeof in);
}

static void exchange(void)
{
    MPI_Status status;
    const int number = (int)(draw() % 1000);
    describe("exchange");
    /* The first ranks of both. */
    if (place.rank != 0)
        return;
    Area out = out_area(mine()), in = in_area(theirs());
    MPI_Sendrecv(OUT(mine()), 0, number, IN(theirs()), MPI_ANY_SOURCE, MPI_ANY_TAG, place.comm, &status);
    note(status.MPI_SOURCE);
    note(status.MPI_TAG);
    note_both(&in, &out);
}

void step_inter(void)
{
    int world_rank;
    describe("between groups");
    place = inter_place();
    if (place.comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    is_low = world_rank == place.rank; /* the low group has the world's first ranks */
    match = draw_match();
    for (int i = 0; i < 2; ++i) {
        rounds_of[i] = below(chance(20) ? 500 : 5);
        if (match.first.most_items < 1000 || match.second.most_items < 1000)
            rounds_of[i] %= 3;
    }
    draw_form();
    switch (below(4)) {
        case 0:
            rooted();
            break;
        case 1:
            unrooted();
            break;
        case 2:
            reductions();
            break;
        default:
            exchange();
    }
    free_match(&match);
}
