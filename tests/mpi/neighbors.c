/* Collectives among neighbours, in three forms, on grids and graphs. */
#include "neighbors.h"

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

static void wrong_arguments(MPI_Comm ring)
{
    int out[kMost * kBlock] = {0}, in[kMost * kBlock], counts[kMost] = {1, 1, 1, 1}, negative[kMost] = {-1, -1, -1, -1};
    MPI_Aint bytes[kMost] = {0};
    MPI_Datatype types[kMost] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_ERROR(MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY,
                "MPI_Neighbor_allgather on MPI_COMM_WORLD: the communicator has no topology");
    CHECK_ERROR(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Neighbor_allgather(out, -1, MPI_INT, in, 1, MPI_INT, ring), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, -1, MPI_INT, ring), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Neighbor_alltoall(out, 1, MPI_DATATYPE_NULL, in, 1, MPI_INT, ring), MPI_ERR_TYPE,
                "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Neighbor_alltoall(NULL, 1, MPI_INT, in, 1, MPI_INT, ring), MPI_ERR_BUFFER, "null pointer");
    CHECK_ERROR(MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, ring), MPI_ERR_BUFFER, "in place");
    CHECK_ERROR(MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, NULL), MPI_ERR_ARG, "request");
    CHECK_ERROR(MPI_Neighbor_alltoallv(out, negative, counts, MPI_INT, in, counts, counts, MPI_INT, ring),
                MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Neighbor_alltoallv(out, NULL, counts, MPI_INT, in, counts, counts, MPI_INT, ring), MPI_ERR_ARG,
                "null pointer");
    CHECK_ERROR(MPI_Neighbor_allgatherv_init(out, 1, MPI_INT, in, counts, NULL, MPI_INT, ring, MPI_INFO_NULL,
                                             &request),
                MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, ring), MPI_ERR_TYPE,
                "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Neighbor_alltoallw(out, counts, bytes, NULL, in, counts, bytes, types, ring), MPI_ERR_ARG,
                "null pointer");
    types[0] = types[1] = MPI_INT;
    CHECK_ERROR(MPI_Neighbor_alltoallw(out, counts, bytes, types, NULL, counts, bytes, types, ring), MPI_ERR_BUFFER,
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
}

int main(int argc, char** argv)
{
    const int periodic = 1;
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    check_errors_return();
    on_all_topologies(all_calls);
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring));
    wrong_arguments(ring);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return check_result();
}
