#include "lib/core/communicators/neighbor_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/communicators/creation.hpp"

namespace tutti::detail {

using collectives::Grid;
using collectives::NodeMap;

namespace {

TopologyPointer topology_of(Grid grid, int rank)
{
    auto topology = std::make_shared<Topology>();
    for (const int neighbor : grid.neighbors(rank))
        topology->sources.push_back(neighbor < 0 ? null_rank : neighbor);
    topology->destinations = topology->sources;
    topology->grid = std::move(grid);
    return topology;
}

// `nodes` covers all ranks of the communicator; the first of them form the grid.
int place_by_node(const Grid& grid, const NodeMap& nodes, int rank)
{
    std::vector<int> node_of_rank;
    for (int other = 0; other < grid.size(); ++other)
        node_of_rank.push_back(nodes.node_of(other));
    return collectives::places_by_node(grid, NodeMap(node_of_rank))[static_cast<std::size_t>(rank)];
}

}  // namespace

int place_in(const Grid& grid, const CommunicatorState& old, bool reorder)
{
    if (old.rank() >= grid.size())
        return null_rank;
    const NodeMap* const nodes = old.placement().nodes;
    return reorder && nodes != nullptr ? place_by_node(grid, *nodes, old.rank()) : old.rank();
}

Neighborhood create_grid(const StatePointer& old, Grid grid, bool reorder)
{
    const int place = place_in(grid, *old, reorder);
    auto ranks = split(old, call_of_grid(grid.dims(), grid.periodic(), reorder),
                       place >= 0 ? std::optional(0) : std::nullopt, place);
    if (ranks == nullptr)
        return {};
    return {std::move(ranks), topology_of(std::move(grid), place)};
}

Neighborhood create_sub_grid(const StatePointer& old, const Grid& grid, const std::vector<bool>& kept)
{
    // Ranks with equal coordinates in the left-out dimensions are together, ordered by the other dimensions.
    int colour = 0;
    int place = 0;
    const std::vector<int> here = grid.coordinates(old->rank());
    for (std::size_t i = 0; i < here.size(); ++i) {
        int& number = kept[i] ? place : colour;
        number = number * grid.dims()[i] + here[i];
    }
    return {split(old, {.kind = collectives::CallKind::split}, colour, place),
            topology_of(grid.reduced_to(kept), place)};
}

void check_edges(const StatePointer& state, const Topology& topology)
{
    const Communicator ranks = CommunicatorAccess::handle_of(state);
    const auto size = static_cast<std::size_t>(ranks.size());
    std::vector<int> sent(size);
    std::vector<int> announced(size);
    for (const int destination : topology.destinations)
        ++sent[static_cast<std::size_t>(destination)];
    ranks.alltoall(sent, announced);
    for (const int source : topology.sources)
        --announced[static_cast<std::size_t>(source)];
    const auto wrong = std::ranges::find_if(announced, [](int edges) { return edges != 0; });
    const int peer = wrong == announced.end() ? -1 : static_cast<int>(wrong - announced.begin());
    int worst = peer >= 0 ? 1 : 0;
    ranks.allreduce(worst, tutti::max);
    if (peer >= 0)
        throw Error(ErrorCode::invalid_argument, "create_graph",
                    fmt::format("rank {} names rank {} as its destination {} than the latter names it as a "
                                "source; both ends of an edge must name it equally often",
                                peer, ranks.rank(), *wrong > 0 ? "more often" : "less often"),
                    peer);
    if (worst != 0)
        refuse("create_graph", "other ranks' neighbours do not fit together; their errors name them");
}

Neighborhood create_graph(const StatePointer& old, Topology topology)
{
    Neighborhood made{split(old, {.kind = collectives::CallKind::create_graph}, 0),
                      std::make_shared<const Topology>(std::move(topology))};
    check_edges(made.state, *made.topology);
    return made;
}

}  // namespace tutti::detail
