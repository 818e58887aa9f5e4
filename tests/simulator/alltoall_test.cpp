#include "collectives/framework/functions.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "collectives/choice/choice.hpp"
#include "collectives/collectives.hpp"
#include "tests/simulator/exchange_support.hpp"

namespace tutti::collectives::test {

namespace {

template <class Run>
Report check(SendMode mode, const Exchange& exchange, Run run)
{
    return check_exchange(settings_for(mode), exchange, run);
}

void check_direct_cost(const Report& report, std::string_view algorithm, const Exchange& exchange)
{
    const int others = exchange.ranks() - 1;
    CAPTURE(algorithm, exchange.ranks());
    CHECK(report.finish_ns() == others);
    CHECK(report.longest_chain == (algorithm == "flat" ? std::min(others, 1) : others));
    CHECK(report.messages_sent() == static_cast<std::size_t>(others * exchange.ranks()));
    CHECK(report.bytes_sent() == exchange.travelling_bytes);
}

void check_bruck_cost(const Report& report, int ranks, std::size_t block_bytes)
{
    const int log2 = ceil_log2(ranks);
    std::size_t bits = 0;
    for (int distance = 0; distance < ranks; ++distance) {
        bits += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(distance)));
    }
    CAPTURE(ranks, block_bytes);
    CHECK(report.finish_ns() == log2);
    CHECK(report.longest_chain == log2);
    CHECK(report.messages_sent() == static_cast<std::size_t>(ranks * log2));
    CHECK(report.bytes_sent() == static_cast<std::size_t>(ranks) * bits * block_bytes);
}

Exchange equal_exchange(int ranks, std::size_t block_bytes)
{
    return Exchange(ranks, Order::packed, [=](int, int) { return block_bytes; });
}

void check_alltoall(const Algorithm<Alltoall::Function>& algorithm, SendMode mode, int ranks,
                 std::size_t block_bytes)
{
    const Exchange exchange = equal_exchange(ranks, block_bytes);
    CAPTURE(algorithm.name);
    const Report report = check(mode, exchange, [&](Group& group, const Memory& in, Memory& out) {
        return algorithm.run(group, in.data(), out);
    });
    if (algorithm.name == "bruck") {
        check_bruck_cost(report, ranks, block_bytes);
    } else if (algorithm.name == "board" || algorithm.name == "shared") {
        CHECK(report.finish_ns() == 0);
        CHECK(report.messages_sent() == 0);
    } else {
        check_direct_cost(report, algorithm.name, exchange);
    }
}

void check_unequal(const Algorithm<Alltoallv::Function>& algorithm, SendMode mode, const Exchange& exchange)
{
    CAPTURE(algorithm.name);
    const Report report = check(mode, exchange, [&](Group& group, const Memory& in, Memory& out) {
        const auto rank = static_cast<std::size_t>(group.rank());
        return algorithm.run(group, exchange.in[rank].in(in), exchange.out[rank].in(out));
    });
    const bool fits = algorithm.name == "board" || exchange.ranks() <= kMostRanks;
    if (algorithm.name == "board" || algorithm.name == "shared")
        CHECK((report.messages_sent() == 0) == fits);
    else
        check_direct_cost(report, algorithm.name, exchange);
}

/// Runs `run(group, places, data)`; what each pair exchanges must be equally long both ways.
template <class Run>
void check_in_place(SendMode mode, const Exchange& exchange, Run run)
{
    const int ranks = exchange.ranks();
    CAPTURE(static_cast<int>(mode), ranks, exchange.in[0].sizes, exchange.in[0].offsets);
    std::vector<Memory> data = filled(exchange.in, false);
    Settings without_board = settings_for(mode);
    without_board.placement.board_bytes = 0;
    const Report report = simulate(ranks, without_board, [&](Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        return run(group, exchange.in[rank], data[rank]);
    });
    REQUIRE(report.problems() == "");
    REQUIRE(data == filled(exchange.out, true));
    const bool even = ranks % 2 == 0;
    const int odd_steps = mode == SendMode::synchronous ? ranks + 1 : (3 * ranks - 1) / 2;
    CHECK(report.finish_ns() == (even || ranks == 1 ? ranks - 1 : odd_steps));
    CHECK(report.longest_chain == (even || ranks == 1 ? ranks - 1 : ranks));
    CHECK(report.messages_sent() == static_cast<std::size_t>(ranks * (ranks - 1)));
    CHECK(report.bytes_sent() == exchange.travelling_bytes);
}

std::size_t to_the_last_only(int from, int to)
{
    return to == 6 && from != 3 ? 9 : 0;
}

}  // namespace

TEST_CASE("every alltoall brings every block to its rank")
{
    for (const Algorithm<Alltoall::Function>& algorithm : on_one_node<Alltoall>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
                for (const std::size_t block_bytes : kCounts) {
                    check_alltoall(algorithm, mode, ranks, block_bytes);
                }
            }
        }
    }
}

TEST_CASE("every alltoallv takes unequal and empty blocks, wherever they lie, and leaves gaps alone")
{
    for (const Algorithm<Alltoallv::Function>& algorithm : on_one_node<Alltoallv>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
                for (const Order order : kOrders) {
                    for (const auto size_bytes : {short_blocks, to_the_last_only, no_bytes}) {
                        check_unequal(algorithm, mode, Exchange(ranks, order, size_bytes));
                    }
                }
            }
        }
    }
}

TEST_CASE("an alltoall over many ranks")
{
    for (const Algorithm<Alltoall::Function>& algorithm : on_one_node<Alltoall>()) {
        check_alltoall(algorithm, SendMode::synchronous, 64, 5);
        check_alltoall(algorithm, SendMode::eager, 100, 2);
    }
    check_alltoall({"bruck", alltoall_bruck}, SendMode::synchronous, kManyRanks, 1);
    for (const Algorithm<Alltoallv::Function>& algorithm : on_one_node<Alltoallv>()) {
        check_unequal(algorithm, SendMode::synchronous, Exchange(64, Order::backwards, short_blocks));
    }
}

TEST_CASE("an alltoall in place exchanges blocks of any size between each pair once")
{
    const auto symmetric = [](int a, int b) { return static_cast<std::size_t>((a + b) * 5 % 7 + a * b % 3); };
    for (const SendMode mode : kModes) {
        for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
            for (const std::size_t block_bytes : kCounts) {
                check_in_place(
                    mode, equal_exchange(ranks, block_bytes),
                    [](Group& group, const Places&, Memory& data) { return alltoall_in_place(group, data); });
            }
            for (const Order order : kOrders) {
                check_in_place(mode, Exchange(ranks, order, symmetric),
                               [](Group& group, const Places& places, Memory& data) {
                                   return alltoallv_in_place(group, places.in(data));
                               });
            }
        }
        check_in_place(mode, equal_exchange(64, 3), [](Group& group, const Places&, Memory& data) {
            return alltoall_in_place(group, data);
        });
    }
}

TEST_CASE("the shared alltoall works in place")
{
    for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
        for (const std::size_t block_bytes : {std::size_t{0}, std::size_t{1}, std::size_t{5001}}) {
            CAPTURE(ranks, block_bytes);
            const Exchange exchange = equal_exchange(ranks, block_bytes);
            std::vector<Memory> data = filled(exchange.in, false);
            const Report report = simulate(ranks, settings_for(SendMode::eager), [&](Group& group) {
                Memory& own = data[static_cast<std::size_t>(group.rank())];
                return alltoall_shared(group, own.data(), own);
            });
            REQUIRE(report.problems() == "");
            REQUIRE(data == filled(exchange.out, true));
            CHECK(report.messages_sent() == 0);
        }
    }
}

TEST_CASE("the shared alltoallv leaves short blocks in a chunk, and sends the others")
{
    // The longest that fit of two ranks, and of three with chunks of 100 bytes, and a byte more.
    const std::array<std::size_t, 6> sizes{0, 2040, 2041, 42, 43, 9000};
    const auto any = [&](int from, int to) { return sizes[static_cast<std::size_t>(from * 2 + to * 3) % 6]; };
    for (const SendMode mode : kModes) {
        for (const int ranks : {1, 2, 3, 5}) {
            for (const std::size_t board_bytes : {std::size_t{16384}, std::size_t{100}, std::size_t{7}}) {
                CAPTURE(ranks, board_bytes);
                Settings settings = settings_for(mode);
                settings.placement.board_bytes = board_bytes;
                for (int rank = 0; rank < ranks; ++rank)
                    settings.start_ns.push_back(rank * 70 % 100);
                const Exchange exchange(ranks, Order::gaps, any);
                const Report report =
                    check_exchange(settings, exchange, [&](Group& group, const Memory& in, Memory& out) {
                        const auto rank = static_cast<std::size_t>(group.rank());
                        return alltoallv_shared(group, exchange.in[rank].in(in), exchange.out[rank].in(out));
                    });
                const std::size_t chunk = std::min<std::size_t>(board_bytes, 2048);
                const std::size_t share = chunk / static_cast<std::size_t>(std::max(ranks - 1, 1));
                std::size_t too_long = 0;
                for (int from = 0; from < ranks; ++from) {
                    for (int to = 0; to < ranks; ++to)
                        too_long += from != to && (share < 8 || any(from, to) > share - 8) ? 1 : 0;
                }
                CHECK(report.messages_sent() == too_long);
            }
        }
    }
}

TEST_CASE("a shared alltoallv whose ranks count differently is an error, whichever way blocks go")
{
    for (const std::size_t sent : {std::size_t{4}, std::size_t{5000}}) {
        for (const std::size_t expected : {std::size_t{0}, std::size_t{5}, std::size_t{5001}}) {
            CAPTURE(sent, expected);
            const Exchange exchange(2, Order::packed, [&](int, int) { return sent; });
            const std::vector<Memory> in = filled(exchange.in, false);
            std::vector<Memory> out(2, Memory(2 * 5001));
            Places wrong = exchange.out[1];
            wrong.sizes[0] = expected;
            wrong.offsets = {0, 5001};
            const Report report = simulate(2, settings_for(SendMode::eager), [&](Group& group) {
                const auto rank = static_cast<std::size_t>(group.rank());
                const Places& places = rank == 1 ? wrong : exchange.out[rank];
                return alltoallv_shared(group, exchange.in[rank].in(in[rank]), places.in(out[rank]));
            });
            CHECK_THAT(report.problems(), Catch::Contains("both sides must use the same count"));
        }
    }
}

TEST_CASE("alltoall and alltoallv with whatever the table chooses")
{
    for (const int ranks : {1, 2, 4, 7, 16}) {
        for (const std::size_t block_bytes : {1, 1000, 40'000}) {
            check(
                SendMode::synchronous, equal_exchange(ranks, block_bytes),
                [](Group& group, const Memory& in, Memory& out) { return alltoall(group, in.data(), out); });
        }
        const Exchange exchange(ranks, Order::gaps, short_blocks);
        check(SendMode::synchronous, exchange, [&](Group& group, const Memory& in, Memory& out) {
            const auto rank = static_cast<std::size_t>(group.rank());
            return alltoallv(group, exchange.in[rank].in(in), exchange.out[rank].in(out));
        });
    }
}

TEST_CASE("an alltoallv of ranks that count differently is an error, not a hang")
{
    const Exchange exchange = equal_exchange(5, 3);
    Places wrong = exchange.out[4];
    wrong.sizes[2] = 0;
    for (const Algorithm<Alltoallv::Function>& algorithm : on_one_node<Alltoallv>()) {
        CAPTURE(algorithm.name);
        const std::vector<Memory> in = filled(exchange.in, false);
        std::vector<Memory> out = given(exchange.out);
        const Report report = simulate(5, settings_for(SendMode::eager), [&](Group& group) {
            const auto rank = static_cast<std::size_t>(group.rank());
            const Places& places = rank == 4 ? wrong : exchange.out[rank];
            return algorithm.run(group, exchange.in[rank].in(in[rank]), places.in(out[rank]));
        });
        CHECK_THAT(report.problems(), Catch::Contains("both sides must use the same count"));
    }
}

}  // namespace tutti::collectives::test
