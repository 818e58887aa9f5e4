// The board on the simulator: any order of arrival, and what goes wrong when ranks misuse it.
#include "collectives/board.hpp"

#include "collectives/allreduce/allreduce.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/collectives.hpp"
#include "tests/simulator/blocks_support.hpp"

namespace tutti::collectives::test::board_tests {

namespace {

Settings with_starts(std::vector<double> start_ns)
{
    Settings settings = settings_for(SendMode::eager);
    settings.costs = {.latency_ns = 100, .overhead_ns = 10};
    settings.start_ns = std::move(start_ns);
    return settings;
}

Task stay_away(Group&)
{
    co_return;
}

Task arrive_twice(Group& group)
{
    group.board()->arrive();
    group.board()->arrive();
    co_return;
}

Task release_early(Group& group)
{
    group.board()->release();
    co_return;
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("whoever comes last combines, in rank order, and all leave after that")
{
    std::vector<std::vector<Affine>> data;
    for (int rank = 0; rank < 5; ++rank)
        data.push_back(affine_operand(rank, 33));
    const Report report = simulate(5, with_starts({300, 0, 700, 50, 200}), [&](Group& group) {
        const Buffer own = buffer_of(data[static_cast<std::size_t>(group.rank())]);
        return allreduce_board(group, own.data, own, kAffineThen);
    });
    REQUIRE(report.problems() == "");
    for (const auto& own : data)
        CHECK(own == affine_result(5, 33));
    CHECK(report.ranks[2].finish_ns == 710);  // the last one needs only its own arrival
    for (const std::size_t other : {0u, 1u, 3u, 4u})
        CHECK(report.ranks[other].finish_ns == 810);
}

TEST_CASE("an alltoall in place uses the board where its blocks fit a slot, and messages where not")
{
    Settings crowded = settings_for(SendMode::eager);
    crowded.placement = {.one_node = true, .more_ranks_than_cores = true, .board_bytes = 20};
    for (const std::size_t block_bytes : {0, 3, 4, 5}) {
        std::vector<Memory> data;
        std::vector<Memory> expected;
        for (int rank = 0; rank < 5; ++rank) {
            Memory& own = data.emplace_back(5 * block_bytes);
            Memory& result = expected.emplace_back(5 * block_bytes);
            for (int peer = 0; peer < 5; ++peer) {
                fill(equal_blocks(own, 5)[peer], rank, peer);
                fill(equal_blocks(result, 5)[peer], peer, rank);
            }
        }
        const Report report = simulate(5, crowded, [&](Group& group) {
            return alltoall_in_place(group, data[static_cast<std::size_t>(group.rank())]);
        });
        REQUIRE(report.problems() == "");
        CHECK(data == expected);
        CHECK(report.messages_sent() == (block_bytes <= 4 ? 0 : 20));
    }
}

TEST_CASE("a rank that does not come to the board is named by those who wait")
{
    const Report report = simulate(3, with_starts({0, 0, 0}), [](Group& group) {
        return group.rank() == 1 ? stay_away(group) : barrier_board(group);
    });
    CHECK(report.problems() ==
          "deadlock: rank 0 waits on the board, where 2 of 3 ranks have arrived; rank 2 waits on the board, "
          "where 2 of 3 ranks have arrived");
}

TEST_CASE("a rank that arrives twice, or releases before all are there, is found out")
{
    const Settings settings = with_starts({0, 0});
    CHECK(contains(simulate(2, settings, arrive_twice).problems(), "arrived twice"));
    CHECK(contains(simulate(2, settings, release_early).problems(), "when 0 of 2 ranks had arrived"));
}

TEST_CASE("without a board in the placement there is none")
{
    bool none = true;
    simulate(3, Settings{}, [&](Group& group) {
        none = none && group.board() == nullptr;
        return stay_away(group);
    });
    CHECK(none);
}

}  // namespace tutti::collectives::test::board_tests
