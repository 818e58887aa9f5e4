/* Collectives among neighbours, in three forms, on grids and graphs. */
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
static int value(int sender, int place, int i)
{
    return 10000 * sender + 100 * place + i;
}

/* Ends a call in one of the forms. A persistent one runs twice. */
static void finish(enum form form, MPI_Request* request)
{
    int round;
    if (form == kNonblocking)
        CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    for (round = 0; form == kPersistent && round < 2; ++round) {
        CHECK_OK(MPI_Start(request));
        CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    }
}

static void clear(int* data, int count)
{
    while (count-- > 0)
        data[count] = kUntouched;
}

static void check_block(const struct topology* t, const int* block, int source, int place, int count)
{
    int i, wrong = 0;
    for (i = 0; i < count; ++i)
        wrong += block[i] != (t->sources[source] >= 0 ? value(t->sources[source], place, i) : kUntouched);
    if (wrong != 0)
        fprintf(stderr, "%s, rank %d, block of source %d (rank %d): %d, ...\n", t->name, rank, source,
                t->sources[source], block[0]);
    CHECK_EQUAL(wrong, 0);
}

static void allgather(const struct topology* t, enum form form)
{
    int own[kBlock], all[kMost * kBlock], i;
    MPI_Request request = MPI_REQUEST_NULL;
    for (i = 0; i < kBlock; ++i)
        own[i] = value(rank, 0, i);
    clear(all, kMost * kBlock);
    if (form == kBlocking)
        CHECK_OK(MPI_Neighbor_allgather(own, kBlock, MPI_INT, all, 4 * kBlock, MPI_BYTE, t->comm));
    else if (form == kNonblocking)
        CHECK_OK(MPI_Ineighbor_allgather(own, kBlock, MPI_INT, all, 4 * kBlock, MPI_BYTE, t->comm, &request));
    else
        CHECK_OK(MPI_Neighbor_allgather_init_c(own, kBlock, MPI_INT, all, 4 * kBlock, MPI_BYTE, t->comm, MPI_INFO_NULL,
                                               &request));
    finish(form, &request);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    for (i = 0; i < t->in; ++i)
        check_block(t, all + i * kBlock, i, 0, kBlock);
    for (i = t->in * kBlock; i < kMost * kBlock; ++i)
        CHECK_EQUAL(all[i], kUntouched);
}

/* Every rank sends rank + 1 elements; the blocks lie in the opposite order. */
static void allgatherv(const struct topology* t, enum form form)
{
    int own[64], counts[kMost], displacements[kMost], i, next = 0;
    int* const all = malloc(kMost * 64 * sizeof(int));
    MPI_Request request = MPI_REQUEST_NULL;
    for (i = 0; i <= rank; ++i)
        own[i] = value(rank, 0, i);
    clear(all, kMost * 64);
    for (i = t->in; i-- > 0; next += counts[i]) {
        counts[i] = t->sources[i] >= 0 ? t->sources[i] + 1 : 5;
        displacements[i] = next;
    }
    if (form == kBlocking)
        CHECK_OK(MPI_Neighbor_allgatherv(own, rank + 1, MPI_INT, all, counts, displacements, MPI_INT, t->comm));
    else if (form == kNonblocking)
        CHECK_OK(MPI_Ineighbor_allgatherv(own, rank + 1, MPI_INT, all, counts, displacements, MPI_INT, t->comm,
                                          &request));
    else
        CHECK_OK(MPI_Neighbor_allgatherv_init(own, rank + 1, MPI_INT, all, counts, displacements, MPI_INT, t->comm,
                                              MPI_INFO_NULL, &request));
    finish(form, &request);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    for (i = 0; i < t->in; ++i)
        check_block(t, all + displacements[i], i, 0, counts[i]);
    CHECK_EQUAL(all[next], kUntouched);
    free(all);
}

static void alltoall(const struct topology* t, enum form form)
{
    int out[kMost * kBlock], in[kMost * kBlock], i;
    MPI_Request request = MPI_REQUEST_NULL;
    for (i = 0; i < t->out * kBlock; ++i)
        out[i] = value(rank, i / kBlock, i % kBlock);
    clear(in, kMost * kBlock);
    if (form == kBlocking)
        CHECK_OK(MPI_Neighbor_alltoall(out, kBlock, MPI_INT, in, kBlock, MPI_INT, t->comm));
    else if (form == kNonblocking)
        CHECK_OK(MPI_Ineighbor_alltoall_c(out, 4 * kBlock, MPI_BYTE, in, kBlock, MPI_INT, t->comm, &request));
    else
        CHECK_OK(MPI_Neighbor_alltoall_init(out, kBlock, MPI_INT, in, kBlock, MPI_INT, t->comm, MPI_INFO_NULL,
                                            &request));
    finish(form, &request);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    for (i = 0; i < t->in; ++i)
        check_block(t, in + i * kBlock, i, t->places[i], kBlock);
}

/* A rank's block for its i-th neighbour has rank + i + 1 elements. */
static int length(int sender, int place)
{
    return sender + place + 1;
}

struct blocks {
    int data[kMost * 64];
    MPI_Count counts[kMost], displacements[kMost];
    int small_counts[kMost], small_displacements[kMost];
    MPI_Aint bytes[kMost];
    MPI_Datatype types[kMost];
};

static void add_block(struct blocks* blocks, int i, int count, int* next)
{
    blocks->counts[i] = blocks->small_counts[i] = count;
    blocks->displacements[i] = blocks->small_displacements[i] = *next;
    blocks->bytes[i] = (MPI_Aint)sizeof(int) * *next;
    blocks->types[i] = MPI_INT;
    *next += count;
}

static void prepare(const struct topology* t, struct blocks* out, struct blocks* in)
{
    int i, j, next = 0;
    for (i = 0; i < t->out; ++i) {
        add_block(out, i, length(rank, i), &next);
        for (j = 0; j < out->counts[i]; ++j)
            out->data[out->displacements[i] + j] = value(rank, i, j);
    }
    clear(in->data, kMost * 64);
    next = 0;
    for (i = t->in; i-- > 0;)
        add_block(in, i, t->sources[i] >= 0 ? length(t->sources[i], t->places[i]) : 2, &next);
}

static void check_blocks(const struct topology* t, const struct blocks* in)
{
    int i;
    for (i = 0; i < t->in; ++i)
        check_block(t, in->data + in->displacements[i], i, t->places[i], in->small_counts[i]);
}

static void alltoallv(const struct topology* t, enum form form)
{
    struct blocks out, in;
    MPI_Request request = MPI_REQUEST_NULL;
    prepare(t, &out, &in);
    if (form == kBlocking)
        CHECK_OK(MPI_Neighbor_alltoallv_c(out.data, out.counts, out.displacements, MPI_INT, in.data, in.counts,
                                          in.displacements, MPI_INT, t->comm));
    else if (form == kNonblocking)
        CHECK_OK(MPI_Ineighbor_alltoallv(out.data, out.small_counts, out.small_displacements, MPI_INT, in.data,
                                         in.small_counts, in.small_displacements, MPI_INT, t->comm, &request));
    else
        CHECK_OK(MPI_Neighbor_alltoallv_init(out.data, out.small_counts, out.small_displacements, MPI_INT, in.data,
                                             in.small_counts, in.small_displacements, MPI_INT, t->comm, MPI_INFO_NULL,
                                             &request));
    finish(form, &request);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    check_blocks(t, &in);
}

static void alltoallw(const struct topology* t, enum form form)
{
    struct blocks out, in;
    MPI_Request request = MPI_REQUEST_NULL;
    int i;
    prepare(t, &out, &in);
    /* What comes from nobody has any type. */
    for (i = 0; i < t->in; ++i)
        if (t->sources[i] < 0)
            in.types[i] = MPI_DATATYPE_NULL;
    if (form == kBlocking)
        CHECK_OK(MPI_Neighbor_alltoallw(out.data, out.small_counts, out.bytes, out.types, in.data, in.small_counts,
                                        in.bytes, in.types, t->comm));
    else if (form == kNonblocking)
        CHECK_OK(MPI_Ineighbor_alltoallw(out.data, out.small_counts, out.bytes, out.types, in.data, in.small_counts,
                                         in.bytes, in.types, t->comm, &request));
    else
        CHECK_OK(MPI_Neighbor_alltoallw_init_c(out.data, out.counts, out.bytes, out.types, in.data, in.counts, in.bytes,
                                               in.types, t->comm, MPI_INFO_NULL, &request));
    finish(form, &request);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    check_blocks(t, &in);
}

/* Elements with two bytes between their parts. */
struct pair {
    short number;
    int place;
};
enum { kPairBytes = 6 };

static void set_pair(struct pair* pair, int sender, int place, int i)
{
    memset(pair, 0, sizeof *pair);
    pair->number = (short)(10 * sender + place);
    pair->place = value(sender, place, i);
}

/* At ranks with even numbers the block is received as pairs, at the others as bytes. */
static void check_pairs(const struct topology* t, const unsigned char* block, int source, int place)
{
    int i, is_sent = t->sources[source] >= 0;
    for (i = 0; i < kBlock; ++i) {
        struct pair expected, got;
        set_pair(&expected, t->sources[source], place, i);
        memset(&got, 0, sizeof got);
        if (rank % 2 == 0) {
            memcpy(&got.number, block + i * sizeof got, 2);
            memcpy(&got.place, block + i * sizeof got + 4, 4);
            CHECK(block[i * sizeof got + 2] == 0x55 && block[i * sizeof got + 3] == 0x55);
        } else {
            memcpy(&got.number, block + i * kPairBytes, 2);
            memcpy(&got.place, block + i * kPairBytes + 2, 4);
        }
        if (is_sent)
            CHECK(got.number == expected.number && got.place == expected.place);
        else
            CHECK(got.number == 0x5555 && got.place == 0x55555555);
    }
}

static void pairs(const struct topology* t)
{
    struct pair out[kMost * kBlock];
    unsigned char in[kMost * kBlock * sizeof(struct pair)];
    const int count = rank % 2 == 0 ? kBlock : kBlock * kPairBytes;
    const MPI_Datatype type = rank % 2 == 0 ? MPI_SHORT_INT : MPI_BYTE;
    const int block_bytes = kBlock * (rank % 2 == 0 ? (int)sizeof(struct pair) : kPairBytes);
    MPI_Request request = MPI_REQUEST_NULL;
    int i;
    for (i = 0; i < kMost * kBlock; ++i)
        set_pair(&out[i], rank, i / kBlock, i % kBlock);
    memset(in, 0x55, sizeof in);
    CHECK_OK(MPI_Neighbor_allgather(out, kBlock, MPI_SHORT_INT, in, count, type, t->comm));
    for (i = 0; i < t->in; ++i)
        check_pairs(t, in + i * block_bytes, i, 0);
    memset(in, 0x55, sizeof in);
    CHECK_OK(MPI_Ineighbor_alltoall(out, kBlock, MPI_SHORT_INT, in, count, type, t->comm, &request));
    finish(kNonblocking, &request);
    for (i = 0; i < t->in; ++i)
        check_pairs(t, in + i * block_bytes, i, t->places[i]);
}

/* Blocks of every other number, sent as they lie; one of the datatypes has its elements before its address. */
static void derived(const struct topology* t)
{
    MPI_Datatype spread = MPI_DATATYPE_NULL, before = MPI_DATATYPE_NULL, types[kMost];
    MPI_Aint bytes[kMost];
    const MPI_Aint back = -4 * kBlock;
    const int length = kBlock, step = 2 * kBlock;
    int out[kMost * 2 * kBlock], in[kMost * 2 * kBlock], ones[kMost] = {1, 1, 1, 1}, i, j;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_OK(MPI_Type_vector(kBlock, 1, 2, MPI_INT, &types[0]));
    CHECK_OK(MPI_Type_create_resized(types[0], 0, 4 * step, &spread));
    CHECK_OK(MPI_Type_free(&types[0]));
    CHECK_OK(MPI_Type_create_hindexed(1, &length, &back, MPI_INT, &before));
    CHECK_OK(MPI_Type_commit(&spread));
    CHECK_OK(MPI_Type_commit(&before));
    clear(out, kMost * step);
    for (i = 0; i < t->out; ++i)
        for (j = 0; j < kBlock; ++j)
            out[i * step + 2 * j] = value(rank, i, j);
    clear(in, kMost * step);
    CHECK_OK(MPI_Neighbor_alltoall(out, 1, spread, in, 1, spread, t->comm));
    for (i = 0; i < t->in * step; ++i) {
        const int source = t->sources[i / step];
        const int is_sent = source >= 0 && i % 2 == 0;
        CHECK_EQUAL(in[i], is_sent ? value(source, t->places[i / step], i % step / 2) : kUntouched);
    }

    /* The datatypes are freed while the operation goes on. */
    for (i = 0; i < t->in; ++i) {
        types[i] = before;
        bytes[i] = 4 * step * i + 4 * kBlock;
    }
    clear(in, kMost * step);
    {
        MPI_Datatype sent[kMost];
        MPI_Aint places[kMost];
        for (i = 0; i < t->out; ++i) {
            sent[i] = spread;
            places[i] = 4 * step * i;
        }
        CHECK_OK(MPI_Ineighbor_alltoallw(out, ones, places, sent, in, ones, bytes, types, t->comm, &request));
    }
    CHECK_OK(MPI_Type_free(&spread));
    CHECK_OK(MPI_Type_free(&before));
    finish(kNonblocking, &request);
    for (i = 0; i < t->in; ++i) {
        check_block(t, in + i * step, i, t->places[i], kBlock);
        for (j = kBlock; j < step; ++j)
            CHECK_EQUAL(in[i * step + j], kUntouched);
    }
}

static void wrong_arguments(const struct topology* t)
{
    int out[kMost * kBlock] = {0}, in[kMost * kBlock], counts[kMost] = {1, 1, 1, 1}, negative[kMost] = {-1, -1, -1, -1};
    MPI_Aint bytes[kMost] = {0};
    MPI_Datatype types[kMost] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_ERROR(MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY,
                "MPI_Neighbor_allgather on MPI_COMM_WORLD: the communicator has no topology");
    CHECK_ERROR(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Neighbor_allgather(out, -1, MPI_INT, in, 1, MPI_INT, t->comm), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, -1, MPI_INT, t->comm), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Neighbor_alltoall(out, 1, MPI_DATATYPE_NULL, in, 1, MPI_INT, t->comm), MPI_ERR_TYPE,
                "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Neighbor_alltoall(NULL, 1, MPI_INT, in, 1, MPI_INT, t->comm), MPI_ERR_BUFFER, "null pointer");
    CHECK_ERROR(MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, t->comm), MPI_ERR_BUFFER, "in place");
    CHECK_ERROR(MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, t->comm, NULL), MPI_ERR_ARG, "request");
    CHECK_ERROR(MPI_Neighbor_alltoallv(out, negative, counts, MPI_INT, in, counts, counts, MPI_INT, t->comm),
                MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Neighbor_alltoallv(out, NULL, counts, MPI_INT, in, counts, counts, MPI_INT, t->comm), MPI_ERR_ARG,
                "null pointer");
    CHECK_ERROR(MPI_Neighbor_allgatherv_init(out, 1, MPI_INT, in, counts, NULL, MPI_INT, t->comm, MPI_INFO_NULL,
                                             &request),
                MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, t->comm), MPI_ERR_TYPE,
                "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Neighbor_alltoallw(out, counts, bytes, NULL, in, counts, bytes, types, t->comm), MPI_ERR_ARG,
                "null pointer");
    CHECK(request == MPI_REQUEST_NULL);
}

static void all_calls(const struct topology* t)
{
    enum form form;
    for (form = kBlocking; form <= kPersistent; ++form) {
        allgather(t, form);
        allgatherv(t, form);
        alltoall(t, form);
        alltoallv(t, form);
        alltoallw(t, form);
    }
    pairs(t);
    derived(t);
}

/* Of grids: lower and upper neighbour in each dimension. A block for the upper one arrives from the lower one. */
static void grids(void)
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
    all_calls(&ring);
    wrong_arguments(&ring);

    periods[0] = 0;
    chain.sources[0] = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    chain.sources[1] = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &chain.comm));
    all_calls(&chain);

    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &point.comm));
    if (point.comm != MPI_COMM_NULL) {
        all_calls(&point);
        MPI_Comm_free(&point.comm);
    }
    MPI_Comm_free(&chain.comm);
    MPI_Comm_free(&ring.comm);
}

/* Lower and upper neighbour in a ring, and the rank itself. */
static void graphs(void)
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
    all_calls(&ring);
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
static void distributed_graphs(void)
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
    all_calls(&doubled);
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
    all_calls(&told);
    MPI_Comm_free(&told.comm);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    grids();
    graphs();
    distributed_graphs();
    MPI_Finalize();
    return check_result();
}
