/* Graphs: told whole, told by some ranks, and told by each of itself. */
#include "check.h"

static int rank, size;

/* A chain: each rank but the last one has an edge to the next, and back. */
static void graphs(void)
{
    MPI_Comm chain = MPI_COMM_NULL, part = MPI_COMM_NULL;
    int index[64], edges[128], got_index[64], got_edges[128], neighbors[2];
    int i, used = 0, number = -1, count = -1;
    for (i = 0; i < size; ++i) {
        if (i > 0)
            edges[used++] = i - 1;
        if (i + 1 < size)
            edges[used++] = i + 1;
        index[i] = used;
    }
    CHECK_OK(MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &number));
    CHECK_EQUAL(number, rank);
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 1, &chain));
    CHECK_OK(MPI_Topo_test(chain, &number));
    CHECK_EQUAL(number, MPI_GRAPH);
    CHECK_OK(MPI_Graphdims_get(chain, &number, &count));
    CHECK(number == size && count == used);
    CHECK_OK(MPI_Graph_get(chain, 64, 128, got_index, got_edges));
    CHECK(memcmp(got_index, index, (size_t)size * sizeof(int)) == 0);
    CHECK(memcmp(got_edges, edges, (size_t)used * sizeof(int)) == 0);
    for (i = 0; i < size; ++i) {
        const int expected = (i > 0) + (i + 1 < size);
        CHECK_OK(MPI_Graph_neighbors_count(chain, i, &count));
        CHECK_EQUAL(count, expected);
        neighbors[0] = neighbors[1] = -1;
        CHECK_OK(MPI_Graph_neighbors(chain, i, 2, neighbors));
        CHECK(expected == 0 || neighbors[0] == (i > 0 ? i - 1 : i + 1));
        CHECK(expected < 2 || neighbors[1] == i + 1);
    }
    CHECK_ERROR(MPI_Graph_neighbors_count(chain, size, &count), MPI_ERR_RANK, "rank is");
    CHECK_ERROR(MPI_Graph_neighbors(chain, -1, 2, neighbors), MPI_ERR_RANK, "rank is -1");
    CHECK_ERROR(MPI_Graph_get(chain, size - 1, 128, got_index, got_edges), MPI_ERR_ARG, "room for");
    CHECK_ERROR(MPI_Cartdim_get(chain, &number), MPI_ERR_TOPOLOGY, "is a graph");
    MPI_Comm_free(&chain);

    /* The first rank alone, its own neighbour twice; the others are in no communicator. */
    index[0] = 2;
    edges[0] = edges[1] = 0;
    CHECK_OK(MPI_Graph_map(MPI_COMM_WORLD, 1, index, edges, &number));
    CHECK_EQUAL(number, rank == 0 ? 0 : MPI_UNDEFINED);
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, &part));
    CHECK((part == MPI_COMM_NULL) == (rank != 0));
    if (rank == 0) {
        CHECK_OK(MPI_Graph_neighbors_count(part, 0, &count));
        CHECK_EQUAL(count, 2);
        MPI_Comm_free(&part);
    }
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &part));
    CHECK(part == MPI_COMM_NULL);
}

/* Edges that other ranks name: rank r gives those of rank r + 1, to itself and to r + 2, and the weights. */
static void distributed_graphs(void)
{
    MPI_Comm graph = MPI_COMM_NULL;
    const int giver = (rank + size - 1) % size, next = (rank + 1) % size;
    int source = next, degree = 2, destinations[2], weights[2];
    int in = -1, out = -1, weighted = -1, got_in[2] = {-1, -1}, got_out[2] = {-1, -1}, in_weights[2], out_weights[2];
    destinations[0] = (rank + 2) % size;
    destinations[1] = next;
    weights[0] = 10 * rank;
    weights[1] = 10 * rank + 1;
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, destinations, weights, MPI_INFO_NULL, 0,
                                   &graph));
    CHECK_OK(MPI_Topo_test(graph, &in));
    CHECK_EQUAL(in, MPI_DIST_GRAPH);
    CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == 2 && out == 2 && weighted);
    CHECK_OK(MPI_Dist_graph_neighbors(graph, 2, got_in, in_weights, 2, got_out, out_weights));
    CHECK(got_out[0] == next && got_out[1] == rank);
    CHECK(out_weights[0] == 10 * giver && out_weights[1] == 10 * giver + 1);
    /* The edge to itself has the weight 10 giver + 1, that of the rank before 10 (giver - 1). */
    if (size > 1) {
        const int self = got_in[0] == rank ? 0 : 1;
        CHECK(got_in[self] == rank && got_in[1 - self] == giver);
        CHECK(in_weights[self] == 10 * giver + 1);
        CHECK(in_weights[1 - self] == 10 * ((giver + size - 1) % size));
    } else {
        CHECK(got_in[0] == 0 && got_in[1] == 0 && in_weights[0] == 0 && in_weights[1] == 1);
    }
    /* Only as many as there is room for. */
    got_out[1] = -5;
    CHECK_OK(MPI_Dist_graph_neighbors(graph, 0, NULL, NULL, 1, got_out, out_weights));
    CHECK(got_out[0] == next && got_out[1] == -5);
    CHECK_ERROR(MPI_Dist_graph_neighbors(graph, -1, got_in, in_weights, 2, got_out, out_weights), MPI_ERR_ARG, "-1");
    CHECK_ERROR(MPI_Dist_graph_neighbors(graph, 2, NULL, in_weights, 2, got_out, out_weights), MPI_ERR_ARG,
                "sources is a null pointer");
    CHECK_ERROR(MPI_Cart_coords(graph, 0, 2, got_in), MPI_ERR_TOPOLOGY, "is a distributed graph");
    MPI_Comm_free(&graph);

    /* All edges by rank 0: a star, with no weights. */
    if (rank == 0) {
        int leaves[64], i;
        for (i = 0; i < size; ++i)
            leaves[i] = i;
        source = 0;
        degree = size;
        CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, leaves, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                                       &graph));
    } else {
        CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph));
    }
    CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == 1 && out == (rank == 0 ? size : 0) && !weighted);
    in_weights[0] = -3;
    CHECK_OK(MPI_Dist_graph_neighbors(graph, 1, got_in, in_weights, 0, NULL, MPI_UNWEIGHTED));
    CHECK(got_in[0] == 0 && in_weights[0] == -3);
    MPI_Comm_free(&graph);
}

static void adjacent_graphs(void)
{
    MPI_Comm graph = MPI_COMM_NULL;
    int sources[2], destinations[2], in_weights[2], out_weights[2];
    int in = -1, out = -1, weighted = -1, got_in[2], got_out[2], got_in_weights[2], got_out_weights[2];
    sources[0] = sources[1] = (rank + size - 1) % size;
    destinations[0] = destinations[1] = (rank + 1) % size;
    in_weights[0] = sources[0];
    in_weights[1] = sources[0] + 100;
    out_weights[0] = rank;
    out_weights[1] = rank + 100;
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, in_weights, 2, destinations, out_weights,
                                            MPI_INFO_NULL, 0, &graph));
    CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == 2 && out == 2 && weighted);
    CHECK_OK(MPI_Dist_graph_neighbors(graph, 2, got_in, got_in_weights, 2, got_out, got_out_weights));
    CHECK(memcmp(got_in, sources, sizeof sources) == 0 && memcmp(got_out, destinations, sizeof destinations) == 0);
    CHECK(memcmp(got_in_weights, in_weights, sizeof in_weights) == 0);
    CHECK(memcmp(got_out_weights, out_weights, sizeof out_weights) == 0);
    MPI_Comm_free(&graph);

    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY,
                                            MPI_INFO_NULL, 0, &graph));
    CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == 0 && out == 0 && weighted);
    MPI_Comm_free(&graph);

    /* Sources that know nothing of it: such a graph can be asked, but nothing is exchanged along its edges. */
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &graph));
    CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == 1 && out == 0 && !weighted);
    CHECK_OK(MPI_Dist_graph_neighbors(graph, 1, got_in, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED));
    CHECK_EQUAL(got_in[0], sources[0]);
    CHECK_ERROR(MPI_Neighbor_alltoall(got_out, 1, MPI_INT, got_in, 1, MPI_INT, graph), MPI_ERR_TOPOLOGY,
                "both ends of an edge must name it equally often");
    CHECK_OK(MPI_Barrier(graph));
    CHECK_OK(MPI_Comm_free(&graph));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    graphs();
    distributed_graphs();
    adjacent_graphs();
    MPI_Finalize();
    return check_result();
}
