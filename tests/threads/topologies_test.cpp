// Grids and graphs, and exchanges between neighbours, in all forms.
#include <algorithm>
#include <array>

#include "tests/threads/blocks_support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr std::size_t kSide = 3;  // elements of a block

// A grid of all ranks in two dimensions, the first of them periodic.
CartesianCommunicator tube(const Communicator& world)
{
    return *world.create_cartesian(balanced_dims(world.size(), 2), {true, false});
}

// Tells a rank's block for one of its sides from all others.
std::vector<int> side_block(int rank, std::size_t side, int round)
{
    return numbers(rank, 10 * round + static_cast<int>(side), kSide);
}

void append(std::vector<int>& to, const std::vector<int>& values)
{
    to.insert(to.end(), values.begin(), values.end());
}

std::vector<int> blocks_out(const NeighborCommunicator& grid, int round)
{
    std::vector<int> out;
    for (std::size_t side = 0; side < grid.neighbors().destinations.size(); ++side)
        append(out, side_block(grid.rank(), side, round));
    return out;
}

// What comes from one side was sent to the opposite one.
std::vector<int> blocks_in(const NeighborCommunicator& grid, int round)
{
    std::vector<int> in;
    for (std::size_t side = 0; side < grid.neighbors().sources.size(); ++side) {
        const int source = grid.neighbors().sources[side];
        append(in, source == null_rank ? std::vector<int>(kSide, kUntouched)
                                       : side_block(source, side ^ 1, round));
    }
    return in;
}

}  // namespace

TEST_CASE("a grid's coordinates, neighbours and shifts; ranks beyond it are in none")
{
    at_size(7, [](const Communicator& world) {
        const std::optional<CartesianCommunicator> made = world.create_cartesian({2, 3}, {false, true});
        expect(made.has_value() == (world.rank() < 6));
        if (!made)
            return;
        const CartesianCommunicator& grid = *made;
        expect(grid.size() == 6 && grid.rank() == world.rank());
        expect(grid.dims() == std::vector{2, 3} && grid.periods() == std::vector{false, true});
        const std::vector<int> here = grid.coordinates();
        expect(here == std::vector{world.rank() / 3, world.rank() % 3});
        expect(grid.rank_at(here) == grid.rank());
        expect(grid.rank_at(std::array{-1, 0}) == null_rank);
        expect(grid.rank_at(std::array{1, 4}) == 4);
        const Shift rows = grid.shift(0);
        expect(rows.source == (here[0] == 0 ? null_rank : grid.rank() - 3));
        expect(rows.destination == (here[0] == 1 ? null_rank : grid.rank() + 3));
        const Shift columns = grid.shift(1, -2);
        expect(columns.source == grid.rank_at(std::array{here[0], here[1] + 2}));
        expect(columns.destination == grid.rank_at(std::array{here[0], here[1] - 2}));
        const Neighbors neighbors = grid.neighbors();
        expect(neighbors.sources.size() == 4 &&
               std::ranges::equal(neighbors.sources, neighbors.destinations));
        expect(neighbors.sources[0] == rows.source && neighbors.sources[1] == rows.destination);
        expect(neighbors.sources[2] == grid.shift(1).source &&
               neighbors.sources[3] == grid.shift(1).destination);

        // It is a communicator of its own.
        int count = 1;
        grid.allreduce(count, tutti::sum);
        expect(count == 6);
    });
}

TEST_CASE("rows, columns and planes of a grid are grids")
{
    at_size(12, [](const Communicator& world) {
        const CartesianCommunicator grid = *world.create_cartesian({2, 3, 2}, {false, true, false});
        const std::vector<int> here = grid.coordinates();
        const CartesianCommunicator line = grid.sub({false, true, false});
        expect(line.dims() == std::vector{3} && line.periods() == std::vector{true});
        expect(line.rank() == here[1] && line.size() == 3);
        expect(line.shift(0).destination == (here[1] + 1) % 3);
        std::vector<int> members(3);
        line.allgather(world.rank(), members);
        for (int place = 0; place < 3; ++place)
            expect(members[static_cast<std::size_t>(place)] ==
                   grid.rank_at(std::array{here[0], place, here[2]}));

        const CartesianCommunicator plane = grid.sub({true, false, true});
        expect(plane.dims() == std::vector{2, 2} && plane.coordinates() == std::vector{here[0], here[2]});
        const CartesianCommunicator same = grid.sub({true, true, true});
        expect(same.rank() == grid.rank() && same.dims() == grid.dims());
        expect_error(ErrorCode::invalid_argument, "3 dimensions, 0 of them true", [&] {
            grid.sub({false, false, false});
        });
        expect_error(ErrorCode::invalid_argument, "2 values for 3 dimensions", [&] {
            grid.sub({true, true});
        });
    });
}

TEST_CASE("on one node a grid's ranks are as they were, reordered or not")
{
    at_size(6, [](const Communicator& world) {
        const CartesianCommunicator grid = *world.create_cartesian({2, 3}, {}, {.reorder = true});
        expect(grid.rank() == world.rank());
    });
}

TEST_CASE("neighbours of a grid exchange blocks in all forms, and borders are left alone")
{
    at_all_sizes([](const Communicator& world) {
        const CartesianCommunicator grid = tube(world);
        const std::vector<int> untouched(4 * kSide, kUntouched);
        std::vector<int> in = blocks_out(grid, 0);
        std::vector<int> out = untouched;
        grid.neighbor_alltoall(in, out);
        expect(out == blocks_in(grid, 0));
        out = untouched;
        grid.ineighbor_alltoall(in, out).wait();
        expect(out == blocks_in(grid, 0));

        PersistentRequest exchange = grid.neighbor_alltoall_init(in, out);
        for (const int round : {1, 2, 3}) {
            std::ranges::copy(blocks_out(grid, round), in.begin());
            std::ranges::fill(out, kUntouched);
            exchange.start();
            exchange.wait();
            expect(out == blocks_in(grid, round));
        }

        const std::vector<int> own = numbers(grid.rank(), 5, kSide);
        std::vector<int> expected;
        for (const int source : grid.neighbors().sources)
            append(expected,
                   source == null_rank ? std::vector<int>(kSide, kUntouched) : numbers(source, 5, kSide));
        for (const int form : {0, 1, 2}) {
            out = untouched;
            if (form == 0) {
                grid.neighbor_allgather(own, out);
            } else if (form == 1) {
                grid.ineighbor_allgather(own, out).wait();
            } else {
                PersistentRequest gather = grid.neighbor_allgather_init(own, out);
                gather.start();
                gather.wait();
            }
            expect(out == expected, "form " + std::to_string(form));
        }
    });
}

TEST_CASE("unequal blocks between the neighbours of a ring, at any places, and out of layouts")
{
    at_all_sizes([](const Communicator& world) {
        const CartesianCommunicator ring = *world.create_cartesian({world.size()}, {true});
        const int below = left_of(world);
        const int above = right_of(world);
        const auto size_of = [](int rank, int side) {
            return static_cast<std::size_t>(rank % 4) + (side == 0 ? 0 : 2);
        };
        // Down goes the first block; what comes from below was sent up.
        const Counts sent{size_of(world.rank(), 0), size_of(world.rank(), 1)};
        const Counts received{size_of(below, 1), size_of(above, 0)};
        const Counts places{received[1] + 1, 0};  // the other way round, with a gap
        std::vector<int> in = numbers(world.rank(), 0, sent[0]);
        append(in, numbers(world.rank(), 1, sent[1]));
        std::vector<int> expected = numbers(above, 0, received[1]);
        expected.push_back(kUntouched);
        append(expected, numbers(below, 1, received[0]));

        std::vector<int> out(expected.size(), kUntouched);
        ring.neighbor_alltoallv(in, sent, out, {received, places});
        expect(out == expected);

        std::vector<int> spread(2 * in.size() + 1);
        for (std::size_t i = 0; i < in.size(); ++i)
            spread[2 * i] = in[i];
        const LayoutView<int> layout = strided(spread.data(), in.size(), 1, 2);
        std::ranges::fill(out, kUntouched);
        PersistentRequest exchange = ring.neighbor_alltoallv_init(layout, sent, out, {received, places});
        exchange.start();
        exchange.wait();
        expect(out == expected);
        std::ranges::fill(out, kUntouched);
        ring.ineighbor_alltoallv(in, sent, out, {received, places}).wait();
        expect(out == expected);

        const Counts lengths{size_of(below, 0), size_of(above, 0)};
        std::vector<int> all(lengths[0] + lengths[1], kUntouched);
        ring.neighbor_allgatherv(numbers(world.rank(), 0, sent[0]), all, lengths);
        std::vector<int> everything = numbers(below, 0, lengths[0]);
        append(everything, numbers(above, 0, lengths[1]));
        expect(all == everything);
    });
}

TEST_CASE("a graph whose edges are repeated, directed, and lead back to the same rank")
{
    at_all_sizes([](const Communicator& world) {
        // Twice to the next, once to oneself; rank 0 hears of all others, too.
        const int size = world.size();
        std::vector<int> sources{left_of(world), world.rank(), left_of(world)};
        std::vector<int> destinations{right_of(world), world.rank(), right_of(world)};
        for (int rank = 1; rank < size && world.rank() == 0; ++rank)
            sources.push_back(rank);
        if (world.rank() != 0)
            destinations.push_back(0);
        const GraphCommunicator graph = world.create_graph(sources, destinations);
        expect(std::ranges::equal(graph.neighbors().sources, sources));
        expect(std::ranges::equal(graph.neighbors().destinations, destinations));

        std::vector<int> in;
        for (std::size_t i = 0; i < destinations.size(); ++i)
            in.push_back(100 * world.rank() + static_cast<int>(i));
        // The k'th block to a rank is the k'th from this one there.
        std::vector<int> expected;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const int source = sources[i];
            const auto before = std::count(sources.begin(), sources.begin() + static_cast<int>(i), source);
            std::vector<int> theirs{(source + 1) % size, source, (source + 1) % size};
            if (source != 0)
                theirs.push_back(0);
            int index = 0;
            for (auto skip = before; theirs[static_cast<std::size_t>(index)] != world.rank() || skip-- > 0;)
                ++index;
            expected.push_back(100 * source + index);
        }
        std::vector<int> out(sources.size(), kUntouched);
        graph.neighbor_alltoall(in, out);
        expect(out == expected);
        const Counts sent(destinations.size(), 1);
        const Counts received(sources.size(), 1);
        std::ranges::fill(out, kUntouched);
        graph.ineighbor_alltoallv(in, sent, out, received).wait();
        expect(out == expected);
        graph.neighbor_allgather(world.rank(), out);
        expect(out == sources);
    });
}

TEST_CASE("grids and graphs that do not fit are refused")
{
    CHECK_THROWS_WITH(balanced_dims(0, 2), Catch::Contains("no grid of 0 ranks"));
    CHECK_THROWS_WITH(balanced_dims(4, 0), Catch::Contains("0 dimensions"));
    at_size(3, [](const Communicator& world) {
        const auto refused = [&](const std::string& text, auto&& call) {
            expect_error(ErrorCode::invalid_argument, text, call);
        };
        refused("2 x 2 has more ranks", [&] { static_cast<void>(world.create_cartesian({2, 2})); });
        refused("more ranks", [&] { static_cast<void>(world.create_cartesian({1 << 30, 1 << 30})); });
        refused("dimension 1 has -2", [&] { static_cast<void>(world.create_cartesian({1, -2})); });
        refused("dimension 0 has 0", [&] { static_cast<void>(world.create_cartesian({0})); });
        refused("no dimensions", [&] { static_cast<void>(world.create_cartesian({})); });
        refused("1 periods", [&] { static_cast<void>(world.create_cartesian({3, 1}, {true})); });

        const CartesianCommunicator grid = *world.create_cartesian({3});
        refused("no dimension 1", [&] { static_cast<void>(grid.shift(1)); });
        refused("2 coordinates", [&] { static_cast<void>(grid.rank_at(std::array{0, 0})); });
        expect_error(ErrorCode::invalid_rank, "no rank 3", [&] { static_cast<void>(grid.coordinates(3)); });
        std::vector<int> in(5);
        std::vector<int> out(4);
        refused("5 elements for 2 destinations", [&] { grid.neighbor_alltoall(in, out); });
        refused("over 2 sources", [&] { grid.neighbor_allgather(in, out); });
        refused("one for each source", [&] { grid.neighbor_allgatherv(in, out, Counts{4}); });
        refused("overlap", [&] { grid.neighbor_alltoall(std::span(in).first(4), std::span(in).last(4)); });

        const std::array beyond{3};
        const std::array others{(world.rank() + 1) % 3};
        expect_error(ErrorCode::invalid_rank, "among the sources is 3",
                     [&] { static_cast<void>(world.create_graph(beyond, others)); });
        const std::span<const int> none;
        // Rank 1 sends to 2, who does not know of it.
        const bool sends = world.rank() == 1;
        const std::array to{2};
        refused(
            world.rank() == 2 ? "rank 1 names rank 2 as its destination more often" : "do not fit together",
            [&] { static_cast<void>(world.create_graph(none, sends ? std::span<const int>(to) : none)); });
    });
}

TEST_CASE("a rank keeps as much as it sends itself")
{
    at_size(1, [](const Communicator& world) {
        const CartesianCommunicator ring = *world.create_cartesian({1}, {true});
        std::vector<int> in{1, 2, 3};
        std::vector<int> out(3);
        ring.neighbor_alltoallv(in, Counts{1, 2}, out, Counts{2, 1});
        expect(out == std::vector{2, 3, 1});
        expect_error(ErrorCode::invalid_argument, "sends itself", [&] {
            ring.neighbor_alltoallv(in, Counts{1, 2}, out, Counts{1, 2});
        });
    });
}
