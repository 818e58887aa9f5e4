#include "collectives/framework/functions.hpp"

#include <algorithm>

#include "collectives/collectives.hpp"
#include "collectives/framework/grid.hpp"
#include "tests/simulator/blocks_support.hpp"

namespace tutti::collectives::test {

namespace {

/// Everybody's neighbours.
struct Graph {
    std::vector<std::vector<int>> sources;
    std::vector<std::vector<int>> destinations;
    bool opposite = false;

    int ranks() const { return static_cast<int>(sources.size()); }
    Neighbors of(int rank) const
    {
        const auto index = static_cast<std::size_t>(rank);
        return {sources[index], destinations[index], opposite};
    }

    /// Of source `slot` of `rank`: which of that one's destinations its block is. By definition, not by the
    /// algorithm's order: opposite sides, or the same occurrence of the pair.
    std::size_t sent_as(int rank, std::size_t slot) const
    {
        if (opposite) {
            return slot % 2 == 0 ? slot + 1 : slot - 1;
        }
        const std::vector<int>& mine = sources[static_cast<std::size_t>(rank)];
        const auto occurrence = std::count(mine.begin(), mine.begin() + static_cast<int>(slot), mine[slot]);
        const std::vector<int>& theirs = destinations[static_cast<std::size_t>(mine[slot])];
        std::size_t index = 0;
        for (auto before = occurrence; theirs[index] != rank || before-- > 0;) {
            ++index;
        }
        return index;
    }
    /// Edges between different ranks.
    std::size_t messages() const
    {
        std::size_t count = 0;
        for (int rank = 0; rank < ranks(); ++rank) {
            for (const int to : destinations[static_cast<std::size_t>(rank)]) {
                count += to >= 0 && to != rank ? 1 : 0;
            }
        }
        return count;
    }
};

Graph graph_of(const Grid& grid)
{
    Graph graph;
    graph.opposite = true;
    for (int rank = 0; rank < grid.size(); ++rank) {
        graph.sources.push_back(grid.neighbors(rank));
    }
    graph.destinations = graph.sources;
    return graph;
}

/// Rank r sends to r % 4 ranks: some to several, some to nobody, some twice to the same, some to themselves.
Graph irregular(int ranks)
{
    Graph graph;
    graph.sources.resize(static_cast<std::size_t>(ranks));
    graph.destinations.resize(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        for (int edge = 0; edge < rank % 4; ++edge) {
            const int to = edge == 1 ? rank : (rank * 5 + 3) % ranks;
            graph.destinations[static_cast<std::size_t>(rank)].push_back(to);
            graph.sources[static_cast<std::size_t>(to)].push_back(rank);
        }
    }
    return graph;
}

std::size_t size_of(int rank, std::size_t slot)
{
    return (static_cast<std::size_t>(rank) * 5 + slot * 3) % 7;
}

/// Marks the block that a rank sends to one of its destinations.
int mark(std::size_t slot)
{
    return 100 + static_cast<int>(slot);
}

/// Blocks of different sizes, some empty; those of nobody stay as they are.
void check_unequal(const Graph& graph, SendMode mode, Order order)
{
    std::vector<Places> in;
    std::vector<Places> out;
    std::vector<Memory> sent;
    std::vector<Memory> received;
    std::vector<Memory> expected;
    for (int rank = 0; rank < graph.ranks(); ++rank) {
        const Neighbors neighbors = graph.of(rank);
        std::vector<std::size_t> sizes;
        for (std::size_t slot = 0; slot < neighbors.destinations.size(); ++slot) {
            sizes.push_back(size_of(rank, slot));
        }
        in.emplace_back(sizes, order);
        sent.push_back(in.back().untouched());
        for (std::size_t slot = 0; slot < sizes.size(); ++slot) {
            fill(in.back().in(sent.back())[static_cast<int>(slot)], rank, mark(slot));
        }
        sizes.clear();
        for (std::size_t slot = 0; slot < neighbors.sources.size(); ++slot) {
            const int source = neighbors.sources[slot];
            sizes.push_back(source < 0 ? 4 : size_of(source, graph.sent_as(rank, slot)));
        }
        out.emplace_back(sizes, order);
        received.push_back(out.back().untouched());
        expected.push_back(out.back().untouched());
        for (std::size_t slot = 0; slot < sizes.size(); ++slot) {
            if (neighbors.sources[slot] >= 0) {
                fill(out.back().in(expected.back())[static_cast<int>(slot)], neighbors.sources[slot],
                     mark(graph.sent_as(rank, slot)));
            }
        }
    }
    const Report report = simulate(graph.ranks(), settings_for(mode), [&](Group& group) {
        const auto index = static_cast<std::size_t>(group.rank());
        return neighbor_alltoallv(group, graph.of(group.rank()), in[index].in(std::as_const(sent[index])),
                                  out[index].in(received[index]));
    });
    CHECK(report.problems() == "");
    CHECK(report.messages_sent() == graph.messages());
    CHECK(report.longest_chain == (graph.messages() == 0 ? 0 : 1));
    CHECK(received == expected);
}

/// The same block size for all, with the allgather beside the alltoall.
Report check_neighbor_alltoall(const Graph& graph, SendMode mode, std::size_t block_bytes)
{
    std::vector<Memory> own;
    std::vector<Memory> sent;
    std::vector<Memory> gathered;
    std::vector<Memory> received;
    std::vector<Memory> all_expected;
    std::vector<Memory> expected;
    for (int rank = 0; rank < graph.ranks(); ++rank) {
        const Neighbors neighbors = graph.of(rank);
        own.push_back(block_of(rank, kAll, block_bytes));
        Memory blocks;
        for (std::size_t slot = 0; slot < neighbors.destinations.size(); ++slot) {
            const Memory block = block_of(rank, mark(slot), block_bytes);
            blocks.insert(blocks.end(), block.begin(), block.end());
        }
        sent.push_back(blocks);
        Memory arriving;
        Memory all_arriving;
        for (std::size_t slot = 0; slot < neighbors.sources.size(); ++slot) {
            const int source = neighbors.sources[slot];
            const Memory nothing(block_bytes, kUntouched);
            const Memory one =
                source < 0 ? nothing : block_of(source, mark(graph.sent_as(rank, slot)), block_bytes);
            const Memory other = source < 0 ? nothing : block_of(source, kAll, block_bytes);
            arriving.insert(arriving.end(), one.begin(), one.end());
            all_arriving.insert(all_arriving.end(), other.begin(), other.end());
        }
        received.emplace_back(arriving.size(), kUntouched);
        gathered.emplace_back(all_arriving.size(), kUntouched);
        expected.push_back(std::move(arriving));
        all_expected.push_back(std::move(all_arriving));
    }
    const Report report = simulate(graph.ranks(), settings_for(mode), [&](Group& group) {
        const auto index = static_cast<std::size_t>(group.rank());
        return neighbor_alltoall(group, graph.of(group.rank()), sent[index].data(), received[index].data(),
                                 block_bytes);
    });
    CHECK(report.problems() == "");
    CHECK(report.bytes_sent() == graph.messages() * block_bytes);
    CHECK(received == expected);
    const Report gather_report = simulate(graph.ranks(), settings_for(mode), [&](Group& group) {
        const auto index = static_cast<std::size_t>(group.rank());
        return neighbor_allgather(group, graph.of(group.rank()), own[index], gathered[index].data());
    });
    CHECK(gather_report.problems() == "");
    CHECK(gathered == all_expected);
    return report;
}

std::vector<Grid> grids_of(int ranks)
{
    const std::vector<int> flat = balanced_dims(ranks, 2);
    return {
        Grid({ranks}, {false}),
        Grid({ranks}, {true}),
        Grid(flat, {true, true}),
        Grid(flat, {false, true}),
        Grid(balanced_dims(ranks, 3), {true, false, true}),
    };
}

}  // namespace

TEST_CASE("neighbours on grids of 1 to 17 ranks, with and without borders")
{
    for (int ranks = 1; ranks <= 17; ++ranks) {
        for (const Grid& grid : grids_of(ranks)) {
            for (const SendMode mode : kModes) {
                CAPTURE(ranks, grid.dims(), mode == SendMode::eager);
                check_unequal(graph_of(grid), mode, Order::packed);
                check_unequal(graph_of(grid), mode, Order::backwards);
                for (const std::size_t block_bytes : {0u, 1u, 7u}) {
                    check_neighbor_alltoall(graph_of(grid), mode, block_bytes);
                }
            }
        }
    }
}

TEST_CASE("neighbours of irregular graphs, the same one twice and oneself among them")
{
    for (int ranks = 1; ranks <= 17; ++ranks) {
        for (const SendMode mode : kModes) {
            CAPTURE(ranks, mode == SendMode::eager);
            for (const Order order : kOrders) {
                check_unequal(irregular(ranks), mode, order);
            }
            check_neighbor_alltoall(irregular(ranks), mode, 3);
        }
    }
}

TEST_CASE("an exchange on a periodic grid of d dimensions takes 2 d steps")
{
    const std::vector<std::vector<int>> shapes{{2}, {5}, {3, 4}, {2, 2}, {4, 5, 3}, {2, 2, 2}, {10, 10, 10}};
    for (const std::vector<int>& dims : shapes) {
        CAPTURE(dims);
        const Graph graph = graph_of(Grid(dims, std::vector<bool>(dims.size(), true)));
        const Report report = check_neighbor_alltoall(graph, SendMode::eager, 2);
        CHECK(report.finish_ns() == 2.0 * static_cast<double>(dims.size()));
        CHECK(report.messages_sent() == 2 * dims.size() * static_cast<std::size_t>(graph.ranks()));
    }
}

}  // namespace tutti::collectives::test
