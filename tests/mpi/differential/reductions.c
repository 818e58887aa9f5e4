/* Reductions. Numbers are small, so that floats are exact and no order of the operands shows. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>
#include "differential.h"

enum { kPrime = 9973, kGap = 2 };

/* x -> factor x + term: the order of two of them matters. */
typedef struct Map {
    int factor, term;
} Map;

/* A matrix, with a gap behind it that is no part of its datatype. */
typedef struct Matrix {
    int of[4];
    int gap[kGap];
} Matrix;

typedef struct FloatInt {
    float value;
    int index;
} FloatInt;
typedef struct DoubleInt {
    double value;
    int index;
} DoubleInt;
typedef struct LongInt {
    long value;
    int index;
} LongInt;
typedef struct ShortInt {
    short value;
    int index;
} ShortInt;
typedef struct IntInt {
    int value, index;
} IntInt;

static void apply_maps(void* in, void* inout, int* length, MPI_Datatype* type)
{
    const Map* const first = in;
    Map* const second = inout;
    (void)type;
    for (int i = 0; i < *length; ++i) {
        second[i].term = (second[i].factor * first[i].term + second[i].term) % kPrime;
        second[i].factor = second[i].factor * first[i].factor % kPrime;
    }
}

static void multiply_matrices(void* in, void* inout, int* length, MPI_Datatype* type)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(*type, &low, &extent);
    for (int i = 0; i < *length; ++i) {
        const int* const a = (const int*)((char*)in + i * extent);
        int* const b = (int*)((char*)inout + i * extent);
        const int product[4] = {(a[0] * b[0] + a[1] * b[2]) % kPrime, (a[0] * b[1] + a[1] * b[3]) % kPrime,
                                (a[2] * b[0] + a[3] * b[2]) % kPrime, (a[2] * b[1] + a[3] * b[3]) % kPrime};
        memcpy(b, product, sizeof product);
    }
}

static void add_shorts(void* in, void* inout, int* length, MPI_Datatype* type)
{
    (void)type;
    for (int i = 0; i < *length; ++i)
        ((short*)inout)[i] = (short)((((short*)in)[i] + ((short*)inout)[i]) % 1009);
}

typedef void (*Put)(void* at, uint64_t chance);

#define PUT(name, type)                           \
    static void put_##name(void* at, uint64_t by) \
    {                                             \
        *(type*)at = (type)(1 + by % 3);          \
    }
#define PUT_PAIR(name, type)                        \
    static void put_##name(void* at, uint64_t by)   \
    {                                               \
        ((type*)at)->value = 1 + (int)(by % 3);     \
        ((type*)at)->index = (int)(by >> 8) & 0xff; \
    }
PUT(char, signed char)
PUT(short, short)
PUT(int, int)
PUT(long, long)
PUT(unsigned, unsigned)
PUT(unsigned_long, unsigned long)
PUT(float, float)
PUT(double, double)
PUT(complex, double complex)
PUT_PAIR(float_int, FloatInt)
PUT_PAIR(double_int, DoubleInt)
PUT_PAIR(long_int, LongInt)
PUT_PAIR(short_int, ShortInt)
PUT_PAIR(int_int, IntInt)
static void put_bytes(void* at, uint64_t by)
{
    *(unsigned char*)at = (unsigned char)by;
}
static void put_map(void* at, uint64_t by)
{
    const Map map = {1 + (int)(by % (kPrime - 1)), (int)((by >> 20) % kPrime)};
    memcpy(at, &map, sizeof map);
}
static void put_matrix(void* at, uint64_t by)
{
    Matrix matrix = {{0, 0, 0, 0}, {-1, -2}};
    for (int i = 0; i < 4; ++i)
        matrix.of[i] = (int)((by >> (10 * i)) % kPrime);
    memcpy(at, &matrix, sizeof matrix);
}

enum { kInteger = 1, kFloat = 2, kComplex = 4, kPair = 8, kByte = 16, kNumber = kInteger | kFloat };

/* What elements are: where they lie, and what of them counts. */
typedef struct Elements {
    MPI_Datatype type;
    size_t step_bytes, value_bytes, index_at; /* 0: no index */
    Put put;
    int sort;
} Elements;

typedef struct Reduction {
    Elements elements;
    MPI_Op op;
    int own_type, own_op;
} Reduction;

#define PLAIN(handle, type, put, sort)                   \
    {                                                    \
        handle, sizeof(type), sizeof(type), 0, put, sort \
    }
#define PAIR(handle, type, put)                                                            \
    {                                                                                      \
        handle, sizeof(type), sizeof(((type*)0)->value), offsetof(type, index), put, kPair \
    }

static Reduction built_in(void)
{
    const Elements all[] = {PLAIN(MPI_SIGNED_CHAR, signed char, put_char, kInteger),
                            PLAIN(MPI_SHORT, short, put_short, kInteger),
                            PLAIN(MPI_INT, int, put_int, kInteger),
                            PLAIN(MPI_LONG, long, put_long, kInteger),
                            PLAIN(MPI_UNSIGNED, unsigned, put_unsigned, kInteger),
                            PLAIN(MPI_UINT64_T, unsigned long, put_unsigned_long, kInteger),
                            PLAIN(MPI_FLOAT, float, put_float, kFloat),
                            PLAIN(MPI_DOUBLE, double, put_double, kFloat),
                            PLAIN(MPI_C_DOUBLE_COMPLEX, double complex, put_complex, kComplex),
                            PLAIN(MPI_BYTE, unsigned char, put_bytes, kByte),
                            PAIR(MPI_FLOAT_INT, FloatInt, put_float_int),
                            PAIR(MPI_DOUBLE_INT, DoubleInt, put_double_int),
                            PAIR(MPI_LONG_INT, LongInt, put_long_int),
                            PAIR(MPI_SHORT_INT, ShortInt, put_short_int),
                            PAIR(MPI_2INT, IntInt, put_int_int)};
    const struct {
        MPI_Op op;
        int sorts;
    } ops[] = {{MPI_SUM, kNumber | kComplex},
               {MPI_PROD, kNumber | kComplex},
               {MPI_MAX, kNumber},
               {MPI_MIN, kNumber},
               {MPI_LAND, kInteger},
               {MPI_LOR, kInteger},
               {MPI_LXOR, kInteger},
               {MPI_BAND, kInteger | kByte},
               {MPI_BOR, kInteger | kByte},
               {MPI_BXOR, kInteger | kByte},
               {MPI_MINLOC, kPair},
               {MPI_MAXLOC, kPair}};
    Reduction reduction = {.elements = all[below((int)(sizeof all / sizeof *all))]};
    int op;
    do
        op = below((int)(sizeof ops / sizeof *ops));
    while ((ops[op].sorts & reduction.elements.sort) == 0);
    reduction.op = ops[op].op;
    note(op);
    return reduction;
}

static Reduction draw_reduction(void)
{
    Reduction reduction = {.own_op = 1};
    if (chance(55))
        return built_in();
    switch (below(3)) {
        case 0:
            reduction.elements = (Elements){MPI_DATATYPE_NULL, sizeof(Map), sizeof(Map), 0, put_map, 0};
            reduction.own_type = 1;
            MPI_Type_contiguous(2, MPI_INT, &reduction.elements.type);
            MPI_Op_create(apply_maps, 0, &reduction.op);
            break;
        case 1: {
            MPI_Datatype four;
            reduction.elements =
                (Elements){MPI_DATATYPE_NULL, sizeof(Matrix), sizeof(Matrix), 0, put_matrix, 0};
            reduction.own_type = 1;
            MPI_Type_contiguous(4, MPI_INT, &four);
            MPI_Type_create_resized(four, 0, sizeof(Matrix), &reduction.elements.type);
            MPI_Type_free(&four);
            MPI_Op_create(multiply_matrices, 0, &reduction.op);
            break;
        }
        default:
            reduction.elements = (Elements)PLAIN(MPI_SHORT, short, put_short, 0);
            MPI_Op_create(add_shorts, 1, &reduction.op);
    }
    if (reduction.own_type)
        MPI_Type_commit(&reduction.elements.type);
    return reduction;
}

static char* new_elements(const Elements* elements, int count, uint64_t salt)
{
    char* const memory = calloc((size_t)count + 1, elements->step_bytes);
    for (int i = 0; i < count; ++i)
        elements->put(memory + (size_t)i * elements->step_bytes, mixed(salt + (uint64_t)i));
    return memory;
}

/* Gaps of pairs are nobody's. */
static void note_elements(const Elements* elements, char* memory, int count)
{
    for (int i = 0; i < count; ++i) {
        const char* const at = memory + (size_t)i * elements->step_bytes;
        note_bytes(at, elements->value_bytes);
        if (elements->index_at != 0)
            note_bytes(at + elements->index_at, sizeof(int));
    }
    free(memory);
}

static int draw_count(void)
{
    static const int kCounts[] = {0, 1, 1, 2, 3, 7, 17, 64, 101, 1001, 5003, 40009};
    return kCounts[below((int)(sizeof kCounts / sizeof *kCounts))];
}

/* One result, at one rank or at all. */
static void reduce(const Place* place, const Reduction* reduction, int root)
{
    const Elements* const elements = &reduction->elements;
    const int count = draw_count(), in_place = chance(35);
    char* const out = new_elements(elements, count, salt_of(place->rank, 1));
    char* const in = new_elements(elements, count, salt_of(place->rank, 2));
    describe(root >= 0 ? "reduce" : "allreduce");
    describe(in_place ? "in place" : "apart");
    if (root < 0)
        COLLECTIVE(place, Allreduce, allreduce, in_place ? MPI_IN_PLACE : out, in, count, elements->type,
                   reduction->op, place->comm);
    else
        COLLECTIVE(place, Reduce, reduce, in_place && place->rank == root ? MPI_IN_PLACE : out, in, count,
                   elements->type, reduction->op, root, place->comm);
    note_elements(elements, in, count);
    free(out);
}

static void scan(const Place* place, const Reduction* reduction)
{
    const Elements* const elements = &reduction->elements;
    const int count = draw_count(), in_place = chance(35), is_exclusive = chance(50);
    char* const out = new_elements(elements, count, salt_of(place->rank, 1));
    char* const in = new_elements(elements, count, salt_of(place->rank, 2));
    describe(is_exclusive ? "exscan" : "scan");
    if (is_exclusive)
        COLLECTIVE(place, Exscan, exscan, in_place ? MPI_IN_PLACE : out, in, count, elements->type,
                   reduction->op, place->comm);
    else
        COLLECTIVE(place, Scan, scan, in_place ? MPI_IN_PLACE : out, in, count, elements->type, reduction->op,
                   place->comm);
    /* Nothing comes before the first rank. */
    note_elements(elements, in, is_exclusive && place->rank == 0 ? 0 : count);
    free(out);
}

/* A block of the result for each. */
static void reduce_scatter(const Place* place, const Reduction* reduction)
{
    const Elements* const elements = &reduction->elements;
    const int in_place = chance(35), is_even = chance(50);
    const int count = draw_count() / place->size;
    int counts[kMostRanks], sum = 0;
    for (int i = 0; i < place->size; ++i) {
        counts[i] = is_even ? count : below(count + 2);
        sum += counts[i];
    }
    char* const out = new_elements(elements, sum, salt_of(place->rank, 1));
    char* const in = new_elements(elements, sum, salt_of(place->rank, 2));
    describe(is_even ? "reduce_scatter_block" : "reduce_scatter");
    describe(in_place ? "in place" : "apart");
    if (is_even)
        COLLECTIVE(place, Reduce_scatter_block, reduce_scatter_block, in_place ? MPI_IN_PLACE : out, in,
                   count, elements->type, reduction->op, place->comm);
    else
        COLLECTIVE(place, Reduce_scatter, reduce_scatter, in_place ? MPI_IN_PLACE : out, in, counts,
                   elements->type, reduction->op, place->comm);
    note_elements(elements, in, counts[place->rank]);
    free(out);
}

static void reduce_local(const Place* place, const Reduction* reduction)
{
    const int count = draw_count();
    char* const out = new_elements(&reduction->elements, count, salt_of(place->rank, 1));
    char* const in = new_elements(&reduction->elements, count, salt_of(place->rank, 2));
    describe("reduce_local");
    MPI_Reduce_local(out, in, count, reduction->elements.type, reduction->op);
    note_elements(&reduction->elements, in, count);
    free(out);
}

void step_reductions(void)
{
    const Place place = draw_place();
    if (place.comm == MPI_COMM_NULL)
        return;
    Reduction reduction = draw_reduction();
    draw_form();
    switch (below(6)) {
        case 0:
            reduce(&place, &reduction, below(place.size));
            break;
        case 1:
            reduce(&place, &reduction, -1);
            break;
        case 2:
            scan(&place, &reduction);
            break;
        case 3:
        case 4:
            reduce_scatter(&place, &reduction);
            break;
        default:
            reduce_local(&place, &reduction);
    }
    if (reduction.own_op)
        MPI_Op_free(&reduction.op);
    if (reduction.own_type)
        MPI_Type_free(&reduction.elements.type);
}
