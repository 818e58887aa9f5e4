// Makes communicators of grids and graphs.
#include "tutti/topologies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "lib/core/calls/buffer_checks.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/communicators/creation.hpp"
#include "lib/core/communicators/topology.hpp"

namespace tutti {

using collectives::Grid;
using collectives::NodeMap;
using detail::refuse;
using detail::Topology;

namespace {

// "3 x 4"
std::string product_of(std::span<const int> dims)
{
    std::string text;
    for (const int dim : dims)
        text += (text.empty() ? "" : " x ") + std::to_string(dim);
    return text;
}

void check_grid(std::span<const int> dims, std::size_t periods, int ranks)
{
    constexpr std::string_view kOperation = "create_cartesian";
    if (dims.empty())
        refuse(kOperation, "there are no dimensions; give the ranks of at least one");
    if (periods != 0 && periods != dims.size())
        refuse(kOperation, fmt::format("there are {} dimensions and {} periods; give one for each, or none "
                                       "where no dimension is periodic",
                                       dims.size(), periods));
    int product = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] < 1)
            refuse(kOperation, fmt::format("dimension {} has {} ranks; each needs at least one "
                                           "(tutti::balanced_dims finds dimensions)",
                                           i, dims[i]));
        if (dims[i] > ranks / product)
            refuse(kOperation, fmt::format("a grid of {} has more ranks than the communicator, which has {}; "
                                           "make it smaller (tutti::balanced_dims finds dimensions)",
                                           product_of(dims), ranks));
        product *= dims[i];
    }
}

int rank_or_null(int rank)
{
    return rank < 0 ? null_rank : rank;
}

std::shared_ptr<const Topology> topology_of(Grid grid, int rank)
{
    auto topology = std::make_shared<Topology>();
    for (const int neighbor : grid.neighbors(rank))
        topology->sources.push_back(rank_or_null(neighbor));
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

// Checks that both ends of every edge name it: otherwise the exchange would wait for ever.
void check_edges(const Communicator& ranks, const Topology& topology)
{
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

std::vector<int> checked_ranks(std::span<const int> ranks, std::string_view name, int size)
{
    for (const int rank : ranks) {
        if (rank < 0 || rank >= size)
            throw Error(ErrorCode::invalid_rank, "create_graph",
                        fmt::format("among the {} is {}, which is not a rank of this communicator; its ranks "
                                    "are 0 to {}",
                                    name, rank, size - 1),
                        rank);
    }
    return {ranks.begin(), ranks.end()};
}

}  // namespace

std::vector<int> balanced_dims(int ranks, int dimensions)
{
    if (ranks < 1 || dimensions < 1)
        refuse("balanced_dims", fmt::format("there is no grid of {} ranks in {} dimensions; give at least 1 "
                                            "of each",
                                            ranks, dimensions));
    return collectives::balanced_dims(ranks, dimensions);
}

std::optional<CartesianCommunicator> Communicator::create_cartesian(std::vector<int> dims,
                                                                    std::vector<bool> periods,
                                                                    CartesianOptions options) const
{
    check_grid(dims, periods.size(), size_);
    periods.resize(dims.size());
    Grid grid(std::move(dims), std::move(periods));
    const bool is_in = rank_ < grid.size();
    const NodeMap* const nodes = state_->placement().nodes;
    const int place =
        options.reorder && is_in && nodes != nullptr ? place_by_node(grid, *nodes, rank_) : rank_;
    auto ranks = detail::split(state_, detail::call_of_grid(grid.dims(), grid.periodic(), options.reorder),
                               is_in ? std::optional(0) : std::nullopt, place);
    if (ranks == nullptr)
        return std::nullopt;
    return CartesianCommunicator(Communicator(std::move(ranks)), topology_of(std::move(grid), place));
}

GraphCommunicator Communicator::create_graph(std::span<const int> sources,
                                             std::span<const int> destinations) const
{
    auto topology = std::make_shared<Topology>();
    topology->sources = checked_ranks(sources, "sources", size_);
    topology->destinations = checked_ranks(destinations, "destinations", size_);
    Communicator ranks(detail::split(state_, {.kind = collectives::CallKind::create_graph}, 0));
    check_edges(ranks, *topology);
    return GraphCommunicator(std::move(ranks), std::move(topology));
}

const std::vector<int>& CartesianCommunicator::dims() const noexcept
{
    return topology_->grid->dims();
}

const std::vector<bool>& CartesianCommunicator::periods() const noexcept
{
    return topology_->grid->periodic();
}

std::vector<int> CartesianCommunicator::coordinates(int rank) const
{
    if (rank < 0 || rank >= size())
        throw Error(ErrorCode::invalid_rank, "coordinates",
                    fmt::format("there is no rank {} in this grid; its ranks are 0 to {}", rank, size() - 1),
                    rank);
    return topology_->grid->coordinates(rank);
}

int CartesianCommunicator::rank_at(std::span<const int> coordinates) const
{
    if (coordinates.size() != dims().size())
        refuse("rank_at", fmt::format("there are {} coordinates for {} dimensions; give one for each",
                                      coordinates.size(), dims().size()));
    return rank_or_null(topology_->grid->rank_at(coordinates));
}

Shift CartesianCommunicator::shift(int dimension, int displacement) const
{
    if (dimension < 0 || static_cast<std::size_t>(dimension) >= dims().size())
        refuse("shift", fmt::format("there is no dimension {}; this grid's are 0 to {}", dimension,
                                    dims().size() - 1));
    const Grid& grid = *topology_->grid;
    const auto at = static_cast<std::size_t>(dimension);
    // The least int has no opposite.
    const int back =
        displacement == std::numeric_limits<int>::min() ? std::numeric_limits<int>::max() : -displacement;
    return {rank_or_null(grid.shifted(rank(), at, back)),
            rank_or_null(grid.shifted(rank(), at, displacement))};
}

CartesianCommunicator CartesianCommunicator::sub(const std::vector<bool>& kept) const
{
    const Grid& grid = *topology_->grid;
    if (kept.size() != dims().size() || std::ranges::find(kept, true) == kept.end())
        refuse("sub",
               fmt::format("there are {} values for {} dimensions, {} of them true; give one for each, "
                           "true for those to keep, at least one",
                           kept.size(), dims().size(), std::ranges::count(kept, true)));
    // Ranks with equal coordinates in the left-out dimensions are together, ordered by the other dimensions.
    int colour = 0;
    int place = 0;
    const std::vector<int> here = coordinates();
    for (std::size_t i = 0; i < here.size(); ++i) {
        int& number = kept[i] ? place : colour;
        number = number * dims()[i] + here[i];
    }
    return CartesianCommunicator(*split(colour, {.key = place}), topology_of(grid.reduced_to(kept), place));
}

}  // namespace tutti
