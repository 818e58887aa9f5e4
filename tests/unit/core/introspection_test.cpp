// What tools learn of the choice of algorithms.
#include "tutti/introspection.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <catch2/catch.hpp>

#include "tutti/error.hpp"

namespace tutti {

namespace {

const AlgorithmInfo* find(const std::vector<AlgorithmInfo>& all, std::string_view name)
{
    const auto found = std::ranges::find(all, name, &AlgorithmInfo::name);
    return found != all.end() ? &*found : nullptr;
}

}  // namespace

TEST_CASE("every collective that has algorithms is known, with its variable", "[introspection]")
{
    const std::vector<CollectiveInfo> known = known_collectives();
    CHECK(known.size() == 15);
    CHECK(known.front().name == "barrier");
    const auto found = std::ranges::find(known, "reduce_scatter", &CollectiveInfo::name);
    REQUIRE(found != known.end());
    CHECK(found->variable == std::string_view("TUTTI_REDUCE_SCATTER"));
    for (const CollectiveInfo& collective : known)
        CHECK(!usable_algorithms(collective.name, {.ranks = 4, .size_bytes = 64}).empty());
}

TEST_CASE("the algorithms that can do a call, first that of the built-in rules", "[introspection]")
{
    const auto roomy = usable_algorithms("allreduce", {.ranks = 16, .size_bytes = 1 << 20});
    CHECK(roomy.front().name == "ring");
    CHECK(find(roomy, "board") == nullptr);
    CHECK(find(roomy, "hierarchical") == nullptr);
    CHECK(std::ranges::count(roomy, "ring", &AlgorithmInfo::name) == 1);
    const auto ordered =
        usable_algorithms("allreduce", {.ranks = 16, .size_bytes = 1 << 20, .commutative = false});
    CHECK(find(ordered, "ring") == nullptr);

    const auto crowded = usable_algorithms("barrier", {.ranks = 4, .more_ranks_than_cores = true});
    CHECK(crowded.front().name == "board");
    CHECK(crowded.front().needs_board);
    const auto two = usable_algorithms("barrier", {.ranks = 2, .more_ranks_than_cores = true});
    CHECK(two.front().name == "shared");
    CHECK(find(two, "board") != nullptr);
    CHECK(find(usable_algorithms("barrier", {.ranks = 1, .more_ranks_than_cores = true}), "board") ==
          nullptr);

    constexpr std::array kTwoNodes{7, 7, 3, 3};
    const auto apart = usable_algorithms(
        "allreduce", {.ranks = 4, .size_bytes = 8, .node_of_rank = kTwoNodes, .more_ranks_than_cores = true});
    CHECK(apart.front().name == "hierarchical");
    CHECK(find(apart, "board") == nullptr);
    constexpr std::array kOneNode{5, 5, 5};
    CHECK(find(usable_algorithms("allreduce", {.ranks = 3, .node_of_rank = kOneNode}), "hierarchical") ==
          nullptr);
}

TEST_CASE("algorithms in segments say which would be used", "[introspection]")
{
    const auto chosen = usable_algorithms("broadcast", {.ranks = 7, .size_bytes = 1 << 20});
    CHECK(chosen.front().name == "chain");
    CHECK(chosen.front().segment_bytes == 128 * 1024);
    REQUIRE(find(chosen, "binary_tree") != nullptr);
    CHECK(find(chosen, "binary_tree")->segment_bytes == 32 * 1024);
    CHECK(find(chosen, "flat")->segment_bytes == 0);
}

TEST_CASE("a collective that there is not is refused with those that there are", "[introspection]")
{
    CHECK_THROWS_WITH(usable_algorithms("alreduce", {}),
                      Catch::Contains("there is no collective \"alreduce\"; there is barrier, broadcast"));
}

}  // namespace tutti
