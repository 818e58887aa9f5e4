/* Random datatypes, and memory of their items. */
#include <stdlib.h>
#include "differential.h"

enum { kMostElements = 12, kColumns = 400, kManyItems = 1 << 20 };

static MPI_Datatype draw_base(void)
{
    const MPI_Datatype bases[] = {MPI_CHAR,      MPI_BYTE,
                                  MPI_SHORT,     MPI_INT,
                                  MPI_INT,       MPI_UNSIGNED,
                                  MPI_LONG,      MPI_FLOAT,
                                  MPI_DOUBLE,    MPI_DOUBLE,
                                  MPI_UINT8_T,   MPI_INT16_T,
                                  MPI_INT64_T,   MPI_C_FLOAT_COMPLEX,
                                  MPI_LONG_LONG, MPI_SIGNED_CHAR};
    return bases[below((int)(sizeof bases / sizeof *bases))];
}

static MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(type, &low, &extent);
    return extent;
}

/* Blocks of lengths[i] items at displacements[i], which do not overlap, in any order. `step` is what a
   displacement counts. */
typedef struct Layout {
    int count, items;
    int lengths[4], displacements[4];
    MPI_Aint bytes[4];
} Layout;

static Layout draw_layout(int most, MPI_Aint step)
{
    Layout layout = {.count = 1 + below(most < 4 ? most : 4)};
    int order[4], at = below(3);
    const int length = 1 + below(most / layout.count);
    const int is_even = chance(30);
    for (int i = 0; i < layout.count; ++i)
        order[i] = i;
    if (chance(40))
        shuffle(order, layout.count);
    for (int i = 0; i < layout.count; ++i) {
        const int block = order[i];
        layout.lengths[block] = is_even ? length : 1 + below(length);
        layout.displacements[block] = at;
        layout.bytes[block] = at * step;
        layout.items += layout.lengths[block];
        at += layout.lengths[block] + below(3);
    }
    return layout;
}

static Kind replaced(Kind inner, MPI_Datatype type, int items)
{
    Kind outer = inner;
    outer.type = type;
    outer.elements = inner.elements * items;
    outer.own = 1;
    free_kind(&inner);
    return outer;
}

static Kind wrapped(Kind inner)
{
    const int room = kMostElements / inner.elements;
    const MPI_Aint extent = extent_of(inner.type);
    const Layout layout = draw_layout(room, extent);
    MPI_Datatype made;
    const int sort = below(9);
    note(sort);
    switch (sort) {
        case 0:
            MPI_Type_contiguous(layout.items, inner.type, &made);
            return replaced(inner, made, layout.items);
        case 1: {
            const int length = 1 + below(room < 3 ? room : 3), count = 1 + below(room / length);
            MPI_Type_vector(count, length, length + below(3), inner.type, &made);
            return replaced(inner, made, count * length);
        }
        case 2: {
            const int count = 1 + below(room);
            const MPI_Aint stride = (1 + below(3)) * extent + 16 * below(2);
            MPI_Type_create_hvector(count, 1, chance(30) ? -stride : stride, inner.type, &made);
            return replaced(inner, made, count);
        }
        case 3:
            MPI_Type_indexed(layout.count, layout.lengths, layout.displacements, inner.type, &made);
            return replaced(inner, made, layout.items);
        case 4:
            MPI_Type_create_hindexed(layout.count, layout.lengths, layout.bytes, inner.type, &made);
            return replaced(inner, made, layout.items);
        case 5: {
            int displacements[4];
            const int count = 1 + below(room < 4 ? room : 4);
            for (int i = 0; i < count; ++i)
                displacements[i] = 2 * (count - i);
            MPI_Type_create_indexed_block(count, 1, displacements, inner.type, &made);
            return replaced(inner, made, count);
        }
        case 6: {
            MPI_Datatype types[4];
            for (int i = 0; i < 4; ++i)
                types[i] = inner.type;
            MPI_Type_create_struct(layout.count, layout.lengths, layout.bytes, types, &made);
            return replaced(inner, made, layout.items);
        }
        case 7: {
            const int order = chance(50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
            int sizes[2], parts[2], starts[2];
            parts[0] = 1 + below(room < 3 ? room : 3);
            parts[1] = 1 + below(room / parts[0]);
            for (int i = 0; i < 2; ++i) {
                starts[i] = below(3);
                sizes[i] = starts[i] + parts[i] + below(2);
            }
            MPI_Type_create_subarray(2, sizes, parts, starts, order, inner.type, &made);
            return replaced(inner, made, parts[0] * parts[1]);
        }
        default: {
            MPI_Aint low, same;
            MPI_Type_get_extent(inner.type, &low, &same);
            MPI_Type_create_resized(inner.type, low - 16 * below(2), same + 16 * (1 + below(2)), &made);
            return replaced(inner, made, 1);
        }
    }
}

/* Columns of a matrix: items overlap each other's extents. */
static Kind draw_column(MPI_Datatype base)
{
    Kind kind = {MPI_DATATYPE_NULL, base, 1 + below(4), kColumns, 1};
    MPI_Datatype column;
    MPI_Type_vector(kind.elements, 1, kColumns, base, &column);
    MPI_Type_create_resized(column, 0, extent_of(base), &kind.type);
    MPI_Type_free(&column);
    return kind;
}

static Kind draw_mixed(void)
{
    Kind kind = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, 0, kManyItems, 1};
    int lengths[3];
    MPI_Aint places[3];
    MPI_Datatype types[3];
    for (int i = 0; i < 3; ++i) {
        types[i] = draw_base();
        lengths[i] = 1 + below(3);
        places[i] = 48 * i + 8 * below(3);
        kind.elements += lengths[i];
    }
    MPI_Type_create_struct(3, lengths, places, types, &kind.type);
    return kind;
}

static Kind kind_of(MPI_Datatype base)
{
    Kind kind = {base, base, 1, kManyItems, 0};
    const int depth = chance(35) ? 0 : 1 + below(3);
    if (chance(10))
        kind = draw_column(base);
    else
        for (int i = 0; i < depth; ++i)
            kind = wrapped(kind);
    return kind;
}

static void finish_kind(Kind* kind)
{
    MPI_Aint low, extent;
    int size;
    if (kind->own)
        MPI_Type_commit(&kind->type);
    MPI_Type_get_extent(kind->type, &low, &extent);
    note(low);
    note(extent);
    MPI_Type_get_true_extent(kind->type, &low, &extent);
    note(low);
    note(extent);
    MPI_Type_size(kind->type, &size);
    note(size);
}

Kind draw_kind(void)
{
    Kind kind = chance(15) ? draw_mixed() : kind_of(draw_base());
    finish_kind(&kind);
    return kind;
}

static int common_divisor(int a, int b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

Match draw_match(void)
{
    Match match = {.first = draw_kind(), .first_items = 1, .second_items = 1};
    if (match.first.base == MPI_DATATYPE_NULL || chance(30)) {
        match.second = match.first;
        MPI_Type_dup(match.first.type, &match.second.type);
        match.second.own = 1;
    } else {
        match.second = kind_of(match.first.base);
        finish_kind(&match.second);
        const int divisor = common_divisor(match.first.elements, match.second.elements);
        match.first_items = match.second.elements / divisor;
        match.second_items = match.first.elements / divisor;
    }
    return match;
}

void free_kind(Kind* kind)
{
    if (kind->own)
        MPI_Type_free(&kind->type);
}

void free_match(Match* match)
{
    free_kind(&match->first);
    free_kind(&match->second);
}

Area new_area(const Kind* kind, int items, uint64_t salt)
{
    MPI_Aint low, extent, true_low, true_extent;
    Area area = {NULL, 16, NULL};
    MPI_Type_get_extent(kind->type, &low, &extent);
    MPI_Type_get_true_extent(kind->type, &true_low, &true_extent);
    const MPI_Aint steps = items > 1 ? (items - 1) * extent : 0;
    const MPI_Aint first = true_low + (steps < 0 ? steps : 0);
    const MPI_Aint before = first < 0 ? (-first + 15) / 16 * 16 : 0;
    const MPI_Aint behind = true_low + true_extent + (steps > 0 ? steps : 0);
    if (items > 0)
        area.bytes += (size_t)(before + (behind > 0 ? behind : 0));
    area.memory = malloc(area.bytes);
    area.first = area.memory + before;
    for (size_t i = 0; i < area.bytes; ++i)
        area.memory[i] = (char)mixed(salt + i);
    return area;
}

char* item_at(const Area* area, const Kind* kind, int item)
{
    return area->first + item * extent_of(kind->type);
}

void free_area(Area* area)
{
    free(area->memory);
}

void note_area(Area* area)
{
    note_bytes(area->memory, area->bytes);
    free(area->memory);
}
