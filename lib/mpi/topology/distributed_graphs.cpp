// Communicators whose ranks know their own neighbours: MPI_Dist_graph_*.
#include <fmt/format.h>

#include <algorithm>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/creation.hpp"
#include "lib/foundation/base/error_detail.hpp"
#include "lib/mpi/info/info.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "lib/mpi/topology/topology_object.hpp"

namespace tutti::mpi {

namespace {

/// An edge, as the rank at one of its ends gets it.
struct Edge {
    int peer;
    int weight;
    int comes_in;  // or 0: it goes out
};

std::vector<int> neighbor_list(const int* ranks, int degree, int size, std::string_view name)
{
    const std::span given = checked_list(ranks, degree, name);
    for (const int rank : given)
        check_rank(rank, size, fmt::format("among the {}", name));
    return {given.begin(), given.end()};
}

// A weight for each of `count` edges; 1 without weights.
std::vector<int> weight_list(const int* weights, std::size_t count)
{
    if (weights == MPI_UNWEIGHTED || count == 0)
        return std::vector<int>(count, 1);
    if (weights == MPI_WEIGHTS_EMPTY)
        fail(MPI_ERR_ARG, fmt::format("the weights are MPI_WEIGHTS_EMPTY, but there are {} edges", count));
    check_not_null(weights, "weights");
    const std::span given(weights, count);
    for (const int weight : given)
        if (weight < 0)
            fail(MPI_ERR_ARG, fmt::format("among the weights is {}; none may be negative", weight));
    return {given.begin(), given.end()};
}

/// The edges that this rank gives, by the rank that gets them.
struct Given {
    std::vector<std::vector<Edge>> edges;

    Given(int ranks, int n, const int* sources, const int* degrees, const int* destinations,
          const int* weights)
        : edges(static_cast<std::size_t>(ranks))
    {
        const std::vector<int> from = neighbor_list(sources, n, ranks, "sources");
        const std::span of_each = checked_list(degrees, n, "degrees");
        std::size_t total = 0;
        for (std::size_t i = 0; i < of_each.size(); ++i) {
            if (of_each[i] < 0)
                fail(MPI_ERR_ARG, fmt::format("degree {} is {}; it must not be negative", i, of_each[i]));
            total += static_cast<std::size_t>(of_each[i]);
        }
        if (total > 0)
            check_not_null(destinations, "destinations");
        const std::vector<int> with = weight_list(weights, total);
        std::size_t next = 0;
        for (std::size_t i = 0; i < from.size(); ++i)
            for (int edge = 0; edge < of_each[i]; ++edge, ++next)
                add(from[i], destinations[next], with[next], ranks);
    }

private:
    void add(int from, int to, int weight, int ranks)
    {
        check_rank(to, ranks, "among the destinations");
        edges[static_cast<std::size_t>(from)].push_back({to, weight, 0});
        edges[static_cast<std::size_t>(to)].push_back({from, weight, 1});
    }
};

/// The edges that end at this rank, by the rank that gives them and then in its order: so edges between the
/// same two ranks have the same order at both.
std::vector<Edge> exchanged(const detail::StatePointer& state, const Given& given)
{
    const tutti::Communicator ranks = CommunicatorAccess::handle_of(state);
    std::vector<std::size_t> sent;
    std::vector<Edge> out;
    for (const std::vector<Edge>& edges : given.edges) {
        sent.push_back(edges.size());
        out.insert(out.end(), edges.begin(), edges.end());
    }
    std::vector<std::size_t> received(sent.size());
    ranks.alltoall(sent, received);
    std::size_t total = 0;
    for (const std::size_t edges : received)
        total += edges;
    std::vector<Edge> in(total);
    ranks.alltoallv(out, sent, in, received);
    return in;
}

// Empty at all ranks or at none. Programs may make a graph whose edges do not fit together, if they never
// exchange anything along them.
std::string mismatch_of(const detail::StatePointer& state, const detail::Topology& neighbors)
{
    try {
        detail::check_edges(state, neighbors);
        return {};
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_argument)
            throw;
        return std::string(base::detail_of(error));
    }
}

/// `fits`: both ends of an edge know it, and nothing is to check.
MPI_Comm graph_communicator(const Communicator& old, detail::Topology neighbors, bool fits, bool is_weighted,
                            std::vector<int> source_weights, std::vector<int> destination_weights)
{
    detail::StatePointer state = detail::split(old.state, {.kind = collectives::CallKind::create_graph}, 0);
    std::string mismatch = fits ? std::string() : mismatch_of(state, neighbors);
    return new_communicator(std::move(state), old,
                            std::make_shared<const Topology>(Topology{
                                .kind = MPI_DIST_GRAPH,
                                .neighbors = std::make_shared<const detail::Topology>(std::move(neighbors)),
                                .mismatch = std::move(mismatch),
                                .is_weighted = is_weighted,
                                .source_weights = std::move(source_weights),
                                .destination_weights = std::move(destination_weights)}));
}

// Writes as many values as there is room for.
void write_first(const std::vector<int>& values, int* to, int room, std::string_view name)
{
    const auto count = std::min(values.size(), checked_list(to, room, name).size());
    std::copy_n(values.begin(), count, to);
}

void write_weights(const Topology& topology, const std::vector<int>& weights, int* to, int room,
                   std::string_view name)
{
    if (topology.is_weighted && to != MPI_UNWEIGHTED && to != MPI_WEIGHTS_EMPTY)
        write_first(weights, to, room, name);
}

}  // namespace

int dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int* sources, const int* sourceweights,
                               int outdegree, const int* destinations, const int* destweights, MPI_Info info,
                               int /*reorder*/, MPI_Comm* comm_dist_graph)
{
    return guard_result("MPI_Dist_graph_create_adjacent", comm_old, comm_dist_graph, "comm_dist_graph", [&] {
        const Communicator& old = intracommunicator_of(comm_old);
        check_info(info);
        const int ranks = old.state->size();
        detail::Topology neighbors{
            .sources = neighbor_list(sources, indegree, ranks, "sources"),
            .destinations = neighbor_list(destinations, outdegree, ranks, "destinations"),
            .grid = {}};
        std::vector<int> in = weight_list(sourceweights, neighbors.sources.size());
        std::vector<int> out = weight_list(destweights, neighbors.destinations.size());
        const bool is_weighted = sourceweights != MPI_UNWEIGHTED;
        if (is_weighted != (destweights != MPI_UNWEIGHTED))
            fail(MPI_ERR_ARG,
                 "only one of sourceweights and destweights is MPI_UNWEIGHTED; give both weights, or none");
        return graph_communicator(old, std::move(neighbors), false, is_weighted, std::move(in),
                                  std::move(out));
    });
}

int dist_graph_create(MPI_Comm comm_old, int n, const int* sources, const int* degrees,
                      const int* destinations, const int* weights, MPI_Info info, int /*reorder*/,
                      MPI_Comm* comm_dist_graph)
{
    return guard_result("MPI_Dist_graph_create", comm_old, comm_dist_graph, "comm_dist_graph", [&] {
        const Communicator& old = intracommunicator_of(comm_old);
        check_info(info);
        const Given given(old.state->size(), n, sources, degrees, destinations, weights);
        detail::Topology neighbors;
        std::vector<int> in;
        std::vector<int> out;
        for (const Edge& edge : exchanged(old.state, given)) {
            (edge.comes_in != 0 ? neighbors.sources : neighbors.destinations).push_back(edge.peer);
            (edge.comes_in != 0 ? in : out).push_back(edge.weight);
        }
        return graph_communicator(old, std::move(neighbors), true, weights != MPI_UNWEIGHTED, std::move(in),
                                  std::move(out));
    });
}

int dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted)
{
    return guard("MPI_Dist_graph_neighbors_count", comm, [&] {
        check_not_null(indegree, "indegree");
        check_not_null(outdegree, "outdegree");
        check_not_null(weighted, "weighted");
        const Topology& topology = topology_of(comm, MPI_DIST_GRAPH);
        *indegree = static_cast<int>(topology.neighbors->sources.size());
        *outdegree = static_cast<int>(topology.neighbors->destinations.size());
        *weighted = topology.is_weighted;
    });
}

int dist_graph_neighbors(MPI_Comm comm, int maxindegree, int* sources, int* sourceweights, int maxoutdegree,
                         int* destinations, int* destweights)
{
    return guard("MPI_Dist_graph_neighbors", comm, [&] {
        const Topology& topology = topology_of(comm, MPI_DIST_GRAPH);
        write_first(topology.neighbors->sources, sources, maxindegree, "sources");
        write_first(topology.neighbors->destinations, destinations, maxoutdegree, "destinations");
        write_weights(topology, topology.source_weights, sourceweights, maxindegree, "sourceweights");
        write_weights(topology, topology.destination_weights, destweights, maxoutdegree, "destweights");
    });
}

}  // namespace tutti::mpi
