/* What needs no other rank: packing, and groups. */
#include <stdlib.h>
#include <string.h>
#include "differential.h"

/* Of items of one kind, unpacked into items of another, whole and in pieces. */
static void pack(const Match* match, int rounds)
{
    const int count = rounds * match->first_items;
    int room, end = 0, begin = 0;
    Area out = new_area(&match->first, count, salt_of(0, 1));
    Area in = new_area(&match->second, rounds * match->second_items, salt_of(0, 2));
    MPI_Pack_size(count, match->first.type, MPI_COMM_SELF, &room);
    char* const packed = malloc((size_t)room + 1);
    describe("pack");
    for (int i = 0; i < count; ++i)
        MPI_Pack(item_at(&out, &match->first, i), 1, match->first.type, packed, room, &end, MPI_COMM_SELF);
    MPI_Unpack(packed, end, &begin, in.first, rounds * match->second_items, match->second.type,
               MPI_COMM_SELF);
    note(begin == end);
    note_area(&in);
    free_area(&out);
    free(packed);
}

static void pack_external(const Match* match, int rounds)
{
    const int count = rounds * match->first_items;
    MPI_Aint room = 0, end = 0, begin = 0;
    Area out = new_area(&match->first, count, salt_of(0, 1));
    Area in = new_area(&match->second, rounds * match->second_items, salt_of(0, 2));
    MPI_Pack_external_size("external32", count, match->first.type, &room);
    char* const packed = malloc((size_t)room + 1);
    describe("external32");
    MPI_Pack_external("external32", out.first, count, match->first.type, packed, room, &end);
    note(room);
    note(end);
    note_bytes(packed, (size_t)end);
    MPI_Unpack_external("external32", packed, end, &begin, in.first, rounds * match->second_items,
                        match->second.type);
    note(begin);
    note_area(&in);
    free_area(&out);
    free(packed);
}

/* Packed by one rank, sent as such, received as the items. */
static void send_packed(const Match* match, int rounds)
{
    const int count = rounds * match->first_items;
    int room, end = 0, rank, size, got = -1;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Area out = new_area(&match->first, count, salt_of(rank, 1));
    Area in = new_area(&match->second, rounds * match->second_items, salt_of(rank, 2));
    MPI_Pack_size(count, match->first.type, MPI_COMM_WORLD, &room);
    char* const packed = malloc((size_t)room + 1);
    describe("packed message");
    MPI_Pack(out.first, count, match->first.type, packed, room, &end, MPI_COMM_WORLD);
    MPI_Isend(packed, end, MPI_PACKED, (rank + 1) % size, 3, MPI_COMM_WORLD, &request);
    MPI_Recv(in.first, rounds * match->second_items, match->second.type, (rank + size - 1) % size, 3,
             MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Get_count(&status, match->second.type, &got);
    note(got);
    note_area(&in);
    free_area(&out);
    free(packed);
}

/* A message ends within an item: how many elements are they? MPICH divides by zero for some datatypes of
   datatypes, so it is not asked for more. */
static void part_of_item(void)
{
    Kind kind = draw_kind();
    MPI_Status status;
    MPI_Request request;
    int count = -1, elements = -1;
    describe("part of an item");
    free_kind(&kind);
    const MPI_Datatype type = kind.base == MPI_DATATYPE_NULL ? MPI_INT : kind.base;
    kind = (Kind){type, type, 1 + below(7), 100, 1};
    MPI_Type_vector(kind.elements, 1, 2, type, &kind.type);
    MPI_Type_commit(&kind.type);
    const Kind base = {kind.base, kind.base, 1, 1, 0};
    const int sent = below(3 * kind.elements + 1);
    Area in = new_area(&kind, 3, salt_of(0, 1)), out = new_area(&base, sent, salt_of(0, 2));
    MPI_Isend(out.first, sent, base.type, 0, 1, MPI_COMM_SELF, &request);
    MPI_Recv(in.first, 3, kind.type, 0, 1, MPI_COMM_SELF, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Get_count(&status, kind.type, &count);
    MPI_Get_elements(&status, kind.type, &elements);
    note(count == MPI_UNDEFINED ? -1 : count);
    note(elements == MPI_UNDEFINED ? -1 : elements);
    note_area(&in);
    free_area(&out);
    free_kind(&kind);
}

void step_packing(void)
{
    Match match = draw_match();
    const int most = match.first.most_items < 1000 || match.second.most_items < 1000 ? 3
                     : chance(80)                                                    ? 6
                                                                                     : 900;
    const int rounds = below(most);
    switch (below(4)) {
        case 0:
            pack(&match, rounds);
            break;
        case 1:
            /* MPICH refuses structs of several types in it, and Open MPI takes a long for 8 bytes. */
            if (match.first.base != MPI_DATATYPE_NULL && match.first.base != MPI_LONG)
                pack_external(&match, rounds);
            break;
        case 2:
            send_packed(&match, rounds);
            break;
        default:
            part_of_item();
    }
    free_match(&match);
}

static void note_group(MPI_Group group, MPI_Group all)
{
    int size, rank, ranks[kMostRanks], translated[kMostRanks];
    MPI_Group_size(group, &size);
    MPI_Group_rank(group, &rank);
    note(size);
    note(rank == MPI_UNDEFINED ? -1 : rank);
    for (int i = 0; i < size; ++i)
        ranks[i] = i;
    MPI_Group_translate_ranks(group, size, ranks, all, translated);
    for (int i = 0; i < size; ++i)
        note(translated[i]);
    MPI_Group_size(all, &size);
    for (int i = 0; i < size; ++i)
        ranks[i] = i;
    MPI_Group_translate_ranks(all, size, ranks, group, translated);
    for (int i = 0; i < size; ++i)
        note(translated[i] == MPI_UNDEFINED ? -1 : translated[i]);
}

static int number_of(int comparison)
{
    return comparison == MPI_IDENT ? 0 : comparison == MPI_CONGRUENT ? 1 : comparison == MPI_SIMILAR ? 2 : 3;
}

static MPI_Group draw_group(MPI_Group all, int size)
{
    MPI_Group made;
    int ranks[kMostRanks];
    const int count = below(size + 1), first = below(size), last = below(size);
    int range[1][3] = {{first, last, first <= last ? 1 + below(3) : -1 - below(3)}};
    for (int i = 0; i < size; ++i)
        ranks[i] = i;
    shuffle(ranks, size);
    switch (below(4)) {
        case 0:
            MPI_Group_incl(all, count, ranks, &made);
            break;
        case 1:
            MPI_Group_excl(all, count, ranks, &made);
            break;
        case 2:
            MPI_Group_range_incl(all, 1, range, &made);
            break;
        default:
            MPI_Group_range_excl(all, 1, range, &made);
    }
    return made;
}

void step_groups(void)
{
    MPI_Group all, one, other, sets[3];
    int size, comparison;
    describe("groups");
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_size(all, &size);
    one = draw_group(all, size);
    other = draw_group(all, size);
    MPI_Group_union(one, other, &sets[0]);
    MPI_Group_intersection(one, other, &sets[1]);
    MPI_Group_difference(one, other, &sets[2]);
    MPI_Group_compare(one, other, &comparison);
    note(number_of(comparison));
    MPI_Group_compare(sets[0], one, &comparison);
    note(number_of(comparison));
    note_group(one, all);
    note_group(other, all);
    for (int i = 0; i < 3; ++i) {
        note_group(sets[i], all);
        if (sets[i] != MPI_GROUP_EMPTY)
            MPI_Group_free(&sets[i]);
    }
    if (one != MPI_GROUP_EMPTY)
        MPI_Group_free(&one);
    if (other != MPI_GROUP_EMPTY)
        MPI_Group_free(&other);
    MPI_Group_free(&all);
}
