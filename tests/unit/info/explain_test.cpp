// The explanation agrees with the choice, and says why not.
#include "launcher/info/explain.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "collectives/framework/nodes.hpp"
#include "collectives/choice/parse_bytes.hpp"
#include "launcher/info/explain_send.hpp"
#include "launcher/info/print.hpp"
#include "tests/json.hpp"

namespace tutti::info {

using namespace std::string_view_literals;
using collectives::Allreduce;
using collectives::Broadcast;
using collectives::catalogue;
using collectives::Choice;
using collectives::index_of;
using collectives::NodeMap;
using collectives::Placement;
using collectives::Situation;

namespace {

using collectives::in_bytes;

const char* unset(const char*)
{
    return nullptr;
}

const char* ring(const char* name)
{
    return name == "TUTTI_ALLREDUCE"sv ? "ring" : nullptr;
}

Situation call(int ranks, std::size_t size_bytes, const NodeMap* nodes = nullptr, bool commutative = true)
{
    return {ranks, size_bytes, {.one_node = nodes == nullptr, .nodes = nodes}, commutative};
}

}  // namespace

TEST_CASE("the explanation names what the choice chooses, in every situation")
{
    const Choice choice(unset, collectives::parse_rules(R"({
        "allreduce": [{"min_bytes": 100, "max_bytes": 200, "algorithm": "ring"},
                      {"min_nodes": 3, "max_ranks": 9, "algorithm": "flat"}],
        "broadcast": [{"where": "crowded", "algorithm": "chain", "segment_bytes": 77}]})",
                                                        "rules.json"));
    const NodeMap two = NodeMap::in_blocks(16, 2);
    const NodeMap four = NodeMap::in_blocks(16, 4);
    const std::vector<int> dealt{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    const NodeMap mixed{dealt};
    const Placement places[] = {{.one_node = true},
                                {.one_node = true, .more_ranks_than_cores = true},
                                {.one_node = true, .more_ranks_than_cores = true, .board_bytes = 4096},
                                {.nodes = &two},
                                {.nodes = &four},
                                {.nodes = &mixed}};
    const auto check = [&]<class Collective>(std::type_identity<Collective>) {
        for (const Placement& place : places) {
            for (const int ranks : {1, 2, 4, 7, 16}) {
                for (const std::size_t bytes : {0, 8, 150, 2048, 2049, 65536, 1 << 20}) {
                    for (const bool commutative : {true, false}) {
                        const Situation situation{ranks, bytes, place, commutative};
                        const Explanation reported = explain(choice, index_of<Collective>, situation);
                        const auto chosen = choice.choose<Collective>(situation);
                        REQUIRE(reported.algorithm == collectives::algorithm_of<Collective>(chosen).name);
                        REQUIRE(reported.segment_bytes == chosen.segment_bytes);
                        for (const PassedOver& passed : reported.passed_over)
                            REQUIRE(!passed.reason.empty());
                    }
                }
            }
        }
    };
    [&]<class... Collectives>(std::tuple<Collectives...>) {
        (check(std::type_identity<Collectives>{}), ...);
    }(collectives::AllCollectives{});
}

TEST_CASE("rules are named by number and text, with the reason why they do not fit")
{
    const Choice choice(unset);
    const Explanation reported = explain(choice, index_of<Broadcast>, call(4, 4096));
    CHECK(reported.algorithm == "binomial");
    REQUIRE(reported.passed_over.size() >= 3);
    const auto own_cores = std::ranges::find(
        reported.passed_over, "there are not more ranks than cores on one node", &PassedOver::reason);
    CHECK(own_cores != reported.passed_over.end());
    const auto few = std::ranges::find(reported.passed_over, "there are 4 ranks", &PassedOver::reason);
    REQUIRE(few != reported.passed_over.end());
    CHECK(few->what.find("2 ranks, up to 32 KiB: shared") != std::string::npos);
    const auto longer = std::ranges::find(reported.passed_over, "the data has 4 KiB", &PassedOver::reason);
    REQUIRE(longer != reported.passed_over.end());
    CHECK(longer->what.find("up to 4 ranks, up to 1 KiB: flat") != std::string::npos);
    CHECK(reported.decided_by.starts_with("rule "));
    CHECK(reported.decided_by.find(" of the table: up to 12 KiB: binomial") != std::string::npos);
}

TEST_CASE("the environment and a file of rules are named, and why they could not be followed")
{
    const Choice forced(ring);
    CHECK(explain(forced, index_of<Allreduce>, call(4, 8)).decided_by ==
          "TUTTI_ALLREDUCE=ring, in the environment");
    const Explanation not_followed = explain(forced, index_of<Allreduce>, call(4, 8, nullptr, false));
    REQUIRE(!not_followed.passed_over.empty());
    CHECK(not_followed.passed_over.front().what == "TUTTI_ALLREDUCE=ring, in the environment");
    CHECK(not_followed.passed_over.front().reason == "it needs an operator that commutes");

    const Choice filed(unset, collectives::parse_rules(R"({"allreduce": [{"algorithm": "board"},
        {"min_ranks": 4, "max_ranks": 4, "algorithm": "flat"}]})",
                                                       "/etc/rules.json"));
    const Explanation reported = explain(filed, index_of<Allreduce>, call(4, 8));
    CHECK(reported.decided_by == "rule 2 of /etc/rules.json: 4 ranks: flat");
    CHECK(reported.passed_over.front().what == "rule 1 of /etc/rules.json: any call: board");
    CHECK(reported.passed_over.front().reason.starts_with("there is no board"));
}

TEST_CASE("candidates come cheapest first, those without a prediction last")
{
    const Choice choice(unset);
    const Situation situation = call(64, 1 << 20);
    const Explanation reported = explain(choice, index_of<Allreduce>, situation);
    const auto all = candidates(index_of<Allreduce>, situation, reported, 5000, {});
    REQUIRE(all.size() == catalogue()[index_of<Allreduce>].algorithms.size());
    double before_ns = 0;
    bool ended = false;
    for (const AlgorithmCandidate& candidate : all) {
        if (!candidate.prediction) {
            CHECK(!candidate.remark.empty());
            ended = true;
            continue;
        }
        CHECK(!ended);
        CHECK(candidate.prediction->time_ns >= before_ns);
        before_ns = candidate.prediction->time_ns;
    }
    // 2 * 64 * 63 messages are too many.
    CHECK(std::ranges::find(all, "ring"sv, &AlgorithmCandidate::algorithm)->prediction == std::nullopt);
    CHECK(std::ranges::find(all, "flat"sv, &AlgorithmCandidate::algorithm)->prediction->messages == 126);
}

TEST_CASE("frames of shared memory are smaller where many ranks share it")
{
    const auto in_memory = [](int ranks, int nodes) {
        return explain_send(5000, ranks, nodes, true).front().choice.protocol;
    };
    CHECK(in_memory(2, 1) == protocol::MessageProtocol::inject);
    CHECK(in_memory(128, 1) == protocol::MessageProtocol::eager);
    CHECK(in_memory(128, 64) == protocol::MessageProtocol::inject);
}

TEST_CASE("JSON says what the text says")
{
    InfoOptions options;
    options.explain = "allreduce";
    options.ranks = 16;
    const Choice choice(unset);
    const Situation situation = situation_of(options, 8, nullptr);
    const Explanation reported = explain(choice, index_of<Allreduce>, situation);
    const auto all = candidates(index_of<Allreduce>, situation, reported, 1000000, {});
    const test::Json json(as_json(Answer{options, reported, all}));
    CHECK(json["algorithm"] == "recursive_doubling");
    CHECK(json["candidates"][0]["time_us"].number() * 1000 == Approx(all[0].prediction->time_ns));
    CHECK(json["candidates"].size() == all.size());
    const std::string text = as_text(Answer{options, reported, all});
    CHECK(text.starts_with(
        "allreduce of 8 B, 16 ranks on 1 node\n  uses recursive_doubling\n  because of rule "));
    CHECK(text.find("* recursive_doubling ") != std::string::npos);

    const test::Json everything(as_json(overview(ring)));
    const std::vector<test::Json> found = those_with(everything["variables"], R"({"name": "TUTTI_ALLREDUCE"})");
    REQUIRE(found.size() == 1);
    CHECK(found.front()["value"] == "ring");
    CHECK(as_text(overview(ring)).find("is set: ring\n") != std::string::npos);
}

TEST_CASE("bytes and times are written for people")
{
    CHECK(in_bytes(0) == "0 B");
    CHECK(in_bytes(1023) == "1023 B");
    CHECK(in_bytes(1024) == "1 KiB");
    CHECK(in_bytes(1536) == "1536 B");
    CHECK(in_bytes(std::size_t{3} << 30) == "3 GiB");
    CHECK(in_time(0) == "0 ns");
    CHECK(in_time(7.125) == "7.12 ns");
    CHECK(in_time(999.4) == "999 ns");
    CHECK(in_time(999.6) == "1.00 us");
    CHECK(in_time(12340) == "12.3 us");
    CHECK(in_time(5e9) == "5.00 s");
    CHECK(in_time(5e12) == "5000 s");
}

}  // namespace tutti::info
