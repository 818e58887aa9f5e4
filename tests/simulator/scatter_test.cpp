#include "collectives/framework/functions.hpp"

#include "collectives/collectives.hpp"
#include "tests/simulator/rooted_support.hpp"

namespace tutti::collectives::test {

namespace {

/// Runs `scatter(group, memory of all blocks, own block)` and compares all memory.
template <class Scatter>
Report check(SendMode mode, const Places& places, int root, Root kind, Scatter scatter)
{
    const auto ranks = static_cast<int>(places.sizes.size());
    CAPTURE(static_cast<int>(mode), ranks, root, places.sizes, places.offsets, static_cast<int>(kind));
    Memory all = places.untouched();
    std::vector<Memory> expected;
    std::vector<Memory> own;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::size_t size_bytes = places.sizes[static_cast<std::size_t>(rank)];
        fill(places.in(all)[rank], root, rank);
        expected.push_back(block_of(root, rank, size_bytes));
        own.push_back(Memory(size_bytes, kUntouched));
    }
    if (kind == Root::in_place) {
        own[static_cast<std::size_t>(root)] = expected[static_cast<std::size_t>(root)];
    }
    const Memory before = all;
    const Report report = simulate(ranks, settings_for(mode), [&](Group& group) {
        const bool in_place = group.rank() == root && kind == Root::in_place;
        const std::span<std::byte> block =
            in_place ? places.in(all)[root]
                     : std::span<std::byte>(own[static_cast<std::size_t>(group.rank())]);
        return scatter(group, group.rank() == root ? all.data() : nullptr, block);
    });
    REQUIRE(report.problems() == "");
    REQUIRE(own == expected);
    REQUIRE(all == before);
    return report;
}

void check_scatter(const Algorithm<Scatter::Function>& algorithm, SendMode mode, int ranks, int root, Root kind,
                 std::size_t block_bytes)
{
    const Places places = equal_places(ranks, block_bytes);
    const Report report =
        check(mode, places, root, kind, [&](Group& group, const std::byte* all, std::span<std::byte> own) {
            return algorithm.run(group, all, own, root);
        });
    check_rooted_cost(report, algorithm, ranks, block_bytes);
}

}  // namespace

TEST_CASE("every scatter brings every rank its block, from every root")
{
    for_every_root<Scatter>(check_scatter);
}

TEST_CASE("a scatterv takes unequal and empty blocks, wherever they lie, and writes to none of them")
{
    for_unequal_blocks([](SendMode mode, const Places& places, int root, Root kind) {
        return check(mode, places, root, kind,
                     [&](Group& group, const std::byte* all, std::span<std::byte> own) {
                         return scatterv_flat(group, {all, places.sizes, places.offsets}, own, root);
                     });
    });
}

TEST_CASE("a shared scatterv leaves blocks that fit in the root's chunk, and sends the others")
{
    const auto run = [](SendMode mode, const Places& places, int root, Root kind) {
        return check(mode, places, root, kind,
                     [&](Group& group, const std::byte* all, std::span<std::byte> own) {
                         return scatterv_shared(group, {all, places.sizes, places.offsets}, own, root);
                     });
    };
    const auto longest = [](int ranks) {
        const auto shares = static_cast<std::size_t>(std::max(ranks - 1, 1));
        return 2048 / shares - 8;
    };
    for_unequal_blocks(run, longest);
    for (const SendMode mode : kModes) {
        CHECK(run(mode, Places({7, 2040}, Order::gaps), 0, Root::separate).messages_sent() == 0);
        CHECK(run(mode, Places({2041, 7}, Order::gaps), 1, Root::separate).messages_sent() == 1);
        CHECK(run(mode, Places({674, 675, 0, 674}, Order::packed), 2, Root::in_place).messages_sent() == 1);
    }
}

TEST_CASE("a shared scatterv whose ranks count differently is an error, whichever way blocks go")
{
    for (const std::size_t sent : {std::size_t{4}, std::size_t{3000}}) {
        for (const std::size_t expected : {std::size_t{0}, std::size_t{5}, std::size_t{3001}}) {
            CAPTURE(sent, expected);
            const Places places({0, 3, sent}, Order::packed);
            const Memory all = places.untouched();
            std::vector<Memory> own{{}, Memory(3), Memory(expected)};
            const Report report = simulate(3, settings_for(SendMode::eager), [&](Group& group) {
                return scatterv_shared(group, {all.data(), places.sizes, places.offsets},
                                       own[static_cast<std::size_t>(group.rank())], 0);
            });
            CHECK_THAT(report.problems(),
                       Catch::Contains("scatterv") && Catch::Contains("both sides must use the same count"));
        }
    }
}

TEST_CASE("a scatter over many ranks")
{
    for_many_ranks<Scatter>(check_scatter);
}

TEST_CASE("a scatter with whatever the table chooses")
{
    for (const int ranks : {1, 2, 4, 7, 16}) {
        for (const std::size_t block_bytes : {1, 50'000}) {
            check(SendMode::synchronous, equal_places(ranks, block_bytes), ranks - 1, Root::separate,
                  [&](Group& group, const std::byte* all, std::span<std::byte> own) {
                      return scatter(group, all, own, ranks - 1);
                  });
        }
    }
}

TEST_CASE("a scatter of blocks that are not equal is an error, not a hang")
{
    for (const Algorithm<Scatter::Function>& algorithm : on_one_node<Scatter>()) {
        CAPTURE(algorithm.name);
        if (needs_board(algorithm.needs))
            continue;  // there the calls are compared, not messages
        const std::vector<std::byte> all(64);
        std::vector<Memory> own(8, Memory(4));
        const Report report = simulate(8, settings_for(SendMode::eager), [&](Group& group) {
            return algorithm.run(
                group, all.data(),
                std::span(own[static_cast<std::size_t>(group.rank())]).first(group.rank() == 7 ? 0 : 4), 1);
        });
        CHECK_THAT(report.problems(), Catch::Contains("both sides must use the same count"));
    }
}

}  // namespace tutti::collectives::test
