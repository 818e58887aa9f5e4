#include "lib/core/job/reachability.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace tutti::detail;

TEST_CASE("few nodes ask all others", "[communicator]")
{
    CHECK(nodes_asked(0, 1).empty());
    CHECK(nodes_asked(0, 2) == std::vector{1});
    CHECK(nodes_asked(1, 4) == std::vector{0, 2, 3});
    CHECK(nodes_asked(63, 64).size() == 63);
}

TEST_CASE("many nodes ask a few, all along the ring, and who is asked asks back", "[communicator]")
{
    for (const int nodes : {65, 1000}) {
        for (int node = 0; node < nodes; ++node) {
            const std::vector<int> asked = nodes_asked(node, nodes);
            CHECK(asked.size() <= 20);
            CHECK(std::ranges::find(asked, (node + 1) % nodes) != asked.end());
            for (const int other : asked) {
                REQUIRE(other != node);
                const std::vector<int> back = nodes_asked(other, nodes);
                REQUIRE(std::ranges::find(back, node) != back.end());
            }
        }
    }
}
