/* Collectives that move blocks: from one, to one, from all to all; equal blocks and others. */
#include <stdlib.h>
#include "differential.h"

static Place place;
static Match match;

/* Counts and displacements of a block a rank, in rounds of the match: in any order, with gaps. */
typedef struct Blocks {
    int rounds[kMostRanks], places[kMostRanks];
    int end;
} Blocks;

static int most_rounds(int blocks)
{
    const int first = match.first.most_items / match.first_items;
    const int second = match.second.most_items / match.second_items;
    const int most = (first < second ? first : second) / blocks;
    const int wanted = chance(15) ? 1 : chance(80) ? 6 : 3000;
    return wanted < most ? wanted : most;
}

static Blocks draw_blocks(int count)
{
    Blocks blocks = {.end = below(2)};
    const int most = most_rounds(4 * (count + 1));
    int order[kMostRanks];
    for (int i = 0; i < count; ++i)
        order[i] = i;
    if (chance(50))
        shuffle(order, count);
    for (int i = 0; i < count; ++i) {
        const int block = order[i];
        blocks.rounds[block] = most < 1 || chance(20) ? 0 : 1 + below(most);
        blocks.places[block] = blocks.end;
        blocks.end += blocks.rounds[block] + below(most > 2 ? 2 : 1);
    }
    return blocks;
}

/* Of one of the match's kinds. */
typedef struct Items {
    int counts[kMostRanks], places[kMostRanks];
    int end;
} Items;

static Items items_of(const Blocks* blocks, int items, int count)
{
    Items all = {.end = blocks->end * items};
    for (int i = 0; i < count; ++i) {
        all.counts[i] = blocks->rounds[i] * items;
        all.places[i] = blocks->places[i] * items;
    }
    return all;
}

static int begins(const char* words)
{
    describe(words);
    place = draw_place();
    if (place.comm == MPI_COMM_NULL)
        return 0;
    draw_form();
    match = draw_match();
    return 1;
}

static Area first_area(int items)
{
    return new_area(&match.first, items, salt_of(place.rank, 1));
}

static Area second_area(int items)
{
    return new_area(&match.second, items, salt_of(place.rank, 2));
}

#define FIRST(area, items) (area).first, (items), match.first.type
#define SECOND(area, items) (area).first, (items), match.second.type
#define IN_PLACE MPI_IN_PLACE, 0, MPI_DATATYPE_NULL

static void broadcast(int root)
{
    const int rounds = 1 + below(most_rounds(1) + 1);
    describe("broadcast");
    if (place.rank % 2 == 0) {
        Area area = first_area(rounds * match.first_items);
        COLLECTIVE(&place, Bcast, bcast, FIRST(area, rounds * match.first_items), root, place.comm);
        note_area(&area);
    } else {
        Area area = second_area(rounds * match.second_items);
        COLLECTIVE(&place, Bcast, bcast, SECOND(area, rounds * match.second_items), root, place.comm);
        note_area(&area);
    }
}

static void gather(int root, int in_place)
{
    const int rounds = below(most_rounds(place.size) + 1);
    const int count = rounds * match.first_items, each = rounds * match.second_items;
    describe("gather");
    Area out = first_area(count), in = second_area(place.rank == root ? each * place.size : 0);
    if (in_place && place.rank == root)
        COLLECTIVE(&place, Gather, gather, IN_PLACE, SECOND(in, each), root, place.comm);
    else
        COLLECTIVE(&place, Gather, gather, FIRST(out, count), SECOND(in, each), root, place.comm);
    note_area(&in);
    note_area(&out);
}

static void scatter(int root, int in_place)
{
    const int rounds = below(most_rounds(place.size) + 1);
    const int each = rounds * match.first_items, count = rounds * match.second_items;
    describe("scatter");
    Area out = first_area(place.rank == root ? each * place.size : 0), in = second_area(count);
    if (in_place && place.rank == root)
        COLLECTIVE(&place, Scatter, scatter, FIRST(out, each), IN_PLACE, root, place.comm);
    else
        COLLECTIVE(&place, Scatter, scatter, FIRST(out, each), SECOND(in, count), root, place.comm);
    note_area(&in);
    note_area(&out);
}

static void gatherv(int root, int in_place)
{
    const Blocks blocks = draw_blocks(place.size);
    const Items items = items_of(&blocks, match.second_items, place.size);
    const int count = blocks.rounds[place.rank] * match.first_items;
    describe("gatherv");
    Area out = first_area(count), in = second_area(place.rank == root ? items.end : 0);
    if (in_place && place.rank == root)
        COLLECTIVE(&place, Gatherv, gatherv, IN_PLACE, in.first, items.counts, items.places,
                   match.second.type, root, place.comm);
    else
        COLLECTIVE(&place, Gatherv, gatherv, FIRST(out, count), in.first, items.counts, items.places,
                   match.second.type, root, place.comm);
    note_area(&in);
    note_area(&out);
}

static void scatterv(int root, int in_place)
{
    const Blocks blocks = draw_blocks(place.size);
    const Items items = items_of(&blocks, match.first_items, place.size);
    const int count = blocks.rounds[place.rank] * match.second_items;
    describe("scatterv");
    Area out = first_area(place.rank == root ? items.end : 0), in = second_area(count);
    if (in_place && place.rank == root)
        COLLECTIVE(&place, Scatterv, scatterv, out.first, items.counts, items.places, match.first.type,
                   IN_PLACE, root, place.comm);
    else
        COLLECTIVE(&place, Scatterv, scatterv, out.first, items.counts, items.places, match.first.type,
                   SECOND(in, count), root, place.comm);
    note_area(&in);
    note_area(&out);
}

/* One has all blocks. */
void step_one_block(void)
{
    if (!begins("rooted"))
        return;
    const int root = below(place.size), in_place = chance(30);
    if (in_place)
        describe("in place");
    switch (below(5)) {
        case 0:
            broadcast(root);
            break;
        case 1:
            gather(root, in_place);
            break;
        case 2:
            scatter(root, in_place);
            break;
        case 3:
            gatherv(root, in_place);
            break;
        default:
            scatterv(root, in_place);
    }
    free_match(&match);
}

static void allgather(int in_place)
{
    const int rounds = below(most_rounds(place.size) + 1);
    const int count = rounds * match.first_items, each = rounds * match.second_items;
    describe("allgather");
    Area out = first_area(count), in = second_area(each * place.size);
    if (in_place)
        COLLECTIVE(&place, Allgather, allgather, IN_PLACE, SECOND(in, each), place.comm);
    else
        COLLECTIVE(&place, Allgather, allgather, FIRST(out, count), SECOND(in, each), place.comm);
    note_area(&in);
    note_area(&out);
}

static void allgatherv(int in_place)
{
    const Blocks blocks = draw_blocks(place.size);
    const Items items = items_of(&blocks, match.second_items, place.size);
    const int count = blocks.rounds[place.rank] * match.first_items;
    describe("allgatherv");
    Area out = first_area(count), in = second_area(items.end);
    if (in_place)
        COLLECTIVE(&place, Allgatherv, allgatherv, IN_PLACE, in.first, items.counts, items.places,
                   match.second.type, place.comm);
    else
        COLLECTIVE(&place, Allgatherv, allgatherv, FIRST(out, count), in.first, items.counts, items.places,
                   match.second.type, place.comm);
    note_area(&in);
    note_area(&out);
}

static void alltoall(int in_place)
{
    const int rounds = below(most_rounds(place.size) + 1);
    const int count = rounds * match.first_items, each = rounds * match.second_items;
    describe("alltoall");
    Area out = first_area(count * place.size), in = second_area(each * place.size);
    if (in_place)
        COLLECTIVE(&place, Alltoall, alltoall, IN_PLACE, SECOND(in, each), place.comm);
    else
        COLLECTIVE(&place, Alltoall, alltoall, FIRST(out, count), SECOND(in, each), place.comm);
    note_area(&in);
    note_area(&out);
}

void step_blocks(void)
{
    if (!begins("blocks"))
        return;
    const int in_place = chance(30);
    if (in_place)
        describe("in place");
    switch (below(4)) {
        case 0:
            allgather(in_place);
            break;
        case 1:
            allgatherv(in_place);
            break;
        case 2:
            alltoall(in_place);
            break;
        default:
            COLLECTIVE(&place, Barrier, barrier, place.comm);
            describe("barrier");
    }
    free_match(&match);
}

/* What each sends to each: alltoallv, and alltoallw, whose displacements are bytes and whose types differ. */
void step_pairs_of_blocks(void)
{
    static Blocks columns[kMostRanks];
    if (!begins("pairs"))
        return;
    const int in_place = chance(25),
              is_w = chance(50) && place.size > 1; /* Open MPI misplaces a single rank's */
    /* columns[i].rounds[j]: from j to i. */
    for (int i = 0; i < place.size; ++i)
        columns[i] = draw_blocks(place.size);
    if (in_place) {
        describe("in place");
        for (int i = 0; i < place.size; ++i)
            for (int j = 0; j < i; ++j)
                if (columns[i].rounds[j] != columns[j].rounds[i])
                    columns[i].rounds[j] = columns[j].rounds[i] = 0;
    }
    Blocks row = {.end = 0};
    for (int i = 0; i < place.size; ++i) {
        row.rounds[i] = columns[i].rounds[place.rank];
        row.places[i] = row.end;
        row.end += row.rounds[i];
    }
    Items to = items_of(&row, match.first_items, place.size);
    Items from = items_of(&columns[place.rank], match.second_items, place.size);
    Area out = first_area(to.end), in = second_area(from.end);
    describe(is_w ? "alltoallw" : "alltoallv");
    if (is_w) {
        MPI_Datatype sent[kMostRanks], received[kMostRanks];
        for (int i = 0; i < place.size; ++i) {
            to.places[i] = (int)(item_at(&out, &match.first, to.places[i]) - out.first);
            from.places[i] = (int)(item_at(&in, &match.second, from.places[i]) - in.first);
            sent[i] = match.first.type;
            received[i] = match.second.type;
        }
        if (in_place)
            COLLECTIVE(&place, Alltoallw, alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, in.first, from.counts,
                       from.places, received, place.comm);
        else
            COLLECTIVE(&place, Alltoallw, alltoallw, out.first, to.counts, to.places, sent, in.first,
                       from.counts, from.places, received, place.comm);
    } else if (in_place) {
        COLLECTIVE(&place, Alltoallv, alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in.first,
                   from.counts, from.places, match.second.type, place.comm);
    } else {
        COLLECTIVE(&place, Alltoallv, alltoallv, out.first, to.counts, to.places, match.first.type, in.first,
                   from.counts, from.places, match.second.type, place.comm);
    }
    note_area(&in);
    note_area(&out);
    free_match(&match);
}
