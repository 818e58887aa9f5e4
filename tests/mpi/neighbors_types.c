/* Collectives among neighbours: elements with gaps, and datatypes of all sorts. */
#include "neighbors.h"

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

/* Blocks of every other number, sent as they lie; one of the datatypes has its elements before its address.
 */
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

/* MPI_BOTTOM: the addresses are the displacements, or lie in the datatypes. */
static void absolute(const struct topology* t, int in_types, enum form form)
{
    int out[kMost * kBlock], in[kMost * kBlock], counts[kMost], i;
    const int length = kBlock;
    MPI_Aint to[kMost] = {0}, from[kMost] = {0}, place;
    MPI_Datatype sent[kMost], received[kMost];
    MPI_Request request = MPI_REQUEST_NULL;
    clear(in, kMost * kBlock);
    for (i = 0; i < kMost * kBlock; ++i)
        out[i] = value(rank, i / kBlock, i % kBlock);
    for (i = 0; i < kMost; ++i) {
        counts[i] = in_types ? 1 : kBlock;
        sent[i] = received[i] = MPI_INT;
        CHECK_OK(MPI_Get_address(out + i * kBlock, &to[i]));
        CHECK_OK(MPI_Get_address(in + i * kBlock, &from[i]));
        if (!in_types)
            continue;
        place = to[i];
        CHECK_OK(MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &sent[i]));
        place = from[i];
        CHECK_OK(MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &received[i]));
        CHECK_OK(MPI_Type_commit(&sent[i]));
        CHECK_OK(MPI_Type_commit(&received[i]));
        to[i] = from[i] = 0;
    }
    if (form == kBlocking)
        CHECK_OK(MPI_Neighbor_alltoallw(MPI_BOTTOM, counts, to, sent, MPI_BOTTOM, counts, from, received,
                                        t->comm));
    else if (form == kNonblocking)
        CHECK_OK(MPI_Ineighbor_alltoallw(MPI_BOTTOM, counts, to, sent, MPI_BOTTOM, counts, from, received,
                                         t->comm, &request));
    else
        CHECK_OK(MPI_Neighbor_alltoallw_init(MPI_BOTTOM, counts, to, sent, MPI_BOTTOM, counts, from, received,
                                             t->comm, MPI_INFO_NULL, &request));
    finish(form, &request);
    if (request != MPI_REQUEST_NULL)
        CHECK_OK(MPI_Request_free(&request));
    for (i = 0; i < t->in; ++i)
        check_block(t, in + i * kBlock, i, t->places[i], kBlock);
    for (i = 0; in_types && i < kMost; ++i) {
        CHECK_OK(MPI_Type_free(&sent[i]));
        CHECK_OK(MPI_Type_free(&received[i]));
    }
}

static void all_calls(const struct topology* t)
{
    enum form form;
    pairs(t);
    derived(t);
    for (form = kBlocking; form <= kPersistent; ++form) {
        absolute(t, 0, form);
        absolute(t, 1, form);
    }
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    on_all_topologies(all_calls);
    MPI_Finalize();
    return check_result();
}
