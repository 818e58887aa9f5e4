// What TUTTI_ variables make of the choice of algorithms.
#include "collectives/choice/choice.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "collectives/choice/algorithm_name.hpp"
#include "collectives/collectives.hpp"
#include "tests/simulator/choice_support.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives::test {

using namespace std::string_view_literals;

namespace {

const char* empty(const char*)
{
    return "";
}

const char* all_binomial(const char* variable)
{
    const std::string_view name = variable;
    const bool has_it = name == "TUTTI_BARRIER" || name == "TUTTI_BROADCAST" || name == "TUTTI_REDUCE" ||
                        name == "TUTTI_ALLREDUCE";
    return has_it ? "binomial" : nullptr;
}

const char* wrong_allreduce(const char* variable)
{
    return std::string(variable) == "TUTTI_ALLREDUCE" ? "recursive" : nullptr;
}

}  // namespace

TEST_CASE("the environment overrides the table, and an empty value does not")
{
    const Choice forced(all_binomial);
    CHECK(chosen<Barrier>(forced, {2, 0, kNode}) == "binomial");
    CHECK(chosen<Broadcast>(forced, {2, 0, kNode}) == "binomial");
    CHECK(chosen<Reduce>(forced, {2, 0, kNode}) == "binomial");
    CHECK(chosen<Allreduce>(forced, {2, 0, kNode}) == "binomial");
    CHECK(chosen<Barrier>(Choice(empty), {2, 0, kNode}) == "dissemination");

    // Where there is no board, or one too small, the table decides.
    const Choice board([](const char* variable) {
        const std::string_view name = variable;
        return name == "TUTTI_BARRIER" || name == "TUTTI_ALLREDUCE" ? "board" : nullptr;
    });
    CHECK(chosen<Allreduce>(board, {2, 8, {.board_bytes = 8}}) == "board");
    CHECK(chosen<Allreduce>(board, {3, 9, {.board_bytes = 8}}) == "recursive_doubling");
    CHECK(chosen<Barrier>(board, {2, 0, kNode}) == "dissemination");
}

TEST_CASE("the environment may give the size of segments")
{
    const Choice plain(
        [](const char* variable) { return variable == "TUTTI_BROADCAST"sv ? "chain" : nullptr; });
    CHECK(chosen<Broadcast>(plain, {2, 8, kNode}) == "chain");
    CHECK(plain.choose<Broadcast>({2, 8, kNode}).segment_bytes == kDefaultSegmentBytes);
    const Choice sized(
        [](const char* variable) { return variable == "TUTTI_BROADCAST"sv ? "chain:4096" : nullptr; });
    CHECK(chosen<Broadcast>(sized, {2, 8, kNode}) == "chain");
    CHECK(sized.choose<Broadcast>({2, 8, kNode}).segment_bytes == 4096);
}

TEST_CASE("segments that make no sense are an error that says what would")
{
    const auto message = [](const char* (*environment)(const char*)) -> std::string {
        try {
            const Choice wrong(environment);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    CHECK(message(
              [](const char* variable) { return variable == "TUTTI_BROADCAST"sv ? "chain:4k" : nullptr; }) ==
          "TUTTI_BROADCAST: invalid argument: \"chain:4k\" does not give a segment's size in bytes; use "
          "chain:32768, or unset TUTTI_BROADCAST to let Tutti choose");
    CHECK(message([](const char* variable) {
              return variable == "TUTTI_BROADCAST"sv ? "chain:0" : nullptr;
          }).find("does not give a segment's size") != std::string::npos);
    CHECK(message(
              [](const char* variable) { return variable == "TUTTI_ALLREDUCE"sv ? "ring:4096" : nullptr; }) ==
          "TUTTI_ALLREDUCE: invalid argument: ring has no segments, so \"ring:4096\" means nothing; use "
          "ring, or unset TUTTI_ALLREDUCE to let Tutti choose");
}

TEST_CASE("variables of calls that have no algorithms of their own are refused")
{
    static const char* asked_for = nullptr;
    const auto [variable, words] = GENERATE(table<const char*, const char*>({
        {"TUTTI_REDUCE_SCATTERV", "set TUTTI_REDUCE_SCATTER"},
        {"TUTTI_NEIGHBOR_ALLGATHER", "unset it"},
        {"TUTTI_NEIGHBOR_ALLGATHERV", "unset it"},
        {"TUTTI_NEIGHBOR_ALLTOALL", "unset it"},
        {"TUTTI_NEIGHBOR_ALLTOALLV", "unset it"},
    }));
    asked_for = variable;
    CAPTURE(variable);
    CHECK_THROWS_WITH(
        Choice([](const char* name) { return name == std::string_view(asked_for) ? "ring" : nullptr; }),
        Catch::StartsWith(variable) && Catch::Contains("\"ring\"") && Catch::Contains(words));
    CHECK_NOTHROW(
        Choice([](const char* name) { return name == std::string_view(asked_for) ? "" : nullptr; }));
}

TEST_CASE("an unknown algorithm is an error that lists those there are")
{
    try {
        const Choice wrong(wrong_allreduce);
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::invalid_argument);
        CHECK(std::string(error.what()) ==
              "TUTTI_ALLREDUCE: invalid argument: there is no algorithm \"recursive\"; did you mean "
              "'recursive_doubling'? Use flat or board or shared or "
              "binomial or recursive_doubling or rabenseifner or ring or hierarchical, or unset "
              "TUTTI_ALLREDUCE to let Tutti choose");
    }
}

}  // namespace tutti::collectives::test
