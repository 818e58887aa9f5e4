// Lists in braces, in place of ranges of numbers.
#include <array>
#include <vector>

#include "tests/threads/support.hpp"

namespace tutti::test {

TEST_CASE("lists in braces are ranks, coordinates, counts and messages", "[lists]")
{
    run_threads(2, [](Environment& environment) {
        const Communicator world = environment.world();
        const int other = 1 - world.rank();

        std::array<int, 3> received{};
        Request later = world.irecv(received, other);
        world.send({7, 8, 9 + world.rank()}, other);
        later.wait();
        const std::array<int, 3> expected{7, 8, 9 + other};

        const CartesianCommunicator grid = *world.create_cartesian({2, 1});
        const int at = grid.rank_at({1, 0});
        const Communicator turned = world.create_from({1, 0});
        const GraphCommunicator ring = world.create_graph({other}, {other});
        const std::vector<int> sources(ring.neighbors().sources.begin(), ring.neighbors().sources.end());

        const std::vector<int> mine(world.rank() == 0 ? 1 : 2, 10 + world.rank());
        std::vector<int> all(3);
        world.allgatherv(mine, all, {1, 2});

        Table<float> table(world, 4, 1);
        if (world.rank() == 0)
            table.push({1, 3}, std::vector<float>{2.5F, 4.0F}, sum);
        world.barrier();
        const std::vector<float> pulled = table.pull({3, 1, 0});

        const std::vector<int> shared = broadcast(world, std::vector<int>(2, world.rank()), {.root = 1});

        expect(received == expected, "a message");
        expect(at == 1, "coordinates");
        expect(turned.rank() == other, "ranks of a communicator");
        expect(sources == std::vector<int>{other}, "neighbours");
        expect(all == std::vector<int>{10, 11, 11}, "counts");
        expect(pulled == std::vector<float>{4.0F, 2.5F, 0.0F}, "rows");
        expect(shared == std::vector<int>{1, 1}, "a vector as a value");
    });
}

}  // namespace tutti::test
