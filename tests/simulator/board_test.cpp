// The board on the simulator: any order of arrival, and what goes wrong when ranks misuse it.
#include "collectives/framework/board.hpp"

#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "tests/simulator/exchange_support.hpp"

namespace tutti::collectives::test {

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

TEST_CASE("an alltoallv leaves on the board what has room there, and sends the rest, whoever comes late")
{
    const auto up_to_seven = [](int from, int to) {
        return static_cast<std::size_t>((from * 3 + to * 5) % 8);
    };
    for (const SendMode mode : kModes) {
        for (const int ranks : {1, 2, 3, 5}) {
            const auto size = static_cast<std::size_t>(ranks);
            const Exchange exchange(ranks, Order::gaps, up_to_seven);
            for (const std::size_t room : {0, 1, 4, 7}) {  // for a block
                Settings settings = settings_for(mode);
                settings.placement.board_bytes = size * (8 + room) + (size - 1);
                for (int rank = 0; rank < ranks; ++rank)
                    settings.start_ns.push_back(rank * 70 % 100);
                const Report report =
                    check_exchange(settings, exchange, [&](Group& group, const Memory& in, Memory& out) {
                        const auto rank = static_cast<std::size_t>(group.rank());
                        return alltoallv_board(group, exchange.in[rank].in(in), exchange.out[rank].in(out));
                    });
                std::size_t too_long = 0;
                for (int from = 0; from < ranks; ++from) {
                    for (int to = 0; to < ranks; ++to)
                        too_long += from != to && up_to_seven(from, to) > room ? 1 : 0;
                }
                CHECK(report.messages_sent() == too_long);
            }
        }
    }
}

TEST_CASE("an alltoallv on a board of less than a size for each rank sends all")
{
    Settings settings = settings_for(SendMode::eager);
    settings.placement.board_bytes = 39;
    const Exchange exchange(5, Order::packed, [](int, int to) { return static_cast<std::size_t>(to % 2); });
    const Report report =
        check_exchange(settings, exchange, [&](Group& group, const Memory& in, Memory& out) {
            const auto rank = static_cast<std::size_t>(group.rank());
            return alltoallv_board(group, exchange.in[rank].in(in), exchange.out[rank].in(out));
        });
    CHECK(report.messages_sent() == 20);
}

TEST_CASE("an alltoallv on the board whose ranks count differently is an error, whichever way blocks go")
{
    Settings settings = settings_for(SendMode::eager);
    settings.placement.board_bytes = 3 * (8 + 10);
    for (const std::size_t sent : {4, 20}) {
        for (const std::size_t expected : {0, 5, 21}) {
            const Exchange exchange(3, Order::packed, [&](int, int) { return sent; });
            std::vector<Memory> in = filled(exchange.in, false);
            std::vector<Memory> out(3, Memory(3 * 21));
            Places wrong = exchange.out[2];
            wrong.sizes[1] = expected;
            wrong.offsets = {0, 21, 42};
            const Report report = simulate(3, settings, [&](Group& group) {
                const auto rank = static_cast<std::size_t>(group.rank());
                const Places& places = rank == 2 ? wrong : exchange.out[rank];
                return alltoallv_board(group, exchange.in[rank].in(std::as_const(in[rank])),
                                       places.in(out[rank]));
            });
            CHECK_THAT(report.problems(), Catch::Contains("both sides must use the same count"));
        }
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

}  // namespace tutti::collectives::test
