// What tuning decides: the trials of a size, the winner among times, and the rules, which are read back.
#include <catch2/catch.hpp>

#include <algorithm>

#include "benchmarks/tune/plan.hpp"
#include "collectives/choice.hpp"

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
    CHECK(Times{8, two, {10, 9.6}}.winner().algorithm == "flat");
    CHECK(Times{8, two, {10, 9.4}}.winner().algorithm == "ring");
    CHECK(Times{8, two, {10, 12}}.winner().algorithm == "flat");
    const std::vector<Trial> board{{"board", 0, true}, {"flat"}, {"ring"}};
    CHECK(Times{8, board, {10, 30, 20}}.winner().algorithm == "board");
    CHECK(Times{8, board, {10, 30, 20}}.winner(true).algorithm == "ring");
}

TEST_CASE("rules cover the measured sizes without a gap, and the choice follows them")
{
    const std::vector<Trial> trials{{"board", 0, true}, {"flat"}, {"ring"}};
    const std::vector<Times> by_size{{8, trials, {1, 2, 3}},
                                     {32, trials, {1, 3, 2}},
                                     {128, {trials.begin() + 1, trials.end()}, {2, 1}},
                                     {512, {trials.begin() + 1, trials.end()}, {2, 1}}};
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
    // Beyond what was measured, and for other numbers of ranks, the table decides.
    CHECK(chosen(4, 513, 2048) == by(table, 4, 513, 2048));
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
    file["allreduce"] = rules_of(where, {{8, {{"flat"}, {"ring"}}, {2, 1}}});
    const collectives::Choice choice(unset, collectives::parse_rules(file.dump(), "rules.json"));
    CHECK(chosen_by(choice, {4, 8, {.nodes = &nodes}}) == "ring");
    const collectives::NodeMap four = collectives::NodeMap::in_blocks(4, 4);
    CHECK(chosen_by(choice, {4, 8, {.nodes = &four}}) != "ring");
    CHECK(chosen_by(choice, {4, 8, {.one_node = true}}) != "ring");
}

}  // namespace tutti::bench
