// Communicators whose ranks all know the whole graph: MPI_Graph_*.
#include <fmt/format.h>

#include <algorithm>

#include "lib/core/communicators/creation.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "lib/mpi/topology/topology_object.hpp"

namespace tutti::mpi {

namespace {

struct Graph {
    std::span<const int> index;
    std::span<const int> edges;

    int nodes() const noexcept { return static_cast<int>(index.size()); }
    std::span<const int> neighbors(int rank) const noexcept
    {
        const auto at = static_cast<std::size_t>(rank);
        const auto begin = static_cast<std::size_t>(rank == 0 ? 0 : index[at - 1]);
        return edges.subspan(begin, static_cast<std::size_t>(index[at]) - begin);
    }
};

/// Throws Failure if the communicator has too few ranks, or the arrays describe no graph.
Graph checked_graph(int ranks, int nnodes, const int* index, const int* edges)
{
    Graph graph{checked_list(index, nnodes, "indx"), {}};
    if (nnodes > ranks)
        fail(MPI_ERR_ARG,
             fmt::format("a graph of {} ranks has more ranks than the communicator, which has {}", nnodes,
                         ranks));
    for (int before = 0, rank = 0; rank < nnodes; before = index[rank++])
        if (index[rank] < before)
            fail(MPI_ERR_ARG, fmt::format("index {} is {}, less than {}; it is the number of edges of this "
                                          "rank and all before it",
                                          rank, index[rank], before));
    graph.edges = checked_list(edges, nnodes == 0 ? 0 : index[nnodes - 1], "edges");
    for (std::size_t i = 0; i < graph.edges.size(); ++i)
        check_rank(graph.edges[i], nnodes, fmt::format("edge {}", i));
    return graph;
}

// Empty if every edge has one back.
std::string words_of_one_way_edge(const Graph& graph)
{
    using Edges = std::vector<std::pair<int, int>>;
    Edges there;
    Edges back;
    for (int rank = 0; rank < graph.nodes(); ++rank)
        for (const int neighbor : graph.neighbors(rank)) {
            there.emplace_back(rank, neighbor);
            back.emplace_back(neighbor, rank);
        }
    std::ranges::sort(there);
    std::ranges::sort(back);
    const auto [one, other] = std::ranges::mismatch(there, back);
    if (one == there.end())
        return {};
    const auto [from, to] = *one < *other ? *one : std::pair(other->second, other->first);
    return fmt::format(
        "the graph has more edges from rank {} to rank {} than back; collectives among neighbours need as "
        "many both ways",
        from, to);
}

// A digest of all that must be equal at all ranks. FNV-1a.
std::size_t digest_of(const Graph& graph)
{
    std::size_t digest = 0xcbf29ce484222325u;
    for (const std::span<const int> numbers : {graph.index, graph.edges})
        for (const int number : numbers)
            digest = (digest ^ static_cast<std::size_t>(number)) * 0x100000001b3u;
    return digest;
}

std::shared_ptr<const Topology> graph_topology(const Graph& graph, int rank)
{
    const std::span<const int> near = graph.neighbors(rank);
    detail::Topology neighbors;
    neighbors.sources.assign(near.begin(), near.end());
    neighbors.destinations = neighbors.sources;
    return std::make_shared<const Topology>(
        Topology{.kind = MPI_GRAPH,
                 .neighbors = std::make_shared<const detail::Topology>(std::move(neighbors)),
                 .mismatch = words_of_one_way_edge(graph),
                 .index = {graph.index.begin(), graph.index.end()},
                 .edges = {graph.edges.begin(), graph.edges.end()}});
}

Graph graph_of(MPI_Comm comm)
{
    const Topology& topology = topology_of(comm, MPI_GRAPH);
    return {topology.index, topology.edges};
}

std::span<const int> neighbors_of(MPI_Comm comm, int rank)
{
    const Graph graph = graph_of(comm);
    check_rank(rank, graph.nodes(), "rank");
    return graph.neighbors(rank);
}

}  // namespace

int graph_create(MPI_Comm comm_old, int nnodes, const int* indx, const int* edges, int /*reorder*/,
                 MPI_Comm* comm_graph)
{
    return guard_result("MPI_Graph_create", comm_old, comm_graph, "comm_graph", [&] {
        const Communicator& old = intracommunicator_of(comm_old);
        const Graph graph = checked_graph(old.state->size(), nnodes, indx, edges);
        const int rank = old.state->rank();
        const bool is_in = rank < nnodes;
        detail::StatePointer ranks = detail::split(
            old.state, {.kind = collectives::CallKind::create_graph, .size_bytes = digest_of(graph)},
            is_in ? std::optional(0) : std::nullopt);
        return is_in ? new_communicator(std::move(ranks), old, graph_topology(graph, rank)) : MPI_COMM_NULL;
    });
}

int graph_map(MPI_Comm comm, int nnodes, const int* indx, const int* edges, int* newrank)
{
    return guard_result("MPI_Graph_map", comm, newrank, "newrank", [&] {
        const detail::CommunicatorState& state = *intracommunicator_of(comm).state;
        const Graph graph = checked_graph(state.size(), nnodes, indx, edges);
        return state.rank() < graph.nodes() ? state.rank() : MPI_UNDEFINED;
    });
}

int graphdims_get(MPI_Comm comm, int* nnodes, int* nedges)
{
    return guard("MPI_Graphdims_get", comm, [&] {
        check_not_null(nnodes, "nnodes");
        check_not_null(nedges, "nedges");
        const Graph graph = graph_of(comm);
        *nnodes = graph.nodes();
        *nedges = static_cast<int>(graph.edges.size());
    });
}

int graph_get(MPI_Comm comm, int maxindex, int maxedges, int* indx, int* edges)
{
    return guard("MPI_Graph_get", comm, [&] {
        const Graph graph = graph_of(comm);
        check_room(indx, maxindex, graph.nodes(), "indx");
        check_room(edges, maxedges, static_cast<int>(graph.edges.size()), "edges");
        std::ranges::copy(graph.index, indx);
        std::ranges::copy(graph.edges, edges);
    });
}

int graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors)
{
    return guard_result("MPI_Graph_neighbors_count", comm, nneighbors, "nneighbors",
                        [&] { return static_cast<int>(neighbors_of(comm, rank).size()); });
}

int graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int* neighbors)
{
    return guard("MPI_Graph_neighbors", comm, [&] {
        const std::span<const int> found = neighbors_of(comm, rank);
        check_room(neighbors, maxneighbors, static_cast<int>(found.size()), "neighbors");
        std::ranges::copy(found, neighbors);
    });
}

}  // namespace tutti::mpi
