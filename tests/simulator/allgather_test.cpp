#include "collectives/framework/functions.hpp"

#include <sys/mman.h>

#include "collectives/choice/choice.hpp"
#include "collectives/collectives.hpp"
#include "tests/simulator/blocks_support.hpp"

namespace tutti::collectives::test {

namespace {

Cost allgather_cost(std::string_view algorithm, int ranks)
{
    if (algorithm == "board" || algorithm == "shared") {
        return {0, 0, 0};
    }
    const int others = ranks - 1;
    const auto pairs = static_cast<std::size_t>(ranks * others);
    if (algorithm == "flat") {
        return {others, ranks > 1 ? 1 : 0, pairs};
    }
    if (algorithm == "ring") {
        return {others, others, pairs};
    }
    const int log2 = ceil_log2(ranks);
    return {log2, log2, static_cast<std::size_t>(ranks * log2)};
}

/// Runs `gather(group, own block, memory of the rank)`, in place and not, and compares all memory.
template <class Gather>
void check(std::string_view algorithm, SendMode mode, const Places& places, Gather gather)
{
    const auto ranks = static_cast<int>(places.sizes.size());
    Memory expected = places.untouched();
    for (int rank = 0; rank < ranks; ++rank) {
        fill(places.in(expected)[rank], rank, kAll);
    }
    for (const bool in_place : {true, false}) {
        CAPTURE(algorithm, static_cast<int>(mode), ranks, places.sizes, places.offsets, in_place);
        std::vector<Memory> memory(places.sizes.size(), places.untouched());
        std::vector<Memory> apart(places.sizes.size(), expected);
        const auto own_block = [&](int rank) {
            return places.in((in_place ? memory : apart)[static_cast<std::size_t>(rank)])[rank];
        };
        for (int rank = 0; rank < ranks; ++rank) {
            fill(own_block(rank), rank, kAll);
        }
        const Report report = simulate(ranks, settings_for(mode), [&](Group& group) {
            return gather(group, own_block(group.rank()).data(),
                          memory[static_cast<std::size_t>(group.rank())]);
        });
        REQUIRE(report.problems() == "");
        REQUIRE(all_equal(memory, expected));
        REQUIRE(all_equal(apart, expected));
        const Cost cost = allgather_cost(algorithm, ranks);
        CHECK(report.finish_ns() == cost.steps);
        CHECK(report.longest_chain == cost.chain);
        CHECK(report.messages_sent() == cost.messages);
        const std::size_t copies = cost.messages == 0 ? 0 : static_cast<std::size_t>(ranks - 1);
        CHECK(report.bytes_sent() == copies * places.total_bytes());
    }
}

void check_allgather(const Algorithm<Allgather::Function>& algorithm, SendMode mode, int ranks,
                 std::size_t block_bytes)
{
    const Places places = equal_places(ranks, block_bytes);
    check(algorithm.name, mode, places,
          [&](Group& group, std::byte* own, Memory& all) { return algorithm.run(group, own, all); });
}

void check_unequal(const Algorithm<Allgatherv::Function>& algorithm, SendMode mode, const Places& places)
{
    check(algorithm.name, mode, places, [&](Group& group, std::byte* own, Memory& all) {
        return algorithm.run(group, own, places.in(all));
    });
}

}  // namespace

TEST_CASE("every allgather brings all blocks to all, in place or not")
{
    for (const Algorithm<Allgather::Function>& algorithm : on_one_node<Allgather>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= 17; ++ranks) {
                for (const std::size_t block_bytes : kCounts) {
                    check_allgather(algorithm, mode, ranks, block_bytes);
                }
            }
        }
    }
}

TEST_CASE("every allgatherv takes unequal and empty blocks, wherever they lie, and leaves gaps alone")
{
    for (const Algorithm<Allgatherv::Function>& algorithm : on_one_node<Allgatherv>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= 17; ++ranks) {
                for (const std::vector<std::size_t>& sizes : kinds_of_sizes(ranks)) {
                    for (const Order order : kOrders) {
                        check_unequal(algorithm, mode, Places(sizes, order));
                    }
                }
            }
        }
    }
}

TEST_CASE("an allgather over many ranks")
{
    for (const Algorithm<Allgather::Function>& algorithm : on_one_node<Allgather>()) {
        check_allgather(algorithm, SendMode::synchronous, 64, 5);
        check_allgather(algorithm, SendMode::eager, 200, 2);
        if (algorithm.name == "bruck" || algorithm.name == "recursive_doubling") {
            check_allgather(algorithm, SendMode::synchronous, kManyRanks, 1);
            check_allgather(algorithm, SendMode::eager, kVeryManyRanks, 1);
        }
    }
    for (const Algorithm<Allgatherv::Function>& algorithm : on_one_node<Allgatherv>()) {
        check_unequal(algorithm, SendMode::synchronous, Places(kinds_of_sizes(64)[1], Order::backwards));
    }
}

TEST_CASE("allgather and allgatherv with whatever the table chooses")
{
    for (const int ranks : {1, 2, 4, 7}) {
        for (const std::size_t block_bytes : {1, 10'000, 50'000}) {
            const Places places = equal_places(ranks, block_bytes);
            const Situation situation{.ranks = ranks,
                                      .size_bytes = places.memory_bytes,
                                      .placement = settings_for(SendMode::synchronous).placement};
            check(algorithm_of<Allgather>(choice().choose<Allgather>(situation)).name, SendMode::synchronous,
                  places,
                  [](Group& group, std::byte* own, Memory& all) { return allgather(group, own, all); });
            check(algorithm_of<Allgatherv>(choice().choose<Allgatherv>(situation)).name,
                  SendMode::synchronous, places, [&](Group& group, std::byte* own, Memory& all) {
                      return allgatherv(group, own, places.in(all));
                  });
        }
    }
}

TEST_CASE("blocks of more than 4 GiB keep their places and sizes")
{
    // Addresses only: nobody reads or writes them.
    constexpr std::size_t kBlockBytes = (std::size_t{5} << 30) + 1;
    constexpr std::size_t kBytes = 4 * kBlockBytes;
    void* const reserved =
        mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(reserved != MAP_FAILED);
    std::byte* const data = static_cast<std::byte*>(reserved);

    const EqualBlocks<std::byte> equal = equal_blocks({data, kBytes}, 4);
    CHECK(equal[3].data() == data + 3 * kBlockBytes);
    CHECK(equal[3].size() == kBlockBytes);
    // Ranks as no algorithm has them: with the algorithms' own, their Run would be this one, which is
    // compiled without optimisation.
    const Run run(equal, std::vector<int>{1, 2, 3});
    CHECK(run.packed().data() == data + kBlockBytes);
    CHECK(run.arriving().size() == 3 * kBlockBytes);

    const std::vector<std::size_t> sizes{kBlockBytes, 0, 2 * kBlockBytes};
    const std::vector<std::size_t> offsets{kBlockBytes, 7, 2 * kBlockBytes};
    const Run unequal(Blocks{data, sizes, offsets}, std::vector<int>{0, 1, 2});
    CHECK(unequal.packed().data() == data + kBlockBytes);
    CHECK(unequal.packed().size() == 3 * kBlockBytes);
    munmap(reserved, kBytes);
}

TEST_CASE("behind the last rank comes the first")
{
    const RanksInTurn ranks(2, 3, 4);
    CHECK(ranks.size() == 3);
    CHECK(ranks[0] == 2);
    CHECK(ranks[1] == 3);
    CHECK(ranks[2] == 0);
}

TEST_CASE("an allgatherv of ranks that count differently is an error, not a hang")
{
    std::vector<std::size_t> wrong(5, 3);
    wrong[2] = 0;
    const Places places = equal_places(5, 3);
    const Places others(wrong, Order::packed);
    for (const Algorithm<Allgatherv::Function>& algorithm : on_one_node<Allgatherv>()) {
        CAPTURE(algorithm.name);
        if (needs_board(algorithm.needs))
            continue;  // there the calls are compared, not messages
        std::vector<Memory> memory(5, places.untouched());
        const Report report = simulate(5, settings_for(SendMode::eager), [&](Group& group) {
            Memory& own = memory[static_cast<std::size_t>(group.rank())];
            const Blocks all = (group.rank() == 4 ? others : places).in(own);
            return algorithm.run(group, all[group.rank()].data(), all);
        });
        CHECK_THAT(report.problems(), Catch::Contains("both sides must use the same count"));
    }
}

}  // namespace tutti::collectives::test
