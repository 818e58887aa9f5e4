/* Topologies whose ranks know from whom blocks arrive, and checks of what collectives among neighbours bring. */
#ifndef TUTTI_TESTS_MPI_NEIGHBORS_H
#define TUTTI_TESTS_MPI_NEIGHBORS_H

#include <stdlib.h>

#include "check.h"

enum { kMost = 4, kBlock = 3, kUntouched = -1 };
enum form { kBlocking, kNonblocking, kPersistent };

static int rank, size;

struct topology {
    const char* name;
    MPI_Comm comm;
    int in, out;
    int sources[kMost], destinations[kMost];
    /* The place in a source's destinations of the block that arrives from each source. */
    int places[kMost];
};

/* The i-th element of the block that a rank sends to its neighbour at a place. */
static inline int value(int sender, int place, int i)
{
    return 10000 * sender + 100 * place + i;
}

/* Ends a call in one of the forms. A persistent one runs twice. */
static inline void finish(enum form form, MPI_Request* request)
{
    int round;
    if (form == kNonblocking)
        CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    for (round = 0; form == kPersistent && round < 2; ++round) {
        CHECK_OK(MPI_Start(request));
        CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    }
}

static inline void clear(int* data, int count)
{
    while (count-- > 0)
        data[count] = kUntouched;
}

static inline void check_block(const struct topology* t, const int* block, int source, int place, int count)
{
    int i, wrong = 0;
    for (i = 0; i < count; ++i)
        wrong += block[i] != (t->sources[source] >= 0 ? value(t->sources[source], place, i) : kUntouched);
    if (wrong != 0)
        fprintf(stderr, "%s, rank %d, block of source %d (rank %d): %d, ...\n", t->name, rank, source,
                t->sources[source], block[0]);
    CHECK_EQUAL(wrong, 0);
}

/* Of grids: lower and upper neighbour in each dimension. A block for the upper one arrives from the lower one. */
static inline void grids(void (*calls)(const struct topology*))
{
    struct topology ring = {"ring", MPI_COMM_NULL, 4, 4, {0}, {0}, {1, 0, 3, 2}};
    struct topology chain = {"chain", MPI_COMM_NULL, 2, 2, {0}, {0}, {1, 0, 0, 0}};
    struct topology point = {"point", MPI_COMM_NULL, 0, 0, {0}, {0}, {0}};
    int dims[2], periods[2] = {1, 0};
    dims[0] = size;
    dims[1] = 1;
    ring.sources[0] = (rank + size - 1) % size;
    ring.sources[1] = (rank + 1) % size;
    ring.sources[2] = ring.sources[3] = MPI_PROC_NULL;
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &ring.comm));
    calls(&ring);

    periods[0] = 0;
    chain.sources[0] = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    chain.sources[1] = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &chain.comm));
    calls(&chain);

    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &point.comm));
    if (point.comm != MPI_COMM_NULL) {
        calls(&point);
        MPI_Comm_free(&point.comm);
    }
    MPI_Comm_free(&chain.comm);
    MPI_Comm_free(&ring.comm);
}

/* Lower and upper neighbour in a ring, and the rank itself. */
static inline void graphs(void (*calls)(const struct topology*))
{
    struct topology ring = {"graph", MPI_COMM_NULL, 3, 3, {0}, {0}, {1, 0, 2, 0}};
    int index[64], edges[192], i, one = 0, data = rank, in[2] = {kUntouched, kUntouched};
    MPI_Comm crooked = MPI_COMM_NULL;
    for (i = 0; i < size; ++i) {
        edges[3 * i] = (i + size - 1) % size;
        edges[3 * i + 1] = (i + 1) % size;
        edges[3 * i + 2] = i;
        index[i] = 3 * (i + 1);
    }
    memcpy(ring.sources, edges + 3 * rank, 3 * sizeof(int));
    /* Two edges between the same ranks keep their order. */
    if (size <= 2) {
        ring.places[0] = 0;
        ring.places[1] = 1;
    }
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring.comm));
    calls(&ring);
    MPI_Comm_free(&ring.comm);

    /* An edge without one back. */
    if (size < 2)
        return;
    for (i = 0; i < size; ++i)
        index[i] = 1;
    edges[0] = 1;
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &crooked));
    CHECK_ERROR(MPI_Neighbor_allgather(&data, 1, MPI_INT, in, 1, MPI_INT, crooked), MPI_ERR_TOPOLOGY,
                "more edges from rank 0 to rank 1 than back");
    CHECK(one == 0 && in[0] == kUntouched);
    MPI_Comm_free(&crooked);
}

/* Twice to the next rank and once to itself, as every rank tells of itself; to the next two, as it tells of others. */
static inline void distributed_graphs(void (*calls)(const struct topology*))
{
    struct topology doubled = {"adjacent", MPI_COMM_NULL, 3, 3, {0}, {0}, {0, 1, 2, 0}};
    struct topology told = {"distributed", MPI_COMM_NULL, 2, 2, {0}, {0}, {0}};
    const int before = (rank + size - 1) % size, next = (rank + 1) % size;
    int degree = 2, giver = rank, i, weights[2];
    doubled.sources[0] = doubled.sources[1] = before;
    doubled.destinations[0] = doubled.destinations[1] = next;
    doubled.sources[2] = doubled.destinations[2] = rank;
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, doubled.sources, MPI_UNWEIGHTED, 3,
                                            doubled.destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &doubled.comm));
    calls(&doubled);
    MPI_Comm_free(&doubled.comm);

    told.destinations[0] = next;
    told.destinations[1] = (rank + 2) % size;
    weights[0] = 1;
    weights[1] = 2;
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &giver, &degree, told.destinations, weights, MPI_INFO_NULL, 0,
                                   &told.comm));
    CHECK_OK(MPI_Dist_graph_neighbors(told.comm, 2, told.sources, weights, 2, told.destinations, MPI_UNWEIGHTED));
    CHECK(told.destinations[0] == next && told.destinations[1] == (rank + 2) % size);
    /* The weight of an edge is one more than its place at the sender. */
    for (i = 0; i < 2; ++i)
        told.places[i] = weights[i] - 1;
    calls(&told);
    MPI_Comm_free(&told.comm);
}

/* The calls on topologies of all kinds. */
static inline void on_all_topologies(void (*calls)(const struct topology*))
{
    rank = check_rank();
    size = check_size();
    grids(calls);
    graphs(calls);
    distributed_graphs(calls);
}

#endif
