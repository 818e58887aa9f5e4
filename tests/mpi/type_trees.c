/* Random trees of datatypes against a list of (basic type, displacement), which is built as the standard defines the
 * constructors: bounds, messages, pack, external32 and numbers of elements. */
#include "check.h"
#include "naive_type.h"

enum { kTrees = 300, kMostEntries = 3000, kMostBytes = 1 << 22 };

static unsigned long state;
/* In [low, high]; the same on all ranks. */
static int any(int low, int high)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return low + (int)((state >> 33) % (unsigned long)(high - low + 1));
}

static void basic_tree(MPI_Datatype* type, Naive* naive)
{
    Entry* entry = malloc(sizeof *entry);
    memset(naive, 0, sizeof *naive);
    entry->basic = any(0, 5);
    entry->at = 0;
    *type = basics[entry->basic].type;
    naive->entries = entry;
    naive->count = 1;
}

static void tree(int levels, MPI_Datatype* type, Naive* naive);

static void free_tree(MPI_Datatype* type, Naive* naive)
{
    int integers, addresses, types, combiner;
    CHECK_OK(MPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner));
    if (combiner != MPI_COMBINER_NAMED)
        CHECK_OK(MPI_Type_free(type));
    free(naive->entries);
}

static void subarray_tree(MPI_Datatype of, const Naive* part, MPI_Datatype* type, Naive* naive)
{
    int sizes[2], taken[2], starts[2], i, j;
    const int fortran = any(0, 1);
    const long extent = extent_of(part);
    for (i = 0; i < 2; ++i) {
        sizes[i] = any(1, 4);
        taken[i] = any(1, sizes[i]);
        starts[i] = any(0, sizes[i] - taken[i]);
    }
    CHECK_OK(MPI_Type_create_subarray(2, sizes, taken, starts, fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, of, type));
    {
        const int slow = fortran ? 1 : 0, fast = 1 - slow;
        for (i = 0; i < taken[slow]; ++i)
            for (j = 0; j < taken[fast]; ++j)
                add(naive, part, ((starts[slow] + i) * sizes[fast] + starts[fast] + j) * extent);
    }
    naive->marked = 0;
    mark(naive, 0, sizes[0] * sizes[1] * extent);
}

static void struct_tree(int levels, MPI_Datatype* type, Naive* naive)
{
    MPI_Datatype types[3] = {0};
    Naive parts[3];
    int lengths[3] = {0}, i;
    MPI_Aint places[3] = {0};
    const int count = any(0, 3);
    for (i = 0; i < count; ++i) {
        tree(levels - 1, &types[i], &parts[i]);
        lengths[i] = any(0, 3);
        places[i] = any(-100, 300);
        add_block(naive, &parts[i], lengths[i], places[i]);
    }
    CHECK_OK(MPI_Type_create_struct(count, lengths, places, types, type));
    for (i = 0; i < count; ++i)
        free_tree(&types[i], &parts[i]);
}

/* The inner types are freed at once. */
static void tree(int levels, MPI_Datatype* type, Naive* naive)
{
    MPI_Datatype of;
    Naive part;
    int lengths[4] = {0}, units[4] = {0}, i;
    MPI_Aint places[4] = {0};
    const int count = any(0, 4), length = any(0, 3), stride = any(-5, 5);
    long extent;
    if (levels == 0 || any(0, 9) == 0) {
        basic_tree(type, naive);
        return;
    }
    memset(naive, 0, sizeof *naive);
    if (any(0, 4) == 0) {
        struct_tree(levels, type, naive);
        return;
    }
    tree(levels - 1, &of, &part);
    extent = extent_of(&part);
    for (i = 0; i < count; ++i) {
        lengths[i] = any(0, 3);
        units[i] = any(-6, 6);
        places[i] = any(-200, 200);
    }
    switch (any(0, 9)) {
        case 0:
            CHECK_OK(MPI_Type_contiguous(count, of, type));
            add_block(naive, &part, count, 0);
            break;
        case 1:
            CHECK_OK(MPI_Type_vector(count, length, stride, of, type));
            for (i = 0; i < count; ++i)
                add_block(naive, &part, length, i * stride * extent);
            break;
        case 2:
            CHECK_OK(MPI_Type_create_hvector(count, length, 7 * stride, of, type));
            for (i = 0; i < count; ++i)
                add_block(naive, &part, length, i * 7 * stride);
            break;
        case 3:
            CHECK_OK(MPI_Type_indexed(count, lengths, units, of, type));
            for (i = 0; i < count; ++i)
                add_block(naive, &part, lengths[i], units[i] * extent);
            break;
        case 4:
            CHECK_OK(MPI_Type_create_hindexed(count, lengths, places, of, type));
            for (i = 0; i < count; ++i)
                add_block(naive, &part, lengths[i], places[i]);
            break;
        case 5:
            CHECK_OK(MPI_Type_create_indexed_block(count, length, units, of, type));
            for (i = 0; i < count; ++i)
                add_block(naive, &part, length, units[i] * extent);
            break;
        case 6:
            CHECK_OK(MPI_Type_create_hindexed_block(count, length, places, of, type));
            for (i = 0; i < count; ++i)
                add_block(naive, &part, length, places[i]);
            break;
        case 7:
            extent += any(-8, 8) * count;
            CHECK_OK(MPI_Type_create_resized(of, stride, extent, type));
            add(naive, &part, 0);
            naive->marked = 0;
            mark(naive, stride, stride + extent);
            break;
        case 8:
            CHECK_OK(MPI_Type_dup(of, type));
            add(naive, &part, 0);
            break;
        default:
            subarray_tree(of, &part, type, naive);
    }
    free_tree(&of, &part);
}

static void check_bounds(MPI_Datatype type, const Naive* naive)
{
    MPI_Aint low = -1, extent = -1;
    MPI_Count wide_low = -1, wide_extent = -1;
    int size = -1;
    CHECK_OK(MPI_Type_get_extent(type, &low, &extent));
    CHECK_EQUAL(low, low_of(naive));
    CHECK_EQUAL(extent, extent_of(naive));
    CHECK_OK(MPI_Type_get_true_extent_x(type, &wide_low, &wide_extent));
    CHECK_EQUAL(wide_low, true_low(naive));
    CHECK_EQUAL(wide_extent, true_high(naive) - true_low(naive));
    CHECK_OK(MPI_Type_size(type, &size));
    CHECK_EQUAL(size, size_of(naive));
}

/* Any number of its bytes is a number of basic elements, or none. */
static void check_elements(MPI_Datatype type, const Naive* naive, int count)
{
    MPI_Status status;
    const int bytes = any(0, (int)(size_of(naive) * count));
    int got = -1, expected = 0, end = 0, i;
    memset(&status, 0, sizeof status);
    for (i = 0; i < naive->count * count && end < bytes; ++i, ++expected)
        end += basics[naive->entries[i % naive->count].basic].size;
    CHECK_OK(MPI_Status_set_elements(&status, MPI_BYTE, bytes));
    CHECK_OK(MPI_Get_elements(&status, type, &got));
    CHECK_EQUAL(got, end == bytes ? expected : MPI_UNDEFINED);
    if (naive->count != 0) {
        MPI_Count wide = -1;
        CHECK_OK(MPI_Status_set_elements_x(&status, type, expected));
        CHECK_OK(MPI_Get_elements_x(&status, MPI_BYTE, &wide));
        CHECK_EQUAL(wide, end);
        CHECK_OK(MPI_Get_count(&status, type, &got));
        CHECK_EQUAL(got, end % size_of(naive) == 0 ? end / size_of(naive) : MPI_UNDEFINED);
    }
}

static void check_external(MPI_Datatype type, int count, const char* base, char* back, long span, const char* all,
                           const char* expected)
{
    MPI_Aint size = -1, position = 0;
    char* packed;
    CHECK_OK(MPI_Pack_external_size("external32", count, type, &size));
    packed = malloc((size_t)size + 1);
    CHECK_OK(MPI_Pack_external("external32", base, count, type, packed, size, &position));
    CHECK_EQUAL(position, size);
    position = 0;
    CHECK_OK(MPI_Unpack_external("external32", packed, size, &position, back, count, type));
    CHECK_EQUAL(position, size);
    CHECK(memcmp(all, expected, (size_t)span) == 0);
    free(packed);
}

static void check_transfers(MPI_Datatype type, const Naive* naive, int count)
{
    const int peer = (check_rank() + 1) % check_size(), other = (check_rank() + check_size() - 1) % check_size();
    const long last = (count - 1) * extent_of(naive);
    const long low = true_low(naive) + smaller(last, 0), high = true_high(naive) + larger(last, 0);
    const size_t span = (size_t)(high - low), bytes = (size_t)(size_of(naive) * count);
    char* const out = malloc(span + 1);
    char* const in = malloc(span + 1);
    char* const expected = malloc(span + 1);
    char* const wire = malloc(bytes + 1);
    char* const received = calloc(bytes + 1, 1);
    MPI_Status status;
    int position = 0, got = -1;
    size_t i;
    for (i = 0; i < span; ++i)
        out[i] = (char)(i * 7 + i / 251);
    memset(in, 'x', span);
    memset(expected, 'x', span);
    copy(naive, count, out - low, wire, 1);

    CHECK_OK(MPI_Pack(out - low, count, type, received, (int)bytes, &position, MPI_COMM_WORLD));
    CHECK_EQUAL(position, (int)bytes);
    CHECK(memcmp(received, wire, bytes) == 0);
    memset(received, 0, bytes);
    CHECK_OK(MPI_Sendrecv(out - low, count, type, peer, 1, received, (int)bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD,
                          &status));
    CHECK(memcmp(received, wire, bytes) == 0);
    CHECK_OK(MPI_Get_count(&status, type, &got));
    CHECK_EQUAL(got, bytes == 0 ? 0 : count);
    CHECK_OK(MPI_Get_elements(&status, type, &got));
    CHECK_EQUAL(got, naive->count * count);
    if (!overlaps(naive, count, low, high - low)) {
        copy(naive, count, expected - low, wire, 0);
        CHECK_OK(MPI_Sendrecv(wire, (int)bytes, MPI_PACKED, peer, 2, in - low, count, type, other, 2, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
        CHECK(memcmp(in, expected, span) == 0);
        memset(in, 'x', span);
        CHECK_OK(MPI_Sendrecv(out - low, count, type, peer, 3, in - low, count, type, other, 3, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
        CHECK(memcmp(in, expected, span) == 0);
        memset(in, 'x', span);
        position = 0;
        CHECK_OK(MPI_Unpack(wire, (int)bytes, &position, in - low, count, type, MPI_COMM_SELF));
        CHECK_EQUAL(position, (int)bytes);
        CHECK(memcmp(in, expected, span) == 0);
        memset(in, 'x', span);
        check_external(type, count, out - low, in - low, high - low, in, expected);
    }
    free(out);
    free(in);
    free(expected);
    free(wire);
    free(received);
}

int main(int argc, char** argv)
{
    const MPI_Datatype types[6] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_LONG};
    int number, i, checked = 0;
    MPI_Init(&argc, &argv);
    for (i = 0; i < 6; ++i) {
        basics[i].type = types[i];
        MPI_Type_size(types[i], &basics[i].size);
    }
    state = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    for (number = 0; number < kTrees; ++number) {
        MPI_Datatype type;
        Naive naive;
        const int failures = check_failures, count = any(1, 3);
        tree(any(1, 4), &type, &naive);
        if (naive.count <= kMostEntries && labs(extent_of(&naive)) < kMostBytes &&
            true_high(&naive) - true_low(&naive) < kMostBytes) {
            CHECK_OK(MPI_Type_commit(&type));
            check_bounds(type, &naive);
            check_elements(type, &naive, count);
            check_transfers(type, &naive, count);
            checked += naive.count > 1;
        }
        free_tree(&type, &naive);
        if (check_failures != failures)
            fprintf(stderr, "in tree %d\n", number);
    }
    CHECK(checked > kTrees / 4);
    MPI_Finalize();
    return check_result();
}
