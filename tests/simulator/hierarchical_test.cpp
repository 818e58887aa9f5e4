// Algorithms made of others: inside nodes and among their leaders, over many ways to deal ranks over nodes.
#include <algorithm>
#include <string>

#include "collectives/collectives.hpp"
#include "collectives/framework/nodes.hpp"
#include "tests/simulator/nodes_support.hpp"

namespace tutti::collectives::test {

namespace {

constexpr Placement kInside{.one_node = true};

/// Messages and bytes of a collective that is a phase of another.
struct Sent {
    std::size_t messages = 0;
    std::size_t bytes = 0;

    Sent operator+(const Sent& other) const { return {messages + other.messages, bytes + other.bytes}; }
    bool operator==(const Sent&) const = default;
};

Sent sent_by(int ranks, const Placement& placement, const simulator::Program& program)
{
    Settings settings;
    settings.placement = placement;
    const Report report = simulate(ranks, settings, program);
    REQUIRE(report.problems() == "");
    return {report.messages_sent(), report.bytes_sent()};
}

/// A phase inside every node.
template <class Make>
Sent inside(const NodeMap& nodes, Make make)
{
    Sent sum;
    for (int node = 0; node < nodes.count(); ++node) {
        const auto ranks = static_cast<int>(nodes.members(node).size());
        sum = sum + sent_by(ranks, kInside, make(node));
    }
    return sum;
}

void check_sent(const Report& report, const Sent& between, const Sent& inside_nodes)
{
    CHECK(report.messages_between_nodes() == between.messages);
    CHECK(report.bytes_between_nodes() == between.bytes);
    CHECK(Sent{report.messages_sent(), report.bytes_sent()} == between + inside_nodes);
}

// What a phase costs, with n bytes and the root that each node has: its values do not matter, so all ranks
// share them.
template <class RootOf>
auto reduce_of(std::size_t bytes, RootOf root_of)
{
    return [=](int node) -> simulator::Program {
        return [=](Group& group) {
            static std::vector<std::byte> shared(1 << 20);
            const ReduceOp op(reduction::Op::bor, reduction::DataType::int32);
            return reduce(group, shared.data(), {shared.data() + (1 << 19), bytes / 4, 4}, root_of(node), op);
        };
    };
}

template <class RootOf>
auto broadcast_of(std::size_t bytes, RootOf root_of)
{
    return [=](int node) -> simulator::Program {
        return [=](Group& group) {
            static std::vector<std::byte> shared(1 << 20);
            return broadcast(group, {shared.data(), bytes}, root_of(node));
        };
    };
}

constexpr auto kLowest = [](int) { return 0; };

/// The leader of each node, by its place there, where `root` leads its own.
auto leaders_with(const NodeMap& nodes, int root)
{
    return [&nodes, root](int node) {
        const std::span<const int> members = nodes.members(node);
        const auto place = std::ranges::find(members, root);
        return place != members.end() ? static_cast<int>(place - members.begin()) : 0;
    };
}

void check_reduce(const NodeMap& nodes, SendMode mode, int ranks, int root, std::size_t count)
{
    CAPTURE(root, count);
    const auto run = [&](auto operands, const ReduceOp& op, const auto& expected) {
        auto results = operands;
        const Report report = simulate(ranks, settings_over(nodes, mode), [&](Group& group) {
            const auto own = static_cast<std::size_t>(group.rank());
            const bool has_memory = group.rank() == root || group.rank() % 2 == 0;
            Buffer out = buffer_of(results[own]);
            if (!has_memory)
                out.data = nullptr;
            return reduce_hierarchical(group, bytes_of(operands[own]).data(), out, root, op);
        });
        REQUIRE(report.problems() == "");
        REQUIRE(results[static_cast<std::size_t>(root)] == expected);
        return report;
    };
    std::vector<std::vector<std::int32_t>> integers;
    std::vector<std::vector<Affine>> maps;
    for (int rank = 0; rank < ranks; ++rank) {
        integers.push_back(integer_operand(rank, count));
        maps.push_back(affine_operand(rank, count));
    }
    const Report report = run(integers, kIntegerSum, integer_sum(ranks, count));
    const std::size_t bytes = count * sizeof(std::int32_t);
    const auto root_node = [&](int) { return nodes.node_of(root); };
    check_sent(report, sent_by(nodes.count(), {}, reduce_of(bytes, root_node)(0)),
               inside(nodes, reduce_of(bytes, leaders_with(nodes, root))));
    if (nodes.in_rank_order())
        run(maps, kAffineThen, affine_result(ranks, count));
}

}  // namespace

TEST_CASE("nodes are numbered by their lowest ranks, and know whether their ranks follow each other")
{
    const std::vector<int> given{7, 3, 7, 5, 3};
    const NodeMap nodes{given};
    CHECK(nodes.count() == 3);
    CHECK(std::vector<int>(nodes.leaders().begin(), nodes.leaders().end()) == std::vector{0, 1, 3});
    CHECK(nodes.node_of(4) == 1);
    CHECK(std::vector<int>(nodes.members(0).begin(), nodes.members(0).end()) == std::vector{0, 2});
    CHECK(!nodes.in_rank_order());
    const NodeMap blocks = NodeMap::in_blocks(7, 3);
    CHECK(blocks.in_rank_order());
    CHECK(blocks.members(0).size() == 3);
    CHECK(blocks.members(2).front() == 5);
}

TEST_CASE("a hierarchical barrier holds all until the last has come, with few messages between nodes")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (int late = 0; late < ranks; late += 1 + ranks / 4) {
            Settings settings = settings_over(nodes, mode);
            settings.start_ns.assign(static_cast<std::size_t>(ranks), 0);
            settings.start_ns[static_cast<std::size_t>(late)] = 500;
            const Report report = simulate(ranks, settings, barrier_hierarchical);
            REQUIRE(report.problems() == "");
            for (const simulator::RankReport& rank : report.ranks)
                REQUIRE(rank.finish_ns >= 500);
            const auto count = static_cast<std::size_t>(nodes.count());
            check_sent(report, {count * static_cast<std::size_t>(ceil_log2(nodes.count())), 0},
                       {2 * (static_cast<std::size_t>(ranks) - count), 0});
        }
    });
}

TEST_CASE("a hierarchical broadcast brings the root's data to all, from every root")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (int root = 0; root < ranks; ++root) {
            for (const std::size_t count : kCounts) {
                CAPTURE(root, count);
                const std::vector<std::int32_t> expected = integer_operand(root, count);
                std::vector<std::vector<std::int32_t>> data(static_cast<std::size_t>(ranks),
                                                            std::vector<std::int32_t>(count, -1));
                data[static_cast<std::size_t>(root)] = expected;
                const Report report = simulate(ranks, settings_over(nodes, mode), [&](Group& group) {
                    return broadcast_hierarchical(
                        group, bytes_of(data[static_cast<std::size_t>(group.rank())]), root);
                });
                REQUIRE(report.problems() == "");
                for (const std::vector<std::int32_t>& own : data)
                    REQUIRE(own == expected);
                if (root % 4 == 0) {
                    const std::size_t bytes = count * sizeof(std::int32_t);
                    const auto root_node = [&](int) { return nodes.node_of(root); };
                    check_sent(report, sent_by(nodes.count(), {}, broadcast_of(bytes, root_node)(0)),
                               inside(nodes, broadcast_of(bytes, leaders_with(nodes, root))));
                }
            }
        }
    });
}

TEST_CASE("a hierarchical reduce combines at every root, in rank order where nodes allow it")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (int root = 0; root<ranks; root += ranks> 8 ? 3 : 1) {
            for (const std::size_t count : {0, 1, 3})
                check_reduce(nodes, mode, ranks, root, count);
        }
        check_reduce(nodes, mode, ranks, ranks / 2, 1001);
    });
}

TEST_CASE("a hierarchical allreduce gives all ranks the same, in rank order where nodes allow it")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (const std::size_t count : kCounts) {
            CAPTURE(count);
            const auto run = [&](auto operand_of, const ReduceOp& op, const auto& expected) {
                std::vector<std::remove_cvref_t<decltype(expected)>> in;
                for (int rank = 0; rank < ranks; ++rank)
                    in.push_back(operand_of(rank, count));
                auto out = in;
                const Report report = simulate(ranks, settings_over(nodes, mode), [&](Group& group) {
                    const auto own = static_cast<std::size_t>(group.rank());
                    auto& operand = group.rank() % 2 == 0 ? in[own] : out[own];  // apart, and in place
                    return allreduce_hierarchical(group, bytes_of(operand).data(), buffer_of(out[own]), op);
                });
                REQUIRE(report.problems() == "");
                for (const auto& own : out)
                    REQUIRE(own == expected);
                return report;
            };
            const Report report = run(integer_operand, kIntegerSum, integer_sum(ranks, count));
            const std::size_t bytes = count * sizeof(std::int32_t);
            const Sent between = sent_by(nodes.count(), {}, [&](Group& group) {
                static std::vector<std::byte> shared(1 << 20);
                const ReduceOp op(reduction::Op::bor, reduction::DataType::int32);
                return allreduce(group, shared.data(), {shared.data(), bytes / 4, 4}, op);
            });
            check_sent(
                report, between,
                inside(nodes, reduce_of(bytes, kLowest)) + inside(nodes, broadcast_of(bytes, kLowest)));
            if (nodes.in_rank_order())
                run(affine_operand, kAffineThen, affine_result(ranks, count));
        }
    });
}

TEST_CASE("a hierarchical allgather brings every block into each node once")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (const std::size_t block_bytes : {0, 1, 7, ranks == 5 ? 20'000 : 64}) {
            CAPTURE(block_bytes);
            const auto blocks = static_cast<std::size_t>(ranks);
            std::vector<std::byte> expected;
            for (std::size_t index = 0; index < blocks * block_bytes; ++index)
                expected.push_back(std::byte(index * 37 + index / block_bytes));
            std::vector<std::vector<std::byte>> all(blocks, std::vector<std::byte>(blocks * block_bytes));
            const Report report = simulate(ranks, settings_over(nodes, mode), [&](Group& group) {
                const auto rank = static_cast<std::size_t>(group.rank());
                const std::byte* const own = expected.data() + rank * block_bytes;
                if (rank % 2 == 0)
                    return allgather_hierarchical(group, own, all[rank]);
                std::byte* const place = all[rank].data() + rank * block_bytes;  // in place
                std::copy_n(own, block_bytes, place);
                return allgather_hierarchical(group, place, all[rank]);
            });
            REQUIRE(report.problems() == "");
            for (const std::vector<std::byte>& own : all)
                REQUIRE(own == expected);
            CHECK(report.bytes_between_nodes() ==
                  static_cast<std::size_t>(nodes.count() - 1) * blocks * block_bytes);
        }
    });
}

TEST_CASE("hierarchical algorithms over 4,096 ranks on 64 nodes")
{
    const NodeMap nodes = NodeMap::in_blocks(4096, 64);
    std::vector<std::vector<Affine>> maps;
    for (int rank = 0; rank < 4096; ++rank)
        maps.push_back(affine_operand(rank, 2));
    const Report report = simulate(4096, settings_over(nodes, SendMode::synchronous), [&](Group& group) {
        const Buffer own = buffer_of(maps[static_cast<std::size_t>(group.rank())]);
        return allreduce_hierarchical(group, own.data, own, kAffineThen);
    });
    REQUIRE(report.problems() == "");
    CHECK(report.messages_between_nodes() == 64 * 6);
    const std::vector<Affine> expected = affine_result(4096, 2);
    for (const std::vector<Affine>& own : maps)
        REQUIRE(own == expected);
    CHECK(simulate(4096, settings_over(nodes, SendMode::eager), barrier_hierarchical).finish_ns() == 18);
}

}  // namespace tutti::collectives::test
