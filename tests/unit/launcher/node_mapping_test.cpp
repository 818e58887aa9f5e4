#include "launcher/placement/mapping.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using Nodes = std::vector<int>;

namespace {

JobOptions programs(const std::vector<int>& ranks)
{
    JobOptions options;
    for (const int count : ranks) {
        options.apps.push_back(AppContext{{"./a"}, count, {}, {}});
    }
    return options;
}

Nodes nodes_of(const JobOptions& options, const std::vector<Host>& hosts)
{
    Nodes nodes;
    for (const MappedRank& rank : map_to_nodes(options, hosts)) {
        nodes.push_back(rank.node);
    }
    return nodes;
}

}  // namespace

TEST_CASE("Slots are filled host by host, and again when all are taken")
{
    const std::vector<Host> hosts = {{"a", 2}, {"b", 3}};
    CHECK(nodes_of(programs({1}), hosts) == Nodes{0});
    CHECK(nodes_of(programs({3}), hosts) == Nodes{0, 0, 1});
    CHECK(nodes_of(programs({0}), hosts) == Nodes{0, 0, 1, 1, 1});
    CHECK(nodes_of(programs({6}), hosts) == Nodes{0, 0, 0, 1, 1, 1});
    CHECK(nodes_of(programs({8}), hosts) == Nodes{0, 0, 0, 0, 1, 1, 1, 1});
    CHECK(nodes_of(programs({11}), hosts) == Nodes{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("Nodes in turn, passing over those that are full")
{
    JobOptions options = programs({5});
    options.map_by = MachineLevel::node;
    CHECK(nodes_of(options, {{"a", 4}, {"b", 4}, {"c", 4}}) == Nodes{0, 1, 2, 0, 1});
    CHECK(nodes_of(options, {{"a", 1}, {"b", 3}, {"c", 1}}) == Nodes{0, 1, 2, 1, 1});
    CHECK(nodes_of(options, {{"a", 1}, {"b", 1}}) == Nodes{0, 1, 0, 1, 0});
    CHECK(nodes_of(options, {{"a", 9}}) == Nodes{0, 0, 0, 0, 0});
}

TEST_CASE("So many ranks on each node, whatever the slots")
{
    JobOptions options = programs({0});
    options.ranks_per.ranks = 2;
    const std::vector<Host> hosts = {{"a", 1}, {"b", 8}, {"c", 2}};
    CHECK(nodes_of(options, hosts) == Nodes{0, 0, 1, 1, 2, 2});
    options.apps[0].ranks = 3;
    CHECK(nodes_of(options, hosts) == Nodes{0, 0, 1});
    options.map_by = MachineLevel::node;
    CHECK(nodes_of(options, hosts) == Nodes{0, 1, 2});
    options.apps[0].ranks = 5;
    CHECK(nodes_of(options, hosts) == Nodes{0, 1, 2, 0, 1});
    options.apps[0].ranks = 7;
    CHECK_THAT(
        usage_error([&] { map_to_nodes(options, hosts); }),
        Catch::Contains("7 ranks of './a' are wanted, but 2 on each node of 3 hosts are 6; ask for fewer"));
}

TEST_CASE("Several programs go on where the one before stopped")
{
    CHECK(nodes_of(programs({1, 3}), {{"a", 2}, {"b", 2}}) == Nodes{0, 0, 1, 1});
    JobOptions options = programs({1, 3});
    options.map_by = MachineLevel::node;
    CHECK(nodes_of(options, {{"a", 2}, {"b", 2}}) == Nodes{0, 1, 0, 1});
    options = programs({2, 4});
    options.ranks_per.ranks = 2;
    CHECK(nodes_of(options, {{"a", 1}, {"b", 1}}) == Nodes{0, 0, 0, 0, 1, 1});
    const std::vector<MappedRank> ranks =
        map_to_nodes(programs({1, 3}), std::vector<Host>{{"a", 2}, {"b", 2}});
    CHECK(ranks[0].app == 0);
    CHECK(ranks[1].app == 1);
    CHECK(ranks[3].app == 1);
}

TEST_CASE("max_slots are never exceeded")
{
    CHECK(nodes_of(programs({6}), {{"a", 2, 2}, {"b", 1}}) == Nodes{0, 0, 1, 1, 1, 1});
    CHECK(nodes_of(programs({5}), {{"a", 1, 2}, {"b", 1, 3}}) == Nodes{0, 0, 1, 1, 1});
    CHECK(nodes_of(programs({0}), {{"a", 4, 3}}) == Nodes{0, 0, 0});
    CHECK_THAT(usage_error([] {
                   map_to_nodes(programs({6}), std::vector<Host>{{"a", 1, 2}, {"b", 1, 3}});
               }),
               Catch::Contains("6 ranks of './a' are wanted, but the hostfile's max_slots allow 5; raise"));
    JobOptions options = programs({2, 4});
    options.ranks_per.ranks = 2;
    CHECK_THAT(usage_error([&] {
                   map_to_nodes(options, std::vector<Host>{{"a", 1, 3}, {"b", 1}});
               }),
               Catch::Contains("4 ranks of './a' are wanted"));
}

TEST_CASE("Jobs that cannot be are refused")
{
    const std::vector<Host> hosts = {{"a", 4}};
    const auto error = [&hosts](const JobOptions& options) {
        return usage_error([&] { map_to_nodes(options, hosts); });
    };
    JobOptions options = programs({4});
    options.stdin_rank = 4;
    CHECK_THAT(error(options),
               Catch::Contains("--stdin 4: there is no such rank; this job's ranks are 0 to 3"));
    options.stdin_rank = 3;
    CHECK(error(options).empty());
    options.stdin_rank = 9;
    options.stdin_target = StdinTarget::all;
    CHECK(error(options).empty());
    CHECK(error(programs({65536})).empty());
    CHECK_THAT(error(programs({65536, 1})), Catch::Contains("65537 ranks in all are more than the 65536"));
}
