// Rules from a file: what they decide, what comes before them and after them, and complaints.
#include "collectives/choice/rules_file.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "collectives/choice/catalogue.hpp"
#include "collectives/choice/choice.hpp"
#include "tests/simulator/choice_support.hpp"
#include "tests/simulator/support.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives::test {

using namespace std::string_view_literals;

namespace {

Choice with_rules(std::string_view text, const char* (*environment)(const char*) = unset)
{
    return Choice(environment, parse_rules(text, "rules.json"));
}

std::string complaint(std::string_view text)
{
    try {
        static_cast<void>(parse_rules(text, "rules.json"));
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::invalid_argument);
        return error.what();
    }
    return "no error";
}

constexpr std::string_view kPrefix = "rules.json: invalid argument: ";

}  // namespace

TEST_CASE("the first rule of the file that fits decides, and where none does the table")
{
    const Choice choice = with_rules(R"({
        "comment": "by hand",
        "allreduce": [
            {"max_ranks": 4, "max_bytes": "2K", "algorithm": "flat", "comment": "few"},
            {"min_ranks": 8, "max_ranks": 8, "min_bytes": 100, "max_bytes": 200, "algorithm": "binomial"},
            {"where": "crowded", "algorithm": "binomial"}],
        "broadcast": [
            {"min_bytes": "64K", "algorithm": "chain", "segment_bytes": "16K"},
            {"algorithm": "chain"}],
        "barrier": []})");
    const Placement crowded{.one_node = true, .more_ranks_than_cores = true};
    CHECK(chosen<Allreduce>(choice, {4, 2048, {}}) == "flat");
    CHECK(chosen<Allreduce>(choice, {4, 2049, {}}) == "rabenseifner");
    CHECK(chosen<Allreduce>(choice, {5, 2048, {}}) == "recursive_doubling");
    CHECK(chosen<Allreduce>(choice, {8, 99, {}}) == "recursive_doubling");
    CHECK(chosen<Allreduce>(choice, {8, 100, {}}) == "binomial");
    CHECK(chosen<Allreduce>(choice, {8, 200, {}}) == "binomial");
    CHECK(chosen<Allreduce>(choice, {8, 201, {}}) == "recursive_doubling");
    CHECK(chosen<Allreduce>(choice, {9, 150, {}}) == "recursive_doubling");
    CHECK(chosen<Allreduce>(choice, {9, 150, crowded}) == "binomial");
    CHECK(choice.choose<Broadcast>({2, 65536, {}}).segment_bytes == 16384);
    CHECK(choice.choose<Broadcast>({2, 65535, {}}).segment_bytes == kDefaultSegmentBytes);
    CHECK(chosen<Barrier>(choice, {2, 0, {}}) == "dissemination");
    CHECK(chosen<Reduce>(choice, {2, 0, {}}) == chosen<Reduce>(Choice(unset), {2, 0, {}}));
}

TEST_CASE("a rule of the file may ask for a number of nodes")
{
    const Choice choice = with_rules(R"({"reduce": [
        {"min_nodes": 3, "max_nodes": 3, "algorithm": "chain"}, {"min_nodes": 2, "algorithm": "flat"}]})");
    const NodeMap two = NodeMap::in_blocks(16, 2);
    const NodeMap three = NodeMap::in_blocks(16, 3);
    CHECK(chosen<Reduce>(choice, {16, 8, {.nodes = &two}}) == "flat");
    CHECK(chosen<Reduce>(choice, {16, 8, {.nodes = &three}}) == "chain");
    CHECK(chosen<Reduce>(choice, {16, 8, {.one_node = true}}) == "binomial");
}

TEST_CASE("a file can say all that the table says, row by row")
{
    constexpr const char* kPlaces[] = {"anywhere", "crowded", "many_nodes", "mixed_nodes", "read_in_place"};
    for (std::size_t place = 0; place < catalogue().size(); ++place) {
        const CollectiveEntry& entry = catalogue()[place];
        std::string rules;
        const auto say = [&rules](const char* what, auto value) { rules += fmt::format(", \"{}\": {}", what, value); };
        for (const Rule& rule : entry.rules) {
            rules += fmt::format(R"({}{{"where": "{}", "algorithm": "{}")", rules.empty() ? "" : ", ",
                                 kPlaces[static_cast<int>(rule.where)], rule.algorithm);
            if (rule.max_ranks != kAnyRanks)
                say("max_ranks", rule.max_ranks);
            if (rule.max_bytes != kAnyBytes)
                say("max_bytes", rule.max_bytes);
            if (rule.segment_bytes != 0)
                say("segment_bytes", rule.segment_bytes);
            rules += "}";
        }
        CAPTURE(entry.name);
        const RulesFile read = parse_rules(fmt::format(R"({{"{}": [{}]}})", entry.name, rules), "rules.json");
        REQUIRE(read.of[place].size() == entry.rules.size());
        for (std::size_t i = 0; i < entry.rules.size(); ++i) {
            CAPTURE(i);
            Rule expected = entry.rules[i];
            expected.source = Rule::Source::file;
            CHECK(read.of[place][i] == expected);
        }
    }
}

TEST_CASE("a rule whose algorithm cannot do the call is passed over")
{
    const Choice choice = with_rules(R"({"allreduce": [{"algorithm": "board"}, {"algorithm": "ring"}]})");
    CHECK(chosen<Allreduce>(choice, {16, 8, {.board_bytes = 8}, false}) == "board");
    CHECK(chosen<Allreduce>(choice, {16, 9, {.board_bytes = 8}}) == "ring");
    CHECK(chosen<Allreduce>(choice, {16, 9, {.board_bytes = 8}, false}) == "recursive_doubling");
}

TEST_CASE("a collective's variable comes before the file, and TUTTI_RULES names the file")
{
    const auto ring = [](const char* name) { return name == "TUTTI_ALLREDUCE"sv ? "ring" : nullptr; };
    const Choice choice = with_rules(R"({"allreduce": [{"algorithm": "flat"}]})", ring);
    CHECK(chosen<Allreduce>(choice, {16, 8, {}}) == "ring");
    CHECK(chosen<Allreduce>(choice, {16, 8, {}, false}) == "flat");

    static std::string path;
    path = "/tmp/tutti_rules_test." + std::to_string(getpid()) + ".json";
    const auto named = [](const char* name) { return name == "TUTTI_RULES"sv ? path.c_str() : nullptr; };
    std::ofstream(path) << R"({"allreduce": [{"algorithm": "flat"}]})";
    CHECK(chosen<Allreduce>(Choice(named), {16, 8, {}}) == "flat");
    std::remove(path.c_str());
    CHECK_THROWS_WITH(Choice(named), path +
                                         ": invalid argument: the file cannot be read: No such file or "
                                         "directory");
    path = "/tmp";
    CHECK_THROWS_WITH(Choice(named), "/tmp: invalid argument: the file cannot be read: Is a directory");
}

TEST_CASE("what is wrong in a file of rules is reported with its place")
{
    const auto wrong = [](std::string_view text, std::string_view words) {
        CAPTURE(text);
        CHECK(complaint(text) == std::string(kPrefix) + std::string(words));
    };
    wrong(R"({"allreduse": []})",
          "there is no \"allreduse\"; did you mean 'allreduce'?; there is barrier, broadcast, reduce, "
          "allreduce, reduce_scatter, scan, exscan, allgather, allgatherv, gather, gatherv, scatter, "
          "scatterv, alltoall, "
          "alltoallv");
    wrong(R"({"reduce": [{"algorithm": "flat"}, {"algorithm": "binominal"}]})",
          "reduce[1].algorithm: there is no \"binominal\"; did you mean 'binomial'?; there is flat, "
          "shared, binomial, knomial, chain, rabenseifner, hierarchical");
    wrong(R"({"scan": [{"max_byte": 7, "algorithm": "flat"}]})",
          "scan[0]: there is no \"max_byte\"; did you mean 'max_bytes'?; there is where, min_ranks, "
          "max_ranks, min_bytes, max_bytes, min_nodes, max_nodes, algorithm, segment_bytes, comment");
    wrong(R"({"scan": [{"max_bytes": 7}]})",
          "scan[0]: names no algorithm; add for example \"algorithm\": \"flat\"");
    wrong(R"({"scan": {"algorithm": "flat"}})", "scan: is no list of rules in square brackets");
    wrong(R"({"scan": ["flat"]})", "scan[0]: \"flat\" is no object in braces");
    wrong(R"([])", "the file: [] is no object in braces");
    wrong(R"({"scan": [{"algorithm": 3}]})", "scan[0].algorithm: 3 is no text in quotes");
    wrong(R"({"scan": [{"algorithm": "flat", "segment_bytes": 3}]})",
          "scan[0].segment_bytes: flat has no segments; remove it");
    wrong(R"({"scan": [{"algorithm": "flat", "where": "everywhere"}]})",
          "scan[0].where: there is no \"everywhere\"; there is anywhere, crowded, many_nodes, mixed_nodes, "
          "read_in_place");
    wrong(
        R"({"scan": [{"algorithm": "flat", "where": "mixed_node"}]})",
        "scan[0].where: there is no \"mixed_node\"; did you mean 'mixed_nodes'?; there is anywhere, crowded, "
        "many_nodes, mixed_nodes, read_in_place");
    wrong(R"({"scan": [{"algorithm": "flat", "where": "many_nodes", "min_nodes": 1}]})",
          "scan[0].min_nodes: 1 contradicts \"many_nodes\"; remove one of them");
    wrong(R"({"scan": [{"algorithm": "flat", "min_ranks": 9, "max_ranks": 8}]})",
          "scan[0]: min_ranks 9 is above max_ranks 8: no call would fit");
    wrong(R"({"comment": 1})", "comment: 1 is no text in quotes");
    for (const std::string_view number : {"0", "-1", "1.5", "2147483648", "1e300", "\"\"", "\"4 ranks\"",
                                          "\"99999999999999999999\"", "null", "[1]", "true", "{}"}) {
        const std::string text =
            R"({"scan": [{"algorithm": "flat", "max_ranks": )" + std::string(number) + "}]}";
        CAPTURE(text);
        CHECK(complaint(text).find("scan[0].max_ranks: ") != std::string::npos);
        CHECK(complaint(text).find(" is no whole number from 1 to 2147483647") != std::string::npos);
    }
    const std::string zero = R"({"reduce": [{"algorithm": "chain", "segment_bytes": 0}]})";
    CHECK(complaint(zero).find("reduce[0].segment_bytes: 0 is no whole number from 1") != std::string::npos);
}

TEST_CASE("what is no JSON is reported with its line")
{
    CHECK(complaint("{\n  \"scan\": [\n    {\"algorithm\": flat}]}")
              .find("this is no JSON: parse error at "
                    "line 3") != std::string::npos);
    for (const std::string& text :
         {std::string(), std::string("{"), std::string("{}}"), std::string("\xff\xfe{}"),
          std::string(100000, '['), std::string("{\"scan\": [], \"scan\": []}")}) {
        CHECK(complaint(text) != "no error");
    }
}

TEST_CASE("the catalogue has every collective with its algorithms and rules")
{
    CHECK(catalogue().size() == std::tuple_size_v<AllCollectives>);
    CHECK(catalogue()[index_of<Allreduce>].name == "allreduce");
    CHECK(catalogue()[index_of<ReduceScatter>].name == "reduce_scatter");
    for (const CollectiveEntry& entry : catalogue()) {
        REQUIRE(!entry.rules.empty());
        for (const Rule& rule : entry.rules)
            CHECK(entry.algorithms.at(rule.number - 1u).name == rule.algorithm);
    }
}

}  // namespace tutti::collectives::test
