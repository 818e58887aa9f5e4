// What the head does for several nodes: gathering fences, and pacing standard input by the slowest reader.
#include <pmix_common.h>

#include <catch2/catch.hpp>

#include "launcher/pmix/fence_collector.hpp"
#include "launcher/streams/input_reader.hpp"

using namespace tutti::launcher;

namespace {

/// Ranks 0 and 1 on node 0, 2 on node 1, 3 on node 2, and what was answered.
struct FenceScene {
    FenceScene()
    {
        map.nodes = {{"a"}, {"b"}, {"c"}};
        map.ranks = {{0, 0, 0, 0, {}}, {1, 0, 0, 1, {}}, {2, 0, 1, 0, {}}, {3, 0, 2, 0, {}}};
    }

    void add(int node, std::vector<int> ranks, const std::string& data, int status = PMIX_SUCCESS)
    {
        collector.add(node, {std::move(ranks), status, data});
    }

    struct Answer {
        std::set<int> nodes;
        std::vector<int> ranks;
        int status;
        std::string data;
        bool operator==(const Answer&) const = default;
    };
    JobMap map;
    std::vector<Answer> answers;
    FenceCollector collector{map, [this](const std::set<int>& nodes, const FenceFrame& done) {
                                 answers.push_back({nodes, done.ranks, done.status, done.data});
                             }};
};

}  // namespace

TEST_CASE("a fence is complete when all its nodes have come, and only these are told")
{
    FenceScene scene;
    scene.add(2, {kAllRanks}, "c");
    scene.add(0, {0, 2}, "x");
    scene.add(0, {kAllRanks}, "a");
    CHECK(scene.answers.empty());
    scene.add(1, {kAllRanks}, "b");
    REQUIRE(scene.answers.size() == 1);
    CHECK(scene.answers[0] == FenceScene::Answer{{0, 1, 2}, {kAllRanks}, PMIX_SUCCESS, "cab"});
    scene.add(1, {0, 2}, "y");
    REQUIRE(scene.answers.size() == 2);
    CHECK(scene.answers[1] == FenceScene::Answer{{0, 1}, {0, 2}, PMIX_SUCCESS, "xy"});
}

TEST_CASE("a node that is ahead is in the next fence of the same ranks")
{
    FenceScene scene;
    scene.add(1, {2, 3}, "1");
    scene.add(1, {2, 3}, "3");
    scene.add(1, {2, 3}, "5");
    CHECK(scene.answers.empty());
    for (const std::string data : {"2", "4", "6"}) {
        scene.add(2, {2, 3}, data);
    }
    REQUIRE(scene.answers.size() == 3);
    CHECK(scene.answers[0].data == "12");
    CHECK(scene.answers[1].data == "34");
    CHECK(scene.answers[2].data == "56");
}

TEST_CASE("what went wrong on one node is told to all of a fence")
{
    FenceScene scene;
    scene.add(0, {kAllRanks}, "", PMIX_ERR_LOST_CONNECTION);
    scene.add(1, {kAllRanks}, "");
    scene.add(2, {kAllRanks}, "");
    REQUIRE(scene.answers.size() == 1);
    CHECK(scene.answers[0].status == PMIX_ERR_LOST_CONNECTION);
}

TEST_CASE("fences of a rank that has ended fail, for those who wait and for those who come later")
{
    FenceScene scene;
    scene.add(0, {kAllRanks}, "");
    scene.add(0, {0, 2}, "");
    scene.collector.rank_ended(3);
    REQUIRE(scene.answers.size() == 1);
    CHECK(scene.answers[0] == FenceScene::Answer{{0}, {kAllRanks}, PMIX_ERR_LOST_CONNECTION, ""});
    scene.add(1, {kAllRanks}, "");
    REQUIRE(scene.answers.size() == 2);
    CHECK(scene.answers[1] == FenceScene::Answer{{1}, {kAllRanks}, PMIX_ERR_LOST_CONNECTION, ""});
    scene.add(1, {0, 2}, "");  // without rank 3
    REQUIRE(scene.answers.size() == 3);
    CHECK(scene.answers[2].status == PMIX_SUCCESS);
}

TEST_CASE("fences of ranks that do not exist, or are not the node's, are refused")
{
    FenceScene scene;
    CHECK_THROWS_AS(scene.add(0, {4}, ""), WireError);
    CHECK_THROWS_AS(scene.add(0, {-7}, ""), WireError);
    CHECK_THROWS_AS(scene.add(2, {0, 2}, ""), WireError);
    CHECK_THROWS_AS(scene.add(0, {}, ""), WireError);
    CHECK(scene.answers.empty());
}

TEST_CASE("standard input goes on when the slowest node has taken it")
{
    StdinWindow window;
    window.add_reader(0);
    window.add_reader(1);
    window.add_reader(2);
    CHECK(window.taken(0, 100) == 0);
    CHECK(window.taken(1, 60) == 0);
    CHECK(window.taken(2, 40) == 40);
    CHECK(window.taken(2, 100) == 20);
    CHECK(window.taken(7, 100) == 0);      // reads nothing
    CHECK(window.remove_reader(1) == 40);  // up to what node 0 has taken
    CHECK(window.remove_reader(0) == 40);
    CHECK(window.remove_reader(2) == 0);
    CHECK(window.taken(0, 5) == 0);
}
