#include "collectives/framework/functions.hpp"

#include "collectives/collectives.hpp"
#include "tests/simulator/rooted_support.hpp"

namespace tutti::collectives::test {

namespace {

/// Runs `gather(group, own block, memory of all blocks)` and compares all memory.
template <class Gather>
Report check(SendMode mode, const Places& places, int root, Root kind, Gather gather)
{
    const auto ranks = static_cast<int>(places.sizes.size());
    CAPTURE(static_cast<int>(mode), ranks, root, places.sizes, places.offsets, static_cast<int>(kind));
    Memory expected = places.untouched();
    Memory all = places.untouched();
    std::vector<Memory> own;
    for (int rank = 0; rank < ranks; ++rank) {
        fill(places.in(expected)[rank], rank, root);
        own.push_back(block_of(rank, root, places.sizes[static_cast<std::size_t>(rank)]));
    }
    if (kind == Root::in_place) {
        fill(places.in(all)[root], root, root);
    }
    const std::vector<Memory> before = own;
    const Report report = simulate(ranks, settings_for(mode), [&](Group& group) {
        const bool in_place = group.rank() == root && kind == Root::in_place;
        const std::span<const std::byte> block =
            in_place ? places.in(all)[root]
                     : std::span<std::byte>(own[static_cast<std::size_t>(group.rank())]);
        return gather(group, block, group.rank() == root ? all.data() : nullptr);
    });
    REQUIRE(report.problems() == "");
    REQUIRE(all == expected);
    REQUIRE(own == before);
    return report;
}

void check_gather(const Algorithm<Gather::Function>& algorithm, SendMode mode, int ranks, int root, Root kind,
                 std::size_t block_bytes)
{
    const Places places = equal_places(ranks, block_bytes);
    const Report report =
        check(mode, places, root, kind, [&](Group& group, std::span<const std::byte> own, std::byte* all) {
            return algorithm.run(group, own, all, root);
        });
    check_rooted_cost(report, algorithm, ranks, block_bytes);
}

}  // namespace

TEST_CASE("every gather brings all blocks to every root")
{
    for_every_root<Gather>(check_gather);
}

TEST_CASE("a gatherv takes unequal and empty blocks, wherever they lie, and leaves gaps alone")
{
    for_unequal_blocks([](SendMode mode, const Places& places, int root, Root kind) {
        return check(mode, places, root, kind,
                     [&](Group& group, std::span<const std::byte> own, std::byte* all) {
                         return gatherv_flat(group, own, {all, places.sizes, places.offsets}, root);
                     });
    });
}

TEST_CASE("a shared gatherv leaves blocks that fit in chunks, and sends the others")
{
    const auto run = [](SendMode mode, const Places& places, int root, Root kind) {
        return check(mode, places, root, kind,
                     [&](Group& group, std::span<const std::byte> own, std::byte* all) {
                         return gatherv_shared(group, own, {all, places.sizes, places.offsets}, root);
                     });
    };
    const auto longest = [](int) { return std::size_t{2040}; };
    for_unequal_blocks(run, longest);
    for (const SendMode mode : kModes)
        for (const int root : {0, 1, 2})
            CHECK(
                run(mode, Places({2040, 2041, 0, 5000}, Order::gaps), root, Root::separate).messages_sent() ==
                (root == 1 ? 1 : 2));
}

TEST_CASE("a shared gatherv whose ranks count differently is an error, whichever way blocks go")
{
    for (const std::size_t sent : {std::size_t{4}, std::size_t{3000}}) {
        for (const std::size_t expected : {std::size_t{0}, std::size_t{5}, std::size_t{3001}}) {
            CAPTURE(sent, expected);
            const Places places({0, 3, expected}, Order::packed);
            Memory all = places.untouched();
            std::vector<Memory> own{{}, block_of(1, 0, 3), block_of(2, 0, sent)};
            const Report report = simulate(3, settings_for(SendMode::eager), [&](Group& group) {
                return gatherv_shared(group, own[static_cast<std::size_t>(group.rank())],
                                      {all.data(), places.sizes, places.offsets}, 0);
            });
            CHECK_THAT(report.problems(),
                       Catch::Contains("gatherv") && Catch::Contains("both sides must use the same count"));
        }
    }
}

TEST_CASE("a gather over many ranks")
{
    for_many_ranks<Gather>(check_gather);
}

TEST_CASE("a gather with whatever the table chooses")
{
    for (const int ranks : {1, 2, 4, 7, 16}) {
        for (const std::size_t block_bytes : {1, 50'000}) {
            check(SendMode::synchronous, equal_places(ranks, block_bytes), ranks - 1, Root::separate,
                  [&](Group& group, std::span<const std::byte> own, std::byte* all) {
                      return gather(group, own, all, ranks - 1);
                  });
        }
    }
}

TEST_CASE("a gather of blocks that are not equal is an error, not a hang")
{
    for (const Algorithm<Gather::Function>& algorithm : on_one_node<Gather>()) {
        CAPTURE(algorithm.name);
        if (needs_board(algorithm.needs))
            continue;  // there the calls are compared, not messages
        std::vector<std::byte> all(64);
        const std::vector<std::byte> own(4);
        const Report report = simulate(8, settings_for(SendMode::eager), [&](Group& group) {
            return algorithm.run(group, std::span(own).first(group.rank() == 7 ? 0 : 4), all.data(), 1);
        });
        CHECK_THAT(report.problems(), Catch::Contains("both sides must use the same count"));
    }
}

}  // namespace tutti::collectives::test
