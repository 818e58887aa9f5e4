/* Datatypes as the standard defines them: the list of all basic elements with their displacements. */
#ifndef TUTTI_TESTS_MPI_NAIVE_TYPE_H
#define TUTTI_TESTS_MPI_NAIVE_TYPE_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    MPI_Datatype type;
    int size;
} Basic;
static Basic basics[6];

typedef struct {
    int basic;
    long at;
} Entry;
/* Explicit bounds replace those of the entries. */
typedef struct {
    Entry* entries;
    int count;
    int marked;
    long low_mark, high_mark;
} Naive;

static inline long smaller(long a, long b)
{
    return a < b ? a : b;
}

static inline long larger(long a, long b)
{
    return a > b ? a : b;
}

static inline long size_of(const Naive* naive)
{
    long size = 0;
    int i;
    for (i = 0; i < naive->count; ++i)
        size += basics[naive->entries[i].basic].size;
    return size;
}

static inline long true_low(const Naive* naive)
{
    long low = naive->count == 0 ? 0 : naive->entries[0].at;
    int i;
    for (i = 0; i < naive->count; ++i)
        low = smaller(low, naive->entries[i].at);
    return low;
}

static inline long true_high(const Naive* naive)
{
    long high = naive->count == 0 ? 0 : naive->entries[0].at;
    int i;
    for (i = 0; i < naive->count; ++i)
        high = larger(high, naive->entries[i].at + basics[naive->entries[i].basic].size);
    return high;
}

static inline long low_of(const Naive* naive)
{
    return naive->marked ? naive->low_mark : true_low(naive);
}

/* Without explicit bounds all elements in a row are aligned. */
static inline long extent_of(const Naive* naive)
{
    long alignment = 1;
    int i;
    if (naive->marked)
        return naive->high_mark - naive->low_mark;
    for (i = 0; i < naive->count; ++i)
        alignment = larger(alignment, basics[naive->entries[i].basic].size);
    return (true_high(naive) - true_low(naive) + alignment - 1) / alignment * alignment;
}

static inline void mark(Naive* naive, long low, long high)
{
    naive->low_mark = naive->marked ? smaller(naive->low_mark, low) : low;
    naive->high_mark = naive->marked ? larger(naive->high_mark, high) : high;
    naive->marked = 1;
}

static inline void add(Naive* to, const Naive* part, long at)
{
    int i;
    to->entries = realloc(to->entries, sizeof(Entry) * (size_t)(to->count + part->count + 1));
    for (i = 0; i < part->count; ++i) {
        to->entries[to->count] = part->entries[i];
        to->entries[to->count++].at += at;
    }
    if (part->marked)
        mark(to, part->low_mark + at, part->high_mark + at);
}

static inline void add_block(Naive* to, const Naive* part, int count, long at)
{
    const long extent = extent_of(part);
    int i;
    for (i = 0; i < count; ++i)
        add(to, part, at + i * extent);
}

/* Copies between the elements at `base` and a sequence of bytes. */
static inline void copy(const Naive* naive, int count, char* base, char* wire, int packing)
{
    const long extent = extent_of(naive);
    int i, k;
    for (i = 0; i < count; ++i)
        for (k = 0; k < naive->count; ++k) {
            char* const place = base + i * extent + naive->entries[k].at;
            const size_t size = (size_t)basics[naive->entries[k].basic].size;
            memcpy(packing ? wire : place, packing ? place : wire, size);
            wire += size;
        }
}

/* No byte may be received twice. */
static inline int overlaps(const Naive* naive, int count, long low, long span)
{
    char* const used = calloc((size_t)span + 1, 1);
    const long extent = extent_of(naive);
    int i, k, b, found = 0;
    for (i = 0; i < count; ++i)
        for (k = 0; k < naive->count; ++k)
            for (b = 0; b < basics[naive->entries[k].basic].size; ++b)
                found |= used[i * extent + naive->entries[k].at + b - low]++;
    free(used);
    return found;
}

#endif
