// The hierarchical all-to-all of unequal blocks, over many ways to deal ranks over nodes: every block at its
// place, nothing else touched, and between nodes one message for each rank and node, and one for a long
// block.
#include "collectives/framework/functions.hpp"
#include "tests/simulator/exchange_support.hpp"
#include "tests/simulator/nodes_support.hpp"

namespace tutti::collectives::test {

namespace {

/// Many of them just as long as what is carried, or a byte longer.
std::size_t some_long(int from, int to)
{
    return static_cast<std::size_t>(from * 3 + to * 7) % 4 * 2 + kLongestCarried - 3;
}

std::size_t from_one_to_one(int from, int to)
{
    return from == 3 && to == 6 ? 9 : 0;
}

struct Between {
    std::size_t messages = 0;
    std::size_t bytes = 0;
};

/// What has to go from node to node.
Between between(const NodeMap& nodes, const Exchange& exchange)
{
    Between sum;
    for (int from = 0; from < exchange.ranks(); ++from) {
        sum.messages += static_cast<std::size_t>(nodes.count() - 1);
        for (int to = 0; to < exchange.ranks(); ++to) {
            const std::size_t bytes =
                exchange.in[static_cast<std::size_t>(from)].sizes[static_cast<std::size_t>(to)];
            const bool crosses = nodes.node_of(from) != nodes.node_of(to);
            sum.bytes += crosses ? bytes : 0;
            sum.messages += crosses && bytes > kLongestCarried ? 1 : 0;
        }
    }
    return sum;
}

/// Inside nodes: to each other rank the sizes, what it carries, and its own block.
std::size_t messages_inside(const NodeMap& nodes)
{
    std::size_t messages = 0;
    for (int node = 0; node < nodes.count(); ++node) {
        const std::size_t ranks = nodes.members(node).size();
        messages += 3 * ranks * (ranks - 1);
    }
    return messages;
}

void check(const Settings& settings, const NodeMap& nodes, const Exchange& exchange)
{
    const Report report =
        check_exchange(settings, exchange, [&](Group& group, const Memory& in, Memory& out) {
            const auto rank = static_cast<std::size_t>(group.rank());
            return alltoallv_hierarchical(group, exchange.in[rank].in(in), exchange.out[rank].in(out));
        });
    const Between expected = between(nodes, exchange);
    CHECK(report.messages_between_nodes() == expected.messages);
    CHECK(report.bytes_between_nodes() == expected.bytes);
    CHECK(report.messages_sent() == expected.messages + messages_inside(nodes));
}

}  // namespace

TEST_CASE("a hierarchical alltoallv carries short blocks in one message for each rank and node")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        const Order order = kOrders[ranks % 3];
        for (const auto size_bytes : {short_blocks, from_one_to_one, no_bytes})
            check(settings_over(nodes, mode), nodes, Exchange(ranks, order, size_bytes));
    });
}

TEST_CASE("a hierarchical alltoallv sends long blocks straight, and each pair of ranks knows which are long")
{
    for (const SendMode mode : kModes) {
        for (const int ranks : {2, 5, 8, 11}) {
            for (const NodeMap& nodes : ways_to_deal(ranks)) {
                CAPTURE(text_of(nodes, ranks));
                check(settings_over(nodes, mode), nodes, Exchange(ranks, Order::gaps, some_long));
            }
        }
    }
}

TEST_CASE("a hierarchical alltoallv over more ranks than exchange their long blocks at a time")
{
    const NodeMap nodes = NodeMap::in_blocks(150, 9);
    const auto few_long = [](int from, int to) {
        return (from + to) % 50 == 0 ? kLongestCarried + 1 : short_blocks(from, to);
    };
    for (const SendMode mode : kModes)
        check(settings_over(nodes, mode), nodes, Exchange(150, Order::packed, few_long));
}

TEST_CASE("a hierarchical alltoallv of ranks that count differently is an error, not a hang")
{
    const NodeMap nodes = NodeMap::in_blocks(5, 2);
    const Exchange exchange(5, Order::packed, [](int, int) { return std::size_t{3}; });
    // Rank 4 is on node 1: a block of its own node, a carried one, and one that it takes for long.
    for (const auto& [from, size_bytes] :
         {std::pair{3, 0}, std::pair{1, 0}, std::pair{1, 4}, std::pair{2, 5000}}) {
        CAPTURE(from, size_bytes);
        Places wrong = exchange.out[4];
        wrong.sizes[static_cast<std::size_t>(from)] = static_cast<std::size_t>(size_bytes);
        wrong.memory_bytes += 5000;
        const std::vector<Memory> in = filled(exchange.in, false);
        std::vector<Memory> out = given(exchange.out);
        out[4] = wrong.untouched();
        const Report report = simulate(5, settings_over(nodes, SendMode::eager), [&](Group& group) {
            const auto rank = static_cast<std::size_t>(group.rank());
            const Places& places = rank == 4 ? wrong : exchange.out[rank];
            return alltoallv_hierarchical(group, exchange.in[rank].in(in[rank]), places.in(out[rank]));
        });
        CHECK_THAT(report.problems(), Catch::Contains("both sides must use the same count"));
    }
}

}  // namespace tutti::collectives::test
