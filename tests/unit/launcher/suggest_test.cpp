#include "lib/foundation/base/suggest.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace tutti::base;

TEST_CASE("Edit distance counts insertions, deletions, replacements and swaps")
{
    struct Row {
        const char* a;
        const char* b;
        std::size_t distance;
    };
    const Row row = GENERATE(values<Row>({{"", "", 0},
                                          {"", "abc", 3},
                                          {"core", "core", 0},
                                          {"croe", "core", 1},
                                          {"cor", "core", 1},
                                          {"cores", "core", 1},
                                          {"bore", "core", 1},
                                          {"kitten", "sitting", 3},
                                          {"ca", "abc", 3}}));
    CAPTURE(row.a, row.b);
    CHECK(edit_distance(row.a, row.b) == row.distance);
    CHECK(edit_distance(row.b, row.a) == row.distance);
}

TEST_CASE("The closest candidate is found, or none where nothing is near")
{
    constexpr std::array<std::string_view, 8> kKnown = {"--bind-to", "--map-by", "--np", "-V",
                                                        "-n",        "-v",       "core", "socket"};
    struct Row {
        const char* word;
        const char* meant;
    };
    const Row row = GENERATE(values<Row>({{"--bind-too", "--bind-to"},
                                          {"-bind-to", "--bind-to"},
                                          {"--bind", "--bind-to"},
                                          {"--BIND-TO", "--bind-to"},
                                          {"--mpa-by", "--map-by"},
                                          {"croe", "core"},
                                          {"sokcet", "socket"},
                                          {"-vv", "-v"},
                                          {"-VV", "-V"},
                                          {"-n4", "-n"},
                                          {"-z", ""},
                                          {"", ""},
                                          {"--mca", ""},
                                          {"thread", ""}}));
    CAPTURE(row.word);
    CHECK(closest(row.word, kKnown) == row.meant);
}

TEST_CASE("A suggestion is a part of a sentence, and empty without candidates")
{
    constexpr std::array<std::string_view, 1> kKnown = {"core"};
    CHECK(did_you_mean("croe", kKnown) == "; did you mean 'core'?");
    CHECK(did_you_mean("gpu", kKnown).empty());
    CHECK(did_you_mean("core", {}).empty());
}
