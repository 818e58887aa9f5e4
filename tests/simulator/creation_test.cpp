// New communicators: a duplicate is a broadcast of its number, a split an allgather of what each rank wishes.
#include <bit>

#include "collectives/collectives.hpp"
#include "tests/simulator/nodes_support.hpp"

namespace tutti::collectives::test {

namespace {

constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kWishBytes = 32;

Report duplicate(int ranks, const Settings& settings)
{
    std::vector<std::vector<std::byte>> numbers(static_cast<std::size_t>(ranks),
                                                std::vector<std::byte>(kNumberBytes));
    return simulate(ranks, settings, [&](Group& group) {
        return broadcast_as(group, {.kind = CallKind::dup}, numbers[static_cast<std::size_t>(group.rank())],
                            0);
    });
}

Report split(int ranks, const Settings& settings)
{
    const std::vector<std::byte> wish(kWishBytes);
    std::vector<std::vector<std::byte>> wishes(
        static_cast<std::size_t>(ranks),
        std::vector<std::byte>(kWishBytes * static_cast<std::size_t>(ranks)));
    return simulate(ranks, settings, [&](Group& group) {
        return allgather_as(group, {.kind = CallKind::split}, wish.data(),
                            wishes[static_cast<std::size_t>(group.rank())]);
    });
}

}  // namespace

TEST_CASE("duplicates and splits take log2(ranks) steps on a node, and about twice as many on several")
{
    for (const int ranks : {2, 5, 8, 16, 33, 64, 65, 128, 256}) {
        const int doublings = std::bit_width(static_cast<unsigned>(ranks) - 1);
        for (int nodes = 1; nodes <= 8 && 2 * nodes <= ranks; nodes *= 2) {
            CAPTURE(ranks, nodes);
            const NodeMap map = NodeMap::in_blocks(ranks, nodes);
            const Settings settings = nodes == 1 ? Settings() : settings_over(map, SendMode::eager);
            const int most = nodes == 1 ? doublings : 2 * doublings + 1;
            const Report duplicated = duplicate(ranks, settings);
            const Report parted = split(ranks, settings);
            CHECK(duplicated.problems().empty());
            CHECK(parted.problems().empty());
            CHECK(duplicated.finish_ns() <= most);
            CHECK(parted.finish_ns() <= most);
            CHECK(duplicated.messages_sent() == static_cast<std::size_t>(ranks - 1));
            CHECK(parted.messages_sent() <= static_cast<std::size_t>(ranks * doublings));
        }
    }
}

TEST_CASE(
    "where ranks share cores, a duplicate is at most a message to each rank, and ranks split at the board")
{
    Settings settings = settings_for(SendMode::eager);
    settings.placement.one_node = true;
    settings.placement.more_ranks_than_cores = true;
    for (const int ranks : {3, 8, 64, 256}) {
        CAPTURE(ranks);
        const Report duplicated = duplicate(ranks, settings);
        const Report parted = split(ranks, settings);
        CHECK(duplicated.problems().empty());
        CHECK(parted.problems().empty());
        CHECK(duplicated.messages_sent() <= static_cast<std::size_t>(ranks - 1));
        CHECK(parted.messages_sent() == 0);
    }
}

}  // namespace tutti::collectives::test
