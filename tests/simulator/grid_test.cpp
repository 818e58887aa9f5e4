#include "collectives/framework/grid.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>

namespace tutti::collectives::test {

using Numbers = std::vector<int>;

TEST_CASE("ranks of a grid are counted with the last dimension running fastest")
{
    const Grid grid({2, 3, 4}, {false, true, false});
    CHECK(grid.size() == 24);
    CHECK(grid.coordinates(0) == Numbers{0, 0, 0});
    CHECK(grid.coordinates(17) == Numbers{1, 1, 1});
    for (int rank = 0; rank < grid.size(); ++rank) {
        CHECK(grid.rank_at(grid.coordinates(rank)) == rank);
    }
    CHECK(grid.rank_at(std::array{1, -1, 3}) == grid.rank_at(std::array{1, 2, 3}));
    CHECK(grid.rank_at(std::array{1, 7, 3}) == grid.rank_at(std::array{1, 1, 3}));
    CHECK(grid.rank_at(std::array{2, 0, 0}) == -1);
    CHECK(grid.rank_at(std::array{0, 0, -1}) == -1);
}

TEST_CASE("shifts end at borders and go round where the grid is periodic")
{
    const Grid grid({3, 2}, {true, false});
    CHECK(grid.neighbors(0) == Numbers{4, 2, -1, 1});
    CHECK(grid.neighbors(5) == Numbers{3, 1, 4, -1});
    CHECK(grid.shifted(0, 0, 3) == 0);
    CHECK(grid.shifted(0, 0, -4) == 4);
    CHECK(grid.shifted(0, 1, 2) == -1);
    constexpr int kMost = std::numeric_limits<int>::max();
    CHECK(grid.shifted(2, 1, kMost) == -1);
    CHECK(grid.shifted(2, 1, -kMost - 1) == -1);
    CHECK(grid.shifted(2, 0, kMost) == grid.shifted(2, 0, kMost % 3));
    CHECK(Grid({1, 2}, {true, true}).neighbors(1) == Numbers{1, 1, 0, 0});
}

TEST_CASE("balanced dimensions multiply up, fall, and are as close to each other as possible")
{
    CHECK(balanced_dims(6, 2) == Numbers{3, 2});
    CHECK(balanced_dims(7, 2) == Numbers{7, 1});
    CHECK(balanced_dims(16, 3) == Numbers{4, 2, 2});
    CHECK(balanced_dims(36, 2) == Numbers{6, 6});
    CHECK(balanced_dims(60, 3) == Numbers{5, 4, 3});
    CHECK(balanced_dims(7488, 3) == Numbers{26, 18, 16});  // not 24 x 24 x 13
    CHECK(balanced_dims(5040, 3) == Numbers{21, 16, 15});  // not 20 x 18 x 14, which differ as much
    CHECK(balanced_dims(98784, 5) == Numbers{14, 12, 12, 7, 7});
    CHECK(balanced_dims(1 << 20, 21) == [] {
        Numbers twos(21, 2);
        twos.back() = 1;
        return twos;
    }());
    CHECK(balanced_dims(1, 4) == Numbers{1, 1, 1, 1});
    CHECK(balanced_dims(12, 1) == Numbers{12});
    CHECK(balanced_dims(std::numeric_limits<int>::max(), 2) == Numbers{std::numeric_limits<int>::max(), 1});
    for (int ranks = 1; ranks <= 500; ++ranks) {
        for (int dimensions = 1; dimensions <= 4; ++dimensions) {
            const Numbers dims = balanced_dims(ranks, dimensions);
            CHECK(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()) == ranks);
            CHECK(std::is_sorted(dims.rbegin(), dims.rend()));
        }
    }
}

namespace {

// Pairs of neighbours that are on different nodes.
int crossings(const Grid& grid, const std::vector<int>& node_of_rank, const Numbers& places)
{
    Numbers node_at(places.size());
    for (std::size_t rank = 0; rank < places.size(); ++rank)
        node_at[static_cast<std::size_t>(places[rank])] = node_of_rank[rank];
    int count = 0;
    for (int rank = 0; rank < grid.size(); ++rank) {
        for (std::size_t i = 0; i < grid.dims().size(); ++i) {
            const int next = grid.shifted(rank, i, 1);
            count += next >= 0 &&
                     node_at[static_cast<std::size_t>(rank)] != node_at[static_cast<std::size_t>(next)];
        }
    }
    return count;
}

bool are_places(Numbers places)
{
    std::ranges::sort(places);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] != static_cast<int>(i))
            return false;
    }
    return true;
}

}  // namespace

TEST_CASE("ranks of a node become a block of the grid with few neighbours elsewhere")
{
    const Grid grid({4, 4}, {false, false});
    Numbers dealt(16);
    for (std::size_t rank = 0; rank < 16; ++rank)
        dealt[rank] = static_cast<int>(rank % 4);
    const Numbers places = places_by_node(grid, NodeMap(dealt));
    CHECK(are_places(places));
    CHECK(crossings(grid, dealt, places) == 8);  // four blocks of 2 x 2
    CHECK(places[0] == 0);
    CHECK(places[4] == 1);
    CHECK(places[8] == 4);
    CHECK(places[12] == 5);
    CHECK(places[1] == 2);

    // Planes of 2 x 3 in a grid that is longest in the first dimension.
    const Grid bar({4, 2, 3}, {true, false, false});
    Numbers in_turn(24);
    for (std::size_t rank = 0; rank < 24; ++rank)
        in_turn[rank] = static_cast<int>(rank % 4);
    const Numbers planes = places_by_node(bar, NodeMap(in_turn));
    CHECK(are_places(planes));
    CHECK(crossings(bar, in_turn, planes) == 24);
}

TEST_CASE("ranks of unequal nodes, and of nodes that fit no block, follow each other in the grid")
{
    const Grid grid({3, 2}, {false, false});
    CHECK(places_by_node(grid, NodeMap(Numbers{0, 1, 0, 1, 0, 0})) == Numbers{0, 4, 1, 5, 2, 3});
    const Grid line({6}, {false});
    const Grid square({2, 2}, {false, false});
    CHECK(places_by_node(line, NodeMap(Numbers{7, 8, 7, 8, 7, 8})) == Numbers{0, 3, 1, 4, 2, 5});
    CHECK(places_by_node(square, NodeMap(Numbers{0, 0, 0, 0})) == Numbers{0, 1, 2, 3});
    // No side of 5 divides 2 or 5 x 1 but along the second dimension.
    CHECK(places_by_node(Grid({2, 5}, {false, false}), NodeMap(Numbers{0, 1, 0, 1, 0, 1, 0, 1, 0, 1})) ==
          Numbers{0, 5, 1, 6, 2, 7, 3, 8, 4, 9});
}

}  // namespace tutti::collectives::test
