// What tuning decides: the trials of a size, the winner among times, and the rules, which are read back.
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>

#include "benchmarks/tests/temporary_folder.hpp"
#include "benchmarks/tune/starts.hpp"
#include "benchmarks/tune/tuning_plan.hpp"
#include "collectives/choice/choice.hpp"

namespace tutti::bench {

namespace {

using collectives::Allreduce;

std::vector<std::string> names(const std::vector<Trial>& trials)
{
    std::vector<std::string> list;
    for (const Trial& trial : trials)
        list.push_back(to_string(trial));
    return list;
}

// Five starts, of which each is a little different.
Times times_of(std::size_t size_bytes, const std::vector<Trial>& trials, const std::vector<double>& us)
{
    Times times{.size_bytes = size_bytes, .trials = trials, .us = {}};
    for (const double one : us) {
        times.us.emplace_back();
        for (int start = 0; start < 5; ++start)
            times.us.back()[start] = one * (1 + 0.002 * (start * 3 % 5) * (one > 5 ? 1 : -1));
    }
    return times;
}

const char* unset(const char*)
{
    return nullptr;
}

std::string_view chosen_by(const collectives::Choice& choice, const collectives::Situation& situation)
{
    return collectives::algorithm_of<Allreduce>(choice.choose<Allreduce>(situation)).name;
}

}  // namespace

TEST_CASE("every algorithm that can do the call is tried, the table's own first")
{
    const std::vector<Trial> roomy = trials("allreduce", {.ranks = 4}, 8);
    const collectives::Choice table(unset);
    CHECK(roomy.front().algorithm == chosen_by(table, {4, 8, {.one_node = true}}));
    CHECK(roomy.size() == 7);  // not the hierarchical ones
    const std::vector<Trial> crowded = trials("allreduce", {.ranks = 4, .crowded = true}, 8);
    CHECK(std::ranges::count(crowded, Trial{"board", 0, true}) == 1);
    CHECK(crowded.size() == 7);
    CHECK(trials("allreduce", {.ranks = 4, .crowded = true}, 1 << 20).size() == 6);
    CHECK(trials("allreduce", {.ranks = 2, .crowded = true}, 8).size() == 7);

    const auto chains = names(trials("broadcast", {.ranks = 16}, 100'000));
    CHECK(std::ranges::count(chains, "chain:8192") == 1);
    CHECK(std::ranges::count(chains, "chain:32768") == 1);
    CHECK(std::ranges::count(chains, "chain:131072") == 0);
}

TEST_CASE("the fastest wins, but the table's choice stays where it is as good")
{
    const std::vector<Trial> two{{"flat"}, {"ring"}};
    CHECK(times_of(8, two, {10, 9.6}).winner().algorithm == "flat");
    CHECK(times_of(8, two, {10, 9.4}).winner().algorithm == "ring");
    CHECK(times_of(8, two, {10, 12}).winner().algorithm == "flat");
    CHECK(times_of(8, {{"flat"}, {"ring"}, {"tree"}}, {10, 9, 8}).winner().algorithm == "tree");
    const std::vector<Trial> board{{"board", 0, true}, {"flat"}, {"ring"}};
    CHECK(times_of(8, board, {10, 30, 20}).winner().algorithm == "board");
    const std::vector<Trial> flat{{"flat"}, {"board", 0, true}, {"ring"}};
    CHECK(times_of(8, flat, {30, 10, 20}).winner().algorithm == "board");
    CHECK(times_of(8, flat, {30, 10, 20}).winner(true).algorithm == "ring");
}

TEST_CASE("a disturbed median of the table's choice makes no rule")
{
    const std::vector<Trial> two{{"flat"}, {"ring"}};
    for (int disturbed = 0; disturbed < 3; ++disturbed) {
        Times times = times_of(8, two, {10, 10});
        for (int start = 0; start < disturbed; ++start)
            times.us[0][start] *= 27;
        CHECK(times.winner().algorithm == "flat");
        CHECK(rules_of({.ranks = 4}, {times}).empty());
        Times faster = times_of(8, two, {10, 8});
        faster.us[1][3] *= disturbed == 1 ? 27 : 1;
        CHECK(faster.winner().algorithm == "ring");
    }
    // Half of the starts: nobody can tell.
    Times half = times_of(8, two, {10, 10});
    for (const int start : {0, 2, 4})
        half.us[0][start] *= 27;
    CHECK(half.winner().algorithm == "flat");
    CHECK(half.undecided());
    CHECK_FALSE(times_of(8, two, {10, 8}).undecided());
    CHECK_FALSE(times_of(8, two, {10, 12}).undecided());
}

TEST_CASE("fewer than five starts make no rule")
{
    Times times = times_of(8, {{"flat"}, {"ring"}}, {10, 2});
    CHECK(times.winner().algorithm == "ring");
    times.us[1].erase(0);
    CHECK(times.winner().algorithm == "flat");
    CHECK(times.undecided());
}

TEST_CASE("starts are kept in a file, which is of one job")
{
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "rules.starts.json").string();
    const Surroundings where{.ranks = 4, .crowded = true};
    const std::vector<Trial> trials{{"flat"}, {"chain", 8192}};
    CHECK(Starts(where, file).count() == 0);
    for (int start = 0; start < 5; ++start) {
        Starts starts(where, file);
        starts.begin();
        starts.add("allreduce", 64, trials[0], 10 + start);
        if (start != 2)
            starts.add("allreduce", 64, trials[1], 5 + start);
        std::ofstream(file) << starts.text();
    }
    const Starts starts(where, file);
    CHECK(starts.count() == 5);
    const Times times = starts.times("allreduce", 64, trials);
    CHECK(times.us[0] == Rounds{{0, 10}, {1, 11}, {2, 12}, {3, 13}, {4, 14}});
    CHECK(times.us[1] == Rounds{{0, 5}, {1, 6}, {3, 8}, {4, 9}});
    CHECK(starts.times("allreduce", 128, trials).us[0].empty());
    CHECK_THROWS_WITH(Starts({.ranks = 5}, file),
                      Catch::Contains("not of this job, 5 ranks on 1 nodes: remove it"));
    std::ofstream(file) << "{\"format\": 7}";
    CHECK_THROWS_WITH(Starts(where, file), Catch::Contains("holds no starts of tune"));
}

TEST_CASE("rules cover the sizes where the table is not the best without a gap, and the choice follows them")
{
    const std::vector<Trial> trials{{"recursive_doubling"}, {"board", 0, true}, {"flat"}, {"ring"}};
    const std::vector<Trial> messages{{"recursive_doubling"}, {"flat"}, {"ring"}};
    const std::vector<Times> by_size{times_of(8, trials, {9, 1, 2, 3}), times_of(32, trials, {9, 1, 3, 2}),
                                     times_of(128, messages, {9, 2, 1}), times_of(512, messages, {9, 2, 1}),
                                     times_of(2048, messages, {1, 2, 1})};
    nlohmann::ordered_json file;
    file["allreduce"] = rules_of({.ranks = 4, .crowded = true}, by_size);
    const collectives::Choice choice(unset, collectives::parse_rules(file.dump(), "rules.json"));
    const collectives::Choice table(unset);
    const auto by = [](const collectives::Choice& made, int ranks, std::size_t size_bytes,
                       std::size_t board_bytes) {
        const collectives::Placement place{
            .one_node = true, .more_ranks_than_cores = true, .board_bytes = board_bytes};
        return chosen_by(made, {ranks, size_bytes, place});
    };
    const auto chosen = [&](int ranks, std::size_t size_bytes, std::size_t board_bytes) {
        return by(choice, ranks, size_bytes, board_bytes);
    };
    CHECK(chosen(4, 0, 2048) == "board");
    CHECK(chosen(4, 16, 0) == "flat");
    CHECK(chosen(4, 17, 0) == "ring");
    CHECK(chosen(4, 64, 2048) == "board");
    CHECK(chosen(4, 65, 2048) == "ring");
    CHECK(chosen(4, 512, 2048) == "ring");
    CHECK(chosen(4, 1024, 2048) == "ring");
    // Beyond what was measured, where it is the best, and for other numbers of ranks, the table decides.
    CHECK(chosen(4, 1025, 2048) == by(table, 4, 1025, 2048));
    CHECK(chosen(4, 2048, 2048) == by(table, 4, 2048, 2048));
    CHECK(chosen(4, 2049, 2048) == by(table, 4, 2049, 2048));
    CHECK(chosen(5, 16, 0) == by(table, 5, 16, 0));
    CHECK(chosen(5, 512, 0) == by(table, 5, 512, 0));
}

TEST_CASE("over several nodes the algorithms for nodes are tried, and the rules are for as many nodes")
{
    const collectives::NodeMap nodes = collectives::NodeMap::in_blocks(4, 2);
    const Surroundings where{.ranks = 4, .crowded = true, .node_of_rank = {0, 0, 1, 1}};
    const std::vector<Trial> tried = trials("allreduce", where, 8);
    CHECK(std::ranges::count(tried, Trial{"hierarchical"}) == 1);
    CHECK(std::ranges::count(tried, Trial{"board", 0, true}) == 0);
    nlohmann::ordered_json file;
    file["allreduce"] = rules_of(where, {times_of(8, {{"flat"}, {"ring"}}, {2, 1})});
    const collectives::Choice choice(unset, collectives::parse_rules(file.dump(), "rules.json"));
    CHECK(chosen_by(choice, {4, 8, {.nodes = &nodes}}) == "ring");
    const collectives::NodeMap four = collectives::NodeMap::in_blocks(4, 4);
    CHECK(chosen_by(choice, {4, 8, {.nodes = &four}}) != "ring");
    CHECK(chosen_by(choice, {4, 8, {.one_node = true}}) != "ring");
}

}  // namespace tutti::bench
