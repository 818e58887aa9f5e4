#include "collectives/choice/choice.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "collectives/choice/algorithm_name.hpp"
#include "collectives/collectives.hpp"
#include "tests/simulator/choice_support.hpp"
#include "tests/simulator/support.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives::test {

using namespace std::string_view_literals;

TEST_CASE("the table chooses by ranks, bytes and crowding")
{
    const Choice table(unset);
    CHECK(chosen<Barrier>(table, {2, 0, kNode}) == "dissemination");
    CHECK(chosen<Barrier>(table, {8, 0, kCrowdedNode}) == "flat");
    CHECK(chosen<Broadcast>(table, {2, 1 << 20, kNode}) == "flat");
    CHECK(chosen<Broadcast>(table, {4, 1025, kNode}) == "binomial");
    CHECK(chosen<Broadcast>(table, {16, 8192, kCrowdedNode}) == "flat");
    CHECK(chosen<Reduce>(table, {3, 8, kNode}) == "flat");
    CHECK(chosen<Reduce>(table, {16, 8, kNode}) == "binomial");
    CHECK(chosen<Reduce>(table, {16, 2049, kNode}) == "rabenseifner");
    CHECK(chosen<Reduce>(table, {9, 1 << 20, kNode}) == "rabenseifner");
    CHECK(chosen<Broadcast>(table, {7, 1 << 20, kNode}) == "chain");
    CHECK(table.choose<Broadcast>({7, 1 << 20, kNode}).segment_bytes == 128 << 10);
    CHECK(chosen<Broadcast>(table, {8, 1 << 20, kNode}) == "scatter_allgather");
    CHECK(chosen<Reduce>(table, {8, 1 << 20, kNode}) == "chain");
    CHECK(table.choose<Reduce>({2, 1 << 20, kNode}).segment_bytes == 0);
    CHECK(chosen<Allreduce>(table, {2, 8192, kCrowdedNode}) == "recursive_doubling");
    CHECK(chosen<Allreduce>(table, {2, 512 << 10, kNode}) == "recursive_doubling");
    CHECK(chosen<Allreduce>(table, {2, (512 << 10) + 1, kNode}) == "rabenseifner");
    CHECK(chosen<Allreduce>(table, {2, 1 << 20, kCrowdedNode}) == "rabenseifner");
    CHECK(chosen<Allreduce>(table, {3, 64 << 10, kCrowdedNode}) == "flat");
    CHECK(chosen<Allreduce>(table, {3, (64 << 10) + 1, kCrowdedNode}) == "rabenseifner");
    CHECK(chosen<Allreduce>(table, {8, 1 << 20, kCrowdedNode, false}) == "rabenseifner");
    CHECK(chosen<Allreduce>(table, {9, 1 << 20, kCrowdedNode}) == "binomial");
    CHECK(chosen<Allreduce>(table, {16, 8, kNode}) == "recursive_doubling");
    CHECK(chosen<Allreduce>(table, {16, 8, kCrowdedNode}) == "flat");
    CHECK(chosen<Allreduce>(table, {16, 1 << 18, kNode}) == "rabenseifner");
    CHECK(chosen<Allreduce>(table, {16, 1 << 20, kNode}) == "ring");
    CHECK(chosen<ReduceScatter>(table, {2, 1 << 30, kNode}) == "flat");
    CHECK(chosen<ReduceScatter>(table, {16, 1 << 19, kNode}) == "recursive_halving");
    CHECK(chosen<ReduceScatter>(table, {16, 1 << 20, kNode}) == "ring");
    CHECK(chosen<ReduceScatter>(table, {16, 1 << 20, kNode, false}) == "flat");
    CHECK(chosen<ReduceScatter>(table, {129, 1 << 20, kNode}) == "recursive_halving");
    CHECK(chosen<Allreduce>(table, {128, 1 << 20, kNode}) == "ring");
    CHECK(chosen<Allreduce>(table, {129, 1 << 20, kNode}) == "rabenseifner");
    CHECK(chosen<Scan>(table, {16, 8, kCrowdedNode, false}) == "flat");
    CHECK(chosen<Exscan>(table, {16, 8, kNode, false}) == "recursive_doubling");
    CHECK(chosen<Allreduce>(table, {1, 0, {}}) == "recursive_doubling");

    const Placement with_board{
        .one_node = true, .more_ranks_than_cores = true, .board_bytes = 16384, .chunk_bytes = 8192};
    CHECK(chosen<Barrier>(table, {8, 0, with_board}) == "board");
    CHECK(chosen<Barrier>(table, {2, 0, with_board}) == "shared");
    CHECK(chosen<Barrier>(table, {2, 0, kCrowdedNode}) == "flat");
    CHECK(chosen<Allreduce>(table, {2, 32 << 10, with_board, false}) == "shared");
    CHECK(chosen<Allreduce>(table, {2, (32 << 10) + 1, with_board}) == "recursive_doubling");
    CHECK(chosen<Allgather>(table, {2, 64 << 10, with_board}) == "shared");
    CHECK(chosen<Alltoall>(table, {2, (32 << 10) + 1, with_board}) == "flat");
    CHECK(chosen<Broadcast>(table, {8, 512 << 10, with_board}) == "shared");
    CHECK(chosen<Broadcast>(table, {8, (512 << 10) + 1, with_board}) == "flat");
    CHECK(chosen<Reduce>(table, {8, 64 << 10, with_board, false}) == "shared");
    CHECK(chosen<Reduce>(table, {8, (64 << 10) + 1, with_board}) == "binomial");
    const Placement own_cores{.one_node = true, .board_bytes = 16384, .chunk_bytes = 8192};
    CHECK(chosen<Broadcast>(table, {2, 32 << 10, own_cores}) == "shared");
    CHECK(chosen<Broadcast>(table, {2, (32 << 10) + 1, own_cores}) == "flat");
    CHECK(chosen<Reduce>(table, {2, 32 << 10, own_cores}) == "shared");
    CHECK(chosen<Barrier>(table, {2, 0, own_cores}) == "shared");
    CHECK(chosen<Allreduce>(table, {2, 16 << 10, own_cores, false}) == "shared");
    CHECK(chosen<Allreduce>(table, {2, (16 << 10) + 1, own_cores, false}) == "recursive_doubling");
    CHECK(chosen<Allgatherv>(table, {2, 32 << 10, own_cores}) == "shared");
    CHECK(chosen<Allgather>(table, {2, (32 << 10) + 1, own_cores}) == "flat");
    CHECK(chosen<Alltoall>(table, {2, 16 << 10, own_cores}) == "shared");
    CHECK(chosen<Alltoall>(table, {2, (16 << 10) + 1, own_cores}) == "flat");
    CHECK(chosen<Alltoall>(table, {2, 8, kNode}) == "flat");
    CHECK(chosen<Alltoallv>(table, {2, 0, own_cores}) == "shared");
    CHECK(chosen<Alltoallv>(table, {2, 0, kNode}) == "flat");
    CHECK(chosen<Gatherv>(table, {2, 0, own_cores}) == "shared");
    CHECK(chosen<Scatterv>(table, {2, 0, with_board}) == "shared");
    CHECK(chosen<Scatterv>(table, {2, 0, kNode}) == "flat");
    CHECK(chosen<ReduceScatter>(table, {2, 2 << 10, own_cores, false}) == "shared");
    CHECK(chosen<ReduceScatter>(table, {2, (2 << 10) + 1, own_cores}) == "flat");
    CHECK(chosen<Gather>(table, {2, 16 << 10, own_cores}) == "shared");
    CHECK(chosen<Gather>(table, {2, (16 << 10) + 1, own_cores}) == "flat");
    CHECK(chosen<Scatter>(table, {2, 8, with_board}) == "shared");
    CHECK(chosen<Scan>(table, {2, 32 << 10, own_cores, false}) == "shared");
    CHECK(chosen<Exscan>(table, {2, (32 << 10) + 1, own_cores}) == "flat");
    // What two ranks with a core each read in place goes as messages, from 4 KiB of a rank on.
    const auto read_in_place = [&]<class Collective>(std::size_t size_bytes) {
        return chosen<Collective>(
            table, {.ranks = 2, .size_bytes = size_bytes, .placement = own_cores, .read_in_place = true});
    };
    CHECK(read_in_place.operator()<Allreduce>(4095) == "shared");
    CHECK(read_in_place.operator()<Allreduce>(4096) == "recursive_doubling");
    CHECK(read_in_place.operator()<Allgather>(2 * 4095) == "shared");
    CHECK(read_in_place.operator()<Allgather>(2 * 4096) == "flat");
    CHECK(read_in_place.operator()<Gather>(2 * 4096) == "flat");
    CHECK(read_in_place.operator()<Alltoall>(4096) == "flat");
    CHECK(read_in_place.operator()<Exscan>(4096) == "flat");
    CHECK(read_in_place.operator()<Broadcast>(4096) == "shared");  // only the root knows its memory
    // An element that no chunk takes goes as a message.
    const auto of_elements = [&](std::size_t element_bytes) {
        return chosen<Allreduce>(table, {.ranks = 2,
                                         .size_bytes = element_bytes,
                                         .placement = own_cores,
                                         .element_bytes = element_bytes});
    };
    CHECK(of_elements(8192) == "shared");
    CHECK(of_elements(8193) == "recursive_doubling");
    CHECK(chosen<Barrier>(table, {4, 0, own_cores}) == "dissemination");
    CHECK(chosen<Allreduce>(table, {8, 16384, with_board}) == "board");
    CHECK(chosen<Allreduce>(table, {8, 16385, with_board}) == "flat");
    CHECK(chosen<Allreduce>(table, {3, 8, with_board}) == "board");
    CHECK(chosen<ReduceScatter>(table, {8, 16384, with_board, false}) == "board");
    CHECK(chosen<ReduceScatter>(table, {8, 16385, with_board}) == "flat");
    CHECK(chosen<Alltoall>(table, {8, 2048, with_board}) == "board");  // 8 blocks fill a slot
    CHECK(chosen<Alltoall>(table, {8, 2049, with_board}) == "flat");
    CHECK(chosen<Alltoall>(table, {8, kAnyBytes, with_board}) == "flat");
    CHECK(chosen<Alltoallv>(table, {8, 0, with_board}) == "board");
    CHECK(chosen<Alltoallv>(table, {8, 0, kCrowdedNode}) == "flat");
    CHECK_THROWS_WITH(
        chosen<Alltoall>(table, {8, 2049, with_board, true, ask_for(CallKind::alltoall, "board")}),
        Catch::Contains("the board has room for 16 KiB of a rank's blocks together"));
}

TEST_CASE("where nodes are known, the table takes hierarchical algorithms for what they are good for")
{
    const Choice table(unset);
    const NodeMap nodes = NodeMap::in_blocks(64, 8);
    const std::vector<int> dealt{0, 1, 0, 1};
    const NodeMap in_turn{dealt};
    const Placement several{.nodes = &nodes};
    const Placement mixed{.nodes = &in_turn};
    CHECK(chosen<Barrier>(table, {64, 0, several}) == "hierarchical");
    CHECK(chosen<Broadcast>(table, {64, 8, several}) == "hierarchical");
    CHECK(chosen<Broadcast>(table, {64, 65536, several}) == "binomial");
    CHECK(chosen<Broadcast>(table, {64, 1 << 20, several}) == "scatter_allgather");
    CHECK(chosen<Broadcast>(table, {4, 65536, mixed}) == "hierarchical");
    CHECK(chosen<Broadcast>(table, {2, 8, several}) == "flat");
    CHECK(chosen<Reduce>(table, {64, 2048, several}) == "hierarchical");
    CHECK(chosen<Reduce>(table, {64, 2049, several}) == "rabenseifner");
    CHECK(chosen<Reduce>(table, {4, 2049, mixed}) == "hierarchical");
    CHECK(chosen<Reduce>(table, {4, 2049, mixed, false}) == "rabenseifner");
    CHECK(chosen<Allreduce>(table, {64, 16384, several, false}) == "hierarchical");
    CHECK(chosen<Allreduce>(table, {2, 8 << 20, several}) == "recursive_doubling");
    CHECK(chosen<Allreduce>(table, {2, (8 << 20) + 1, several}) == "rabenseifner");
    CHECK(chosen<Allreduce>(table, {64, 16385, several}) == "rabenseifner");
    CHECK(chosen<ReduceScatter>(table, {64, 2048, several}) == "hierarchical");
    CHECK(chosen<ReduceScatter>(table, {64, 2049, several}) == "recursive_halving");
    CHECK(chosen<Scan>(table, {64, 1 << 20, several, false}) == "hierarchical");
    CHECK(chosen<Exscan>(table, {64, 8, several}) == "hierarchical");
    CHECK(chosen<Exscan>(table, {4, 8, mixed}) == "recursive_doubling");
    CHECK(chosen<Allgather>(table, {64, 1 << 19, several}) == "hierarchical");
    CHECK(chosen<Allgather>(table, {64, 1 << 20, several}) == "ring");
    CHECK(chosen<Allgather>(table, {32, 1 << 18, several}) == "ring");
    CHECK(chosen<Allgather>(table, {1000, 1 << 20, several}) == "hierarchical");
    CHECK(chosen<Allgatherv>(table, {64, 8, several}) == "hierarchical");
    CHECK(chosen<Gather>(table, {64, 1 << 16, several}) == "hierarchical");
    CHECK(chosen<Scatter>(table, {64, 1 << 17, several}) == "flat");
    CHECK(chosen<Gatherv>(table, {64, 0, several}) == "hierarchical");
    CHECK(chosen<Scatterv>(table, {4, 0, mixed}) == "hierarchical");
    CHECK(chosen<Alltoall>(table, {64, 1024, several}) == "hierarchical");
    CHECK(chosen<Alltoall>(table, {64, 1025, several}) == "flat");
    CHECK(chosen<Allreduce>(table, {4, 8, mixed}) == "hierarchical");
    CHECK(chosen<Allreduce>(table, {4, 8, mixed, false}) == "recursive_doubling");
    const NodeMap pair = NodeMap::in_blocks(4, 2);
    const Placement small{.nodes = &pair};
    CHECK(chosen<Broadcast>(table, {4, 1 << 20, small}) == "hierarchical");
    CHECK(chosen<Allreduce>(table, {4, 65536, small}) == "hierarchical");
    CHECK(chosen<Allreduce>(table, {4, 1 << 20, small}) == "rabenseifner");
    CHECK(chosen<Alltoall>(table, {4, 8192, small}) == "hierarchical");
    CHECK(chosen<Alltoall>(table, {4, 65536, small}) == "lanes");
    CHECK(chosen<Alltoall>(table, {4, 65537, small}) == "flat");
    CHECK(chosen<Alltoallv>(table, {4, 0, small}) == "flat");
    CHECK(chosen<Alltoallv>(table, {1000, 0, several}) == "hierarchical");
    CHECK(chosen<Alltoall>(table, {4, 1 << 20, small}) == "flat");
    CHECK_THROWS_WITH(chosen<Scan>(table, {4, 8, mixed, true, ask_for(CallKind::scan, "hierarchical")}),
                      Catch::Contains("the nodes' ranks do not follow each other"));
}

TEST_CASE("where each node has one rank there is nothing to do inside nodes")
{
    const Choice table(unset);
    const NodeMap alone = NodeMap::in_blocks(5, 5);
    const Placement apart{.nodes = &alone};
    CHECK(chosen<Barrier>(table, {5, 0, apart}) == "dissemination");
    CHECK(chosen<Broadcast>(table, {5, 8, apart}) == "binomial");
    CHECK(chosen<Allreduce>(table, {5, 8, apart}) == "recursive_doubling");
    CHECK(chosen<Allgather>(table, {5, 8, apart}) == "recursive_doubling");
    CHECK(chosen<Gatherv>(table, {5, 0, apart}) == "flat");
    CHECK_THROWS_WITH(chosen<Barrier>(table, {5, 0, apart, true, ask_for(CallKind::barrier, "hierarchical")}),
                      Catch::Contains("each node has one rank"));
}

TEST_CASE("an algorithm for commuting operands is not chosen for others, not even by the environment")
{
    constexpr std::size_t kLong = 1 << 20;
    const Choice table(unset);
    const Choice ring(
        [](const char* variable) { return variable == "TUTTI_ALLREDUCE"sv ? "ring" : nullptr; });
    CHECK(chosen<Allreduce>(table, {16, kLong, kNode, true}) == "ring");
    CHECK(chosen<Allreduce>(table, {16, kLong, kNode, false}) == "rabenseifner");
    CHECK(chosen<Allreduce>(ring, {16, 8, kNode, true}) == "ring");
    CHECK(chosen<Allreduce>(ring, {16, 8, kNode, false}) == "recursive_doubling");
}

TEST_CASE("a call may name its algorithm, which goes before all but the environment")
{
    const auto asked = [](CallKind kind, std::string_view algorithm) { return ask_for(kind, algorithm); };
    const Choice table(unset);
    const Choice ring(
        [](const char* variable) { return variable == "TUTTI_ALLREDUCE"sv ? "ring" : nullptr; });
    const Selection flat = asked(CallKind::allreduce, "flat");
    CHECK(chosen<Allreduce>(table, {16, 8, kNode, true, flat}) == "flat");
    CHECK(chosen<Allreduce>(ring, {16, 8, kNode, true, flat}) == "ring");
    CHECK(chosen<Allreduce>(ring, {16, 8, kNode, false, flat}) == "flat");
    const RulesFile binomial = parse_rules(R"({"allreduce": [{"algorithm": "binomial"}]})", "rules.json");
    CHECK(chosen<Allreduce>(Choice(unset, binomial), {16, 8, kNode, true, flat}) == "flat");
    CHECK(chosen<Gatherv>(table, {16, 8, kNode, true, asked(CallKind::gatherv, "flat")}) == "flat");
    CHECK(table.choose<Reduce>({2, 8, kNode, true, asked(CallKind::reduce, "chain:64K")}).segment_bytes ==
          65536);
    CHECK(!asked(CallKind::reduce, ""));
    CHECK_THROWS_WITH(chosen<Allreduce>(table, {16, 8, kNode, false, asked(CallKind::allreduce, "ring")}),
                      "allreduce: invalid argument: the algorithm ring cannot do this call: it needs an "
                      "operator that commutes; name another, or none to let Tutti choose");
    CHECK_THROWS_WITH(chosen<Barrier>(table, {16, 0, kNode, true, asked(CallKind::barrier, "hierarchical")}),
                      Catch::Contains("there is one node"));
    CHECK_THROWS_WITH(asked(CallKind::alltoallv, "pairwize"),
                      "alltoallv: invalid argument: there is no algorithm \"pairwize\"; did you mean "
                      "'pairwise'? Use flat or board or shared or pairwise or hierarchical, or name none to "
                      "let Tutti choose");
    CHECK_THROWS_WITH(asked(CallKind::reduce, "chain:x"), Catch::Contains("use chain:32768"));
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
                CHECK(simulate(ranks, settings, [](Group& group) { return barrier(group); }).problems() ==
                      "");
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
                          const Buffer buffer = buffer_of(own(group));
                          return allreduce(group, buffer.data, buffer, kIntegerSum);
                      }).problems() == "");
                for (const std::vector<std::int32_t>& result : data) {
                    CHECK(result == integer_sum(ranks, count));
                }
            }
        }
    }
}

TEST_CASE("a step of another call takes no longer than the logarithm of the ranks, whatever their cores")
{
    for (const int ranks : {17, 64, 100}) {
        for (const Placement& placement : {kNode, kCrowdedNode}) {
            CAPTURE(ranks, placement.more_ranks_than_cores);
            Settings settings;
            settings.placement = placement;
            std::vector<std::uint64_t> own(static_cast<std::size_t>(ranks));
            std::vector<std::vector<std::uint64_t>> all(own.size(), std::vector<std::uint64_t>(own.size()));
            for (std::size_t rank = 0; rank < own.size(); ++rank) {
                own[rank] = 7 * rank + 1;
            }
            const std::vector<std::uint64_t> expected = own;
            Report report = simulate(ranks, settings, [&](Group& group) {
                const auto rank = static_cast<std::size_t>(group.rank());
                return allgather_as(group, {.kind = CallKind::split},
                                    std::as_bytes(std::span(&own[rank], 1)).data(), bytes_of(all[rank]));
            });
            CHECK(report.problems() == "");
            CHECK(report.finish_ns() == ceil_log2(ranks));
            CHECK(std::ranges::all_of(all, [&](const auto& one) { return one == expected; }));

            report = simulate(ranks, settings, [&](Group& group) {
                const auto rank = static_cast<std::size_t>(group.rank());
                return broadcast_as(group, {.kind = CallKind::dup},
                                    std::as_writable_bytes(std::span(&own[rank], 1)), 3);
            });
            CHECK(report.problems() == "");
            CHECK(report.finish_ns() == ceil_log2(ranks));
            CHECK(own == std::vector<std::uint64_t>(own.size(), expected[3]));
        }
    }
    // With a board there are no messages.
    Settings settings = settings_for(SendMode::eager);
    settings.placement.one_node = settings.placement.more_ranks_than_cores = true;
    std::vector<std::vector<std::uint64_t>> all(32, std::vector<std::uint64_t>(32));
    const Report report = simulate(32, settings, [&](Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        return allgather_as(group, {.kind = CallKind::split}, bytes_of(all[rank]).subspan(8 * rank, 8).data(),
                            bytes_of(all[rank]));
    });
    CHECK(report.problems() == "");
    CHECK(report.messages_sent() == 0);
}

}  // namespace tutti::collectives::test
