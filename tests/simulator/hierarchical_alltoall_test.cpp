// All-to-all of equal blocks, hierarchical and by lanes, over many ways to deal ranks over nodes: every block
// at its place, nothing else touched, and between nodes no more messages than the algorithm says.
#include "collectives/framework/functions.hpp"
#include "tests/simulator/blocks_support.hpp"
#include "tests/simulator/nodes_support.hpp"

namespace tutti::collectives::test {

namespace {

/// `messages`: from node to node.
void check_alltoall(Task (*run)(Group&, const std::byte*, std::span<std::byte>), const NodeMap& nodes,
                    SendMode mode, int ranks, std::size_t block_bytes, std::size_t messages)
{
    CAPTURE(block_bytes);
    const Places places = equal_places(ranks, block_bytes);
    std::vector<Memory> in(static_cast<std::size_t>(ranks), places.untouched());
    std::vector<Memory> out = in;
    std::vector<Memory> expected = in;
    std::size_t bytes_between = 0;
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            fill(places.in(in[static_cast<std::size_t>(from)])[to], from, to);
            fill(places.in(expected[static_cast<std::size_t>(to)])[from], from, to);
            bytes_between += nodes.node_of(from) != nodes.node_of(to) ? block_bytes : 0;
        }
    }
    const std::vector<Memory> before = in;
    const Report report = simulate(ranks, settings_over(nodes, mode), [&](Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        return run(group, in[rank].data(), out[rank]);
    });
    REQUIRE(report.problems() == "");
    REQUIRE(all_equal(out, expected));
    REQUIRE(all_equal(in, before));
    CHECK(report.messages_between_nodes() == messages);
    CHECK(report.bytes_between_nodes() == bytes_between);
}

void check_hierarchical_alltoall(const NodeMap& nodes, SendMode mode, int ranks, std::size_t block_bytes)
{
    check_alltoall(alltoall_hierarchical, nodes, mode, ranks, block_bytes,
                   static_cast<std::size_t>(nodes.count() * (nodes.count() - 1)));
}

void check_alltoall_by_lanes(const NodeMap& nodes, SendMode mode, int ranks, std::size_t block_bytes)
{
    std::size_t messages = static_cast<std::size_t>(ranks * (nodes.count() - 1));
    if (!nodes.equal()) {
        messages = 0;
        for (int rank = 0; rank < ranks; ++rank)
            messages += static_cast<std::size_t>(ranks) - nodes.members(nodes.node_of(rank)).size();
    }
    check_alltoall(alltoall_lanes, nodes, mode, ranks, block_bytes, messages);
}

}  // namespace

TEST_CASE("a hierarchical all-to-all sends one message from node to node")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (const std::size_t block_bytes : {0, 1, 300, 4099})
            check_hierarchical_alltoall(nodes, mode, ranks, block_bytes);
    });
}

TEST_CASE("a hierarchical all-to-all of long blocks, also of odd sizes")
{
    const SendMode mode = GENERATE(from_range(std::begin(kModes), std::end(kModes)));
    const std::vector<int> node_of =
        GENERATE(std::vector{0, 0, 1, 1}, std::vector{0, 1, 0, 1}, std::vector{0, 1, 1, 2, 2, 2});
    const NodeMap nodes(node_of);
    for (const std::size_t block_bytes : {4095, 4096, 16'385, 65'537, 200'001})
        check_hierarchical_alltoall(nodes, mode, static_cast<int>(node_of.size()), block_bytes);
}

TEST_CASE("a hierarchical all-to-all over more nodes than exchange at a time")
{
    const SendMode mode = GENERATE(from_range(std::begin(kModes), std::end(kModes)));
    const int count = GENERATE(64, 65, 66, 130);
    CAPTURE(count);
    // Every third node has two ranks, the second of which come behind all others.
    std::vector<int> node_of;
    for (int node = 0; node < count; ++node)
        node_of.push_back(node);
    for (int node = 0; node < count; node += 3)
        node_of.push_back(node);
    check_hierarchical_alltoall(NodeMap(node_of), mode, static_cast<int>(node_of.size()), 3);
}

TEST_CASE("an all-to-all by lanes sends one message from each rank to the node of each other")
{
    everywhere([](SendMode mode, int ranks, const NodeMap& nodes) {
        for (const std::size_t block_bytes : {0, 1, 300, 4099})
            check_alltoall_by_lanes(nodes, mode, ranks, block_bytes);
    });
}

TEST_CASE(
    "an all-to-all by lanes of long blocks, where ranks are dealt in turn and where nodes are unequal, too")
{
    const SendMode mode = GENERATE(from_range(std::begin(kModes), std::end(kModes)));
    const std::vector<int> node_of =
        GENERATE(std::vector{0, 0, 1, 1}, std::vector{0, 1, 0, 1}, std::vector{2, 0, 1, 1, 2, 0},
                 std::vector{0, 0, 0, 1, 1, 1}, std::vector{0, 1, 1, 2, 2, 2});
    const NodeMap nodes(node_of);
    for (const std::size_t block_bytes : {4095, 65'537, 200'001})
        check_alltoall_by_lanes(nodes, mode, static_cast<int>(node_of.size()), block_bytes);
}

}  // namespace tutti::collectives::test
