#include "collectives/grid.hpp"

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

TEST_CASE("balanced dimensions multiply up, fall, and have the smallest largest one")
{
    CHECK(balanced_dims(6, 2) == Numbers{3, 2});
    CHECK(balanced_dims(7, 2) == Numbers{7, 1});
    CHECK(balanced_dims(16, 3) == Numbers{4, 2, 2});
    CHECK(balanced_dims(36, 2) == Numbers{6, 6});
    CHECK(balanced_dims(60, 3) == Numbers{5, 4, 3});
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

}  // namespace tutti::collectives::test
