// Hierarchical collectives that move blocks, over many ways to deal ranks over nodes: every block at its
// place, nothing else touched, and between nodes only what has to go there, in as few messages.
#include <set>

#include "collectives/framework/functions.hpp"
#include "tests/simulator/blocks_support.hpp"
#include "tests/simulator/nodes_support.hpp"

namespace tutti::collectives::test {

namespace {

std::set<int> some_roots(int ranks)
{
    return {0, ranks / 2, ranks - 1};
}

std::size_t messages_to_one(const NodeMap& nodes)
{
    return static_cast<std::size_t>(nodes.count() - 1);
}

/// Of the blocks of other nodes than the root's.
std::size_t bytes_of_others(const NodeMap& nodes, int root, const Places& places)
{
    std::size_t bytes = 0;
    for (std::size_t rank = 0; rank < places.sizes.size(); ++rank)
        bytes += nodes.node_of(static_cast<int>(rank)) != nodes.node_of(root) ? places.sizes[rank] : 0;
    return bytes;
}

void check_to_or_from_root(const Report& report, const NodeMap& nodes, int root, const Places& places)
{
    REQUIRE(report.problems() == "");
    CHECK(report.messages_between_nodes() == messages_to_one(nodes));
    CHECK(report.bytes_between_nodes() == bytes_of_others(nodes, root, places));
}

/// Runs gather(group, own, memory of all) with the root's own block in place at odd roots.
template <class Gathering>
void check_gathering(const NodeMap& nodes, SendMode mode, int root, const Places& places, Gathering gathering)
{
    const auto ranks = static_cast<int>(places.sizes.size());
    CAPTURE(root, places.sizes, places.offsets);
    Memory expected = places.untouched();
    Memory all = places.untouched();
    std::vector<Memory> own;
    for (int rank = 0; rank < ranks; ++rank) {
        fill(places.in(expected)[rank], rank, root);
        own.push_back(block_of(rank, root, places.sizes[static_cast<std::size_t>(rank)]));
    }
    const bool in_place = root % 2 == 1;
    if (in_place)
        fill(places.in(all)[root], root, root);
    const Report report = simulate(ranks, settings_over(nodes, mode), [&](Group& group) {
        const bool is_root = group.rank() == root;
        const std::span<const std::byte> block =
            is_root && in_place ? places.in(all)[root]
                                : std::span<std::byte>(own[static_cast<std::size_t>(group.rank())]);
        return gathering(group, block, is_root ? all.data() : nullptr);
    });
    check_to_or_from_root(report, nodes, root, places);
    REQUIRE(all == expected);
}

/// Runs scatter(group, memory of all, own) with the root's own block in place at odd roots.
template <class Scattering>
void check_scattering(const NodeMap& nodes, SendMode mode, int root, const Places& places,
                      Scattering scattering)
{
    const auto ranks = static_cast<int>(places.sizes.size());
    CAPTURE(root, places.sizes, places.offsets);
    Memory all = places.untouched();
    std::vector<Memory> expected;
    std::vector<Memory> own;
    for (int rank = 0; rank < ranks; ++rank) {
        fill(places.in(all)[rank], root, rank);
        expected.push_back(block_of(root, rank, places.sizes[static_cast<std::size_t>(rank)]));
        own.emplace_back(places.sizes[static_cast<std::size_t>(rank)], kUntouched);
    }
    const Memory before = all;
    const bool in_place = root % 2 == 1;
    if (in_place)
        expected[static_cast<std::size_t>(root)] = own[static_cast<std::size_t>(root)];
    const Report report = simulate(ranks, settings_over(nodes, mode), [&](Group& group) {
        const bool is_root = group.rank() == root;
        const std::span<std::byte> block = is_root && in_place
                                               ? places.in(all)[root]
                                               : std::span(own[static_cast<std::size_t>(group.rank())]);
        return scattering(group, is_root ? all.data() : nullptr, block);
    });
    check_to_or_from_root(report, nodes, root, places);
    REQUIRE(own == expected);
    REQUIRE(all == before);
}

/// Calls check(places) for unequal blocks in every order.
template <class Check>
void for_unequal_places(int ranks, Check check)
{
    for (const std::vector<std::size_t>& sizes : kinds_of_sizes(ranks)) {
        for (const Order order : kOrders)
            check(Places(sizes, order));
    }
}

template <class T>
std::vector<std::vector<T>> operands(int ranks, std::size_t count,
                                     std::vector<T> (*operand)(int rank, std::size_t count))
{
    std::vector<std::vector<T>> all;
    for (int rank = 0; rank < ranks; ++rank)
        all.push_back(operand(rank, count));
    return all;
}

template <class T>
Report check_reduce_scatter(const NodeMap& nodes, SendMode mode, const std::vector<std::size_t>& counts,
                            const ReduceOp& op, std::vector<T> (*operand)(int rank, std::size_t count),
                            const std::vector<T>& result)
{
    const auto ranks = static_cast<int>(counts.size());
    auto in = operands(ranks, result.size(), operand);
    std::vector<std::vector<T>> out;
    for (const std::size_t count : counts)
        out.emplace_back(count);
    const Partition blocks = Partition::of_counts(counts);
    const Report report = simulate(ranks, settings_over(nodes, mode), [&](Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        return reduce_scatter_hierarchical(group, bytes_of(in[rank]).data(), blocks, buffer_of(out[rank]),
                                           op);
    });
    REQUIRE(report.problems() == "");
    std::vector<T> joined;
    for (const std::vector<T>& own : out)
        joined.insert(joined.end(), own.begin(), own.end());
    REQUIRE(joined == result);
    REQUIRE(in == operands(ranks, result.size(), operand));
    return report;
}

/// scan where `least` is 1, exscan where it is 0.
template <class T>
void check_scan(const NodeMap& nodes, SendMode mode, int ranks, std::size_t count, int least,
                const ReduceOp& op, std::vector<T> (*operand)(int rank, std::size_t count),
                std::vector<T> (*result)(int ranks, std::size_t count))
{
    for (const bool in_place : {false, true}) {
        CAPTURE(count, in_place, least);
        auto in = operands(ranks, count, operand);
        auto out = in_place ? in : std::vector(in.size(), operand(99, count));
        const Report report = simulate(ranks, settings_over(nodes, mode), [&](Group& group) {
            const auto rank = static_cast<std::size_t>(group.rank());
            const std::byte* const from = bytes_of(in_place ? out[rank] : in[rank]).data();
            return least == 1 ? scan_hierarchical(group, from, buffer_of(out[rank]), op)
                              : exscan_hierarchical(group, from, buffer_of(out[rank]), op);
        });
        REQUIRE(report.problems() == "");
        for (int rank = 0; rank < ranks; ++rank) {
            const std::vector<T>& own = out[static_cast<std::size_t>(rank)];
            if (rank + least == 0)
                REQUIRE(own == operand(in_place ? 0 : 99, count));
            else
                REQUIRE(own == result(rank + least, count));
        }
        constexpr std::size_t kMessages[] = {0, 0, 1, 3, 5};  // of the exscan over the leaders
        CHECK(report.messages_between_nodes() == kMessages[nodes.count()]);
    }
}

}  // namespace

TEST_CASE("a hierarchical gather brings every block to every root, those of a node as one message")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (const int root : some_roots(ranks)) {
            for (const std::size_t block_bytes : {0, 3, ranks == 5 ? 20'000 : 64})
                check_gathering(nodes, mode, root, equal_places(ranks, block_bytes),
                                [root](Group& group, std::span<const std::byte> own, std::byte* all) {
                                    return gather_hierarchical(group, own, all, root);
                                });
        }
    });
}

TEST_CASE("a hierarchical gatherv takes blocks of any sizes and places, which the root alone knows")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (const int root : some_roots(ranks)) {
            for_unequal_places(ranks, [&](const Places& places) {
                check_gathering(nodes, mode, root, places,
                                [&](Group& group, std::span<const std::byte> own, std::byte* all) {
                                    const bool knows = group.rank() == root;
                                    return gatherv_hierarchical(
                                        group, own,
                                        knows ? Blocks{all, places.sizes, places.offsets} : Blocks{}, root);
                                });
            });
        }
    });
}

TEST_CASE("a hierarchical scatter brings every rank its block, those of a node as one message")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (const int root : some_roots(ranks)) {
            for (const std::size_t block_bytes : {0, 3, ranks == 5 ? 20'000 : 64})
                check_scattering(nodes, mode, root, equal_places(ranks, block_bytes),
                                 [root](Group& group, const std::byte* all, std::span<std::byte> own) {
                                     return scatter_hierarchical(group, all, own, root);
                                 });
        }
    });
}

TEST_CASE("a hierarchical scatterv takes blocks of any sizes and places, which the root alone knows")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (const int root : some_roots(ranks)) {
            for_unequal_places(ranks, [&](const Places& places) {
                check_scattering(
                    nodes, mode, root, places,
                    [&](Group& group, const std::byte* all, std::span<std::byte> own) {
                        const bool knows = group.rank() == root;
                        return scatterv_hierarchical(
                            group, knows ? ConstBlocks{all, places.sizes, places.offsets} : ConstBlocks{},
                            own, root);
                    });
            });
        }
    });
}

TEST_CASE("a hierarchical allgatherv brings every block into each node once, wherever it lies there")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for_unequal_places(ranks, [&](const Places& places) {
            CAPTURE(places.sizes, places.offsets);
            Memory expected = places.untouched();
            std::vector<Memory> all(static_cast<std::size_t>(ranks), expected);
            std::vector<Memory> own;
            for (int rank = 0; rank < ranks; ++rank) {
                fill(places.in(expected)[rank], rank, kAll);
                own.push_back(block_of(rank, kAll, places.sizes[static_cast<std::size_t>(rank)]));
                if (rank % 2 == 1)  // in place
                    fill(places.in(all[static_cast<std::size_t>(rank)])[rank], rank, kAll);
            }
            const Report report = simulate(ranks, settings_over(nodes, mode), [&](Group& group) {
                const auto rank = static_cast<std::size_t>(group.rank());
                const std::byte* const from =
                    rank % 2 == 1 ? places.in(all[rank])[group.rank()].data() : own[rank].data();
                return allgatherv_hierarchical(group, from, places.in(all[rank]));
            });
            REQUIRE(report.problems() == "");
            for (const Memory& memory : all)
                REQUIRE(memory == expected);
            CHECK(report.bytes_between_nodes() == messages_to_one(nodes) * places.total_bytes());
        });
    });
}

TEST_CASE("a hierarchical reduce-scatter leaves every rank its block, in rank order where nodes allow it")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        const auto size = static_cast<std::size_t>(ranks);
        std::vector<std::size_t> unequal(size);
        for (std::size_t rank = 0; rank < size; ++rank)
            unequal[rank] = rank * 5 % 7;
        for (const std::vector<std::size_t>& counts :
             {std::vector<std::size_t>(size, 0), std::vector<std::size_t>(size, 2), unequal}) {
            CAPTURE(counts);
            const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
            const Report report = check_reduce_scatter(nodes, mode, counts, kIntegerSum, integer_operand,
                                                       integer_sum(ranks, all));
            if (nodes.count() != 3)
                CHECK(report.bytes_between_nodes() == messages_to_one(nodes) * all * sizeof(std::int32_t));
            if (nodes.in_rank_order())
                check_reduce_scatter(nodes, mode, counts, kAffineThen, affine_operand,
                                     affine_result(ranks, all));
        }
    });
}

TEST_CASE("hierarchical scans combine in rank order, and pass a node's sum on once")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        if (!nodes.in_rank_order())
            return;
        for (const int least : {0, 1}) {
            for (const std::size_t count : {0, 1, 1001}) {
                check_scan(nodes, mode, ranks, count, least, kIntegerSum, integer_operand, integer_sum);
                check_scan(nodes, mode, ranks, count, least, kAffineThen, affine_operand, affine_result);
            }
        }
    });
}

}  // namespace tutti::collectives::test
