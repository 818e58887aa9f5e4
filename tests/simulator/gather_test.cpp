#include "collectives/gather/gather.hpp"

#include "collectives/choice.hpp"
#include "collectives/collectives.hpp"
#include "collectives/patterns.hpp"
#include "tests/simulator/blocks_support.hpp"

namespace tutti::collectives::test {

namespace {

enum class Root { in_place, separate };

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

/// Blocks of all messages of the binomial tree: every rank but the root passes on its subtree once.
std::size_t blocks_sent(int ranks)
{
    int blocks = 0;
    for (int relative = 1; relative < ranks; ++relative) {
        blocks += std::min(relative & -relative, ranks - relative);
    }
    return static_cast<std::size_t>(blocks);
}

void check_equal(const Algorithm<Gather::Function>& algorithm, SendMode mode, int ranks, int root, Root kind,
                 std::size_t block_bytes)
{
    const Places places = equal_places(ranks, block_bytes);
    const Report report =
        check(mode, places, root, kind, [&](Group& group, std::span<const std::byte> own, std::byte* all) {
            return algorithm.run(group, own, all, root);
        });
    CAPTURE(algorithm.name, ranks);
    if (algorithm.through == Through::board) {
        CHECK(report.messages_sent() == 0);
        return;
    }
    const bool flat = algorithm.name == "flat";
    CHECK(report.finish_ns() == (flat ? ranks - 1 : ceil_log2(ranks)));
    CHECK(report.longest_chain == (flat ? std::min(ranks - 1, 1) : floor_log2(ranks)));
    CHECK(report.messages_sent() == static_cast<std::size_t>(ranks - 1));
    CHECK(report.bytes_sent() ==
          (flat ? static_cast<std::size_t>(ranks - 1) : blocks_sent(ranks)) * block_bytes);
}

}  // namespace

TEST_CASE("every gather brings all blocks to every root")
{
    for (const Algorithm<Gather::Function>& algorithm : Gather::kAlgorithms) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
                for (int root = 0; root < ranks; ++root) {
                    for (const std::size_t block_bytes : kCounts) {
                        check_equal(algorithm, mode, ranks, root,
                                    root % 2 == 0 ? Root::separate : Root::in_place, block_bytes);
                    }
                    check_equal(algorithm, mode, ranks, root, root % 2 == 0 ? Root::in_place : Root::separate,
                                3);
                }
            }
        }
    }
}

TEST_CASE("a gatherv takes unequal and empty blocks, wherever they lie, and leaves gaps alone")
{
    for (const SendMode mode : kModes) {
        for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
            for (const std::vector<std::size_t>& sizes : kinds_of_sizes(ranks)) {
                for (const Order order : kOrders) {
                    const Places places(sizes, order);
                    for (const int root : {0, ranks / 2, ranks - 1}) {
                        const Report report =
                            check(mode, places, root, order == Order::gaps ? Root::in_place : Root::separate,
                                  [&](Group& group, std::span<const std::byte> own, std::byte* all) {
                                      return gatherv(group, own, {all, places.sizes, places.offsets}, root);
                                  });
                        CHECK(report.finish_ns() == ranks - 1);
                        CHECK(report.longest_chain == std::min(ranks - 1, 1));
                        CHECK(report.messages_sent() == static_cast<std::size_t>(ranks - 1));
                        CHECK(report.bytes_sent() ==
                              places.total_bytes() - sizes[static_cast<std::size_t>(root)]);
                    }
                }
            }
        }
    }
}

TEST_CASE("a gather over many ranks")
{
    for (const Algorithm<Gather::Function>& algorithm : Gather::kAlgorithms) {
        check_equal(algorithm, SendMode::synchronous, 64, 63, Root::separate, 5);
        check_equal(algorithm, SendMode::eager, 1000, 501, Root::in_place, 17);
        check_equal(algorithm, SendMode::synchronous, 4096, 4000, Root::separate, 1);
    }
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
    for (const Algorithm<Gather::Function>& algorithm : Gather::kAlgorithms) {
        CAPTURE(algorithm.name);
        if (algorithm.through == Through::board)
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
