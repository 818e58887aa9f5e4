#include "collectives/framework/functions.hpp"

#include "collectives/choice/algorithms.hpp"
#include "collectives/framework/patterns.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

namespace {

struct BroadcastCost {
    Cost cost;
    std::size_t bytes;
};

/// Of the ring of scatter_allgather: how many messages, and bytes, bring blocks that their receivers lack.
/// Counted from the root.
Cost ring_messages(int ranks, std::size_t size_bytes, std::size_t& bytes)
{
    std::size_t messages = 0;
    for (int receiver = 0; receiver < ranks; ++receiver) {
        const int end = patterns::BinomialTree(receiver, 0, ranks).subtree_end();
        for (int index = 0; index < ranks; ++index) {
            if (index < receiver || index >= end) {
                ++messages;
                bytes += patterns::block(size_bytes, static_cast<std::size_t>(ranks),
                                         static_cast<std::size_t>(index))
                             .count;
            }
        }
        if (receiver > 0) {
            // The scatter's own message.
            ++messages;
            const auto parts = static_cast<std::size_t>(ranks);
            const auto first = static_cast<std::size_t>(receiver);
            const std::size_t stop =
                end == ranks ? size_bytes
                             : patterns::block(size_bytes, parts, static_cast<std::size_t>(end)).first;
            bytes += stop - patterns::block(size_bytes, parts, first).first;
        }
    }
    return {ranks > 1 ? ceil_log2(ranks) + ranks - 1 : 0, kNotPromised, messages};
}

/// When the last rank below `rank`, which has the data after step `step`, has them too, and the deepest path.
/// Children are sent to in turn, the last one first where `last_first`.
struct Reach {
    int steps = 0;
    int depth = 0;
};

template <class Tree>
Reach reach(const Tree& tree_of, int rank, int step, bool last_first)
{
    Reach farthest{step, 0};
    const auto tree = tree_of(rank);
    for (int sent = 1; sent <= tree.child_count(); ++sent) {
        const int child = tree.child(last_first ? tree.child_count() - sent : sent - 1);
        const Reach below = reach(tree_of, child, step + sent, last_first);
        farthest = {std::max(farthest.steps, below.steps), std::max(farthest.depth, below.depth + 1)};
    }
    return farthest;
}

BroadcastCost broadcast_cost(std::string_view algorithm, int ranks, std::size_t size_bytes,
                      std::size_t segment_bytes)
{
    if (algorithm == "shared")
        return {};
    const auto others = static_cast<std::size_t>(ranks - 1);
    if (algorithm == "flat") {
        return {{ranks - 1, ranks > 1 ? 1 : 0, others}, others * size_bytes};
    }
    if (algorithm == "binomial") {
        return {{ceil_log2(ranks), floor_log2(ranks), others}, others * size_bytes};
    }
    if (algorithm == "knomial") {
        const auto tree = [&](int rank) { return patterns::KnomialTree(rank, 0, ranks, 4); };
        const Reach all = reach(tree, 0, 0, true);
        return {{all.steps, all.depth, others}, others * size_bytes};
    }
    const std::size_t segments = size_bytes == 0 ? 1 : (size_bytes + segment_bytes - 1) / segment_bytes;
    if (algorithm == "binary_tree") {
        const auto tree = [&](int rank) { return patterns::BinaryTree(rank, 0, ranks); };
        const Reach first = reach(tree, 0, 0, false);
        const int each = std::min(ranks - 1, 2);
        return {{first.steps + each * (static_cast<int>(segments) - 1), first.depth, segments * others},
                others * size_bytes};
    }
    if (algorithm == "chain") {
        const int steps = ranks > 1 ? static_cast<int>(segments) + ranks - 2 : 0;
        return {{steps, ranks - 1, segments * others}, others * size_bytes};
    }
    BroadcastCost ring{};
    ring.cost = ring_messages(ranks, size_bytes, ring.bytes);
    return ring;
}

void check(const Algorithm<Broadcast::Function>& algorithm, SendMode mode, int ranks, int root,
           std::size_t count)
{
    CAPTURE(algorithm.name, static_cast<int>(mode), ranks, root, count);
    const std::vector<std::int32_t> expected = integer_operand(root, count);
    std::vector<std::vector<std::int32_t>> data(static_cast<std::size_t>(ranks));
    for (std::vector<std::int32_t>& own : data) {
        own.assign(count, -1);
    }
    data[static_cast<std::size_t>(root)] = expected;
    const std::size_t size_bytes = count * sizeof(std::int32_t);
    const std::size_t segment_bytes = size_bytes < 100 ? 5 : 1000;

    const Report report = simulate(ranks, settings_for(mode), [&](Group& group) {
        return algorithm.run(group, bytes_of(data[static_cast<std::size_t>(group.rank())]), root,
                             segment_bytes);
    });
    REQUIRE(report.problems() == "");
    for (const std::vector<std::int32_t>& own : data) {
        REQUIRE(own == expected);
    }
    const BroadcastCost promised = broadcast_cost(algorithm.name, ranks, size_bytes, segment_bytes);
    check_cost_of_all_bytes(report, promised.cost, promised.bytes);
}

}  // namespace

TEST_CASE("every broadcast brings the root's data to all, from every root")
{
    for (const Algorithm<Broadcast::Function>& algorithm : on_one_node<Broadcast>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= 17; ++ranks) {
                for (int root = 0; root < ranks; ++root) {
                    for (const std::size_t count : kCounts) {
                        check(algorithm, mode, ranks, root, count);
                    }
                }
            }
        }
    }
}

TEST_CASE("a broadcast to many ranks")
{
    for (const Algorithm<Broadcast::Function>& algorithm : on_one_node<Broadcast>()) {
        check(algorithm, SendMode::eager, 64, 63, 17);
        // The ring of scatter_allgather has a message a pair of ranks.
        check(algorithm, SendMode::synchronous, algorithm.name == "scatter_allgather" ? 100 : 1000, 51, 17);
    }
}

TEST_CASE("the root of a binomial broadcast sends a message a step")
{
    std::vector<std::byte> data(8);
    const Report report = simulate(1000, settings_for(SendMode::eager),
                                   [&](Group& group) { return broadcast_binomial(group, data, 3); });
    CHECK(report.ranks[3].messages_sent == 10);
}

}  // namespace tutti::collectives::test
