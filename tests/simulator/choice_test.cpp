#include "collectives/choice.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "collectives/collectives.hpp"
#include "tests/simulator/support.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives::test {

namespace {

constexpr Placement kNode{.one_node = true, .more_ranks_than_cores = false};
constexpr Placement kCrowdedNode{.one_node = true, .more_ranks_than_cores = true};

const char* unset(const char*)
{
    return nullptr;
}

const char* empty(const char*)
{
    return "";
}

const char* all_binomial(const char*)
{
    return "binomial";
}

const char* wrong_allreduce(const char* variable)
{
    return std::string(variable) == "TUTTI_ALLREDUCE" ? "recursive" : nullptr;
}

}  // namespace

TEST_CASE("the table chooses by ranks, bytes and crowding")
{
    const Choice table(unset);
    CHECK(table.barrier({2, 0, kNode}).name == "dissemination");
    CHECK(table.barrier({8, 0, kCrowdedNode}).name == "flat");
    CHECK(table.broadcast({2, 1 << 20, kNode}).name == "flat");
    CHECK(table.broadcast({4, 1025, kNode}).name == "binomial");
    CHECK(table.broadcast({16, 8192, kCrowdedNode}).name == "flat");
    CHECK(table.reduce({3, 8, kNode}).name == "flat");
    CHECK(table.reduce({16, 8, kNode}).name == "binomial");
    CHECK(table.allreduce({2, 1 << 30, kCrowdedNode}).name == "recursive_doubling");
    CHECK(table.allreduce({16, 8, kNode}).name == "recursive_doubling");
    CHECK(table.allreduce({16, 8, kCrowdedNode}).name == "flat");
    CHECK(table.allreduce({16, 1 << 20, kNode}).name == "binomial");
    CHECK(table.allreduce({1, 0, {}}).name == "recursive_doubling");
}

TEST_CASE("the environment overrides the table, and an empty value does not")
{
    const Choice forced(all_binomial);
    CHECK(forced.barrier({2, 0, kNode}).name == "binomial");
    CHECK(forced.broadcast({2, 0, kNode}).name == "binomial");
    CHECK(forced.reduce({2, 0, kNode}).name == "binomial");
    CHECK(forced.allreduce({2, 0, kNode}).name == "binomial");
    CHECK(Choice(empty).barrier({2, 0, kNode}).name == "dissemination");
}

TEST_CASE("an unknown algorithm is an error that lists those there are")
{
    try {
        const Choice wrong(wrong_allreduce);
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::invalid_argument);
        CHECK(
            std::string(error.what()) ==
            "TUTTI_ALLREDUCE: invalid argument: there is no algorithm \"recursive\"; use flat or binomial or "
            "recursive_doubling, or unset TUTTI_ALLREDUCE to let Tutti choose");
    }
}

TEST_CASE("the collective calls work with whatever the table chooses")
{
    for (const Placement placement : {kNode, kCrowdedNode, Placement{}}) {
        for (const int ranks : {1, 2, 4, 7, 16}) {
            for (const std::size_t count : {std::size_t{1}, std::size_t{20000}}) {
                CAPTURE(ranks, count, placement.more_ranks_than_cores);
                Settings settings = settings_for(SendMode::synchronous);
                settings.placement = placement;
                std::vector<std::vector<std::int32_t>> data;
                for (int rank = 0; rank < ranks; ++rank) {
                    data.push_back(integer_operand(rank, count));
                }
                const int root = ranks / 2;
                const auto own = [&data](const Group& group) -> std::vector<std::int32_t>& {
                    return data[static_cast<std::size_t>(group.rank())];
                };
                CHECK(simulate(ranks, settings, barrier).problems() == "");
                CHECK(simulate(ranks, settings, [&](Group& group) {
                          return reduce(group, bytes_of(own(group)).data(), buffer_of(own(group)), root,
                                        kIntegerSum);
                      }).problems() == "");
                CHECK(data[static_cast<std::size_t>(root)] == integer_sum(ranks, count));
                CHECK(simulate(ranks, settings, [&](Group& group) {
                          return broadcast(group, bytes_of(own(group)), root);
                      }).problems() == "");
                for (int rank = 0; rank < ranks; ++rank) {
                    CHECK(data[static_cast<std::size_t>(rank)] == integer_sum(ranks, count));
                    data[static_cast<std::size_t>(rank)] = integer_operand(rank, count);
                }
                CHECK(simulate(ranks, settings, [&](Group& group) {
                          return allreduce(group, buffer_of(own(group)), kIntegerSum);
                      }).problems() == "");
                for (const std::vector<std::int32_t>& result : data) {
                    CHECK(result == integer_sum(ranks, count));
                }
            }
        }
    }
}

}  // namespace tutti::collectives::test
