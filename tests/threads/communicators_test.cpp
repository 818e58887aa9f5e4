// Making communicators: who is in them, in which order, and that they are apart.
#include <algorithm>
#include <array>
#include <memory>
#include <thread>

#include "tests/threads/support.hpp"
#include "tutti/values.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

// All members know each other by their numbers in `of`, and messages go round.
void check_works(const Communicator& group, int my_world_rank)
{
    expect(group.world_rank(group.rank()) == my_world_rank);
    int in = -1;
    group.sendrecv(my_world_rank, right_of(group), 0, in, left_of(group), 0);
    expect(in == group.world_rank(left_of(group)));
    expect(allreduce(group, 1, sum) == group.size());
}

}  // namespace

TEST_CASE("dup: the same ranks")
{
    at_all_sizes([](const Communicator& world) {
        Communicator copy = world;
        for (int depth = 0; depth < 3; ++depth) {
            copy = copy.dup();
            expect(copy.rank() == world.rank() && copy.size() == world.size());
            check_works(copy, world.rank());
        }
    });
}

TEST_CASE("split: by colour, ordered by key and then by rank; no colour, no communicator")
{
    at_all_sizes([](const Communicator& world) {
        const auto part = world.split(world.rank() % 3, {.key = -world.rank()});
        expect(part.has_value());
        const int colour = world.rank() % 3;
        const int members = (world.size() - colour + 2) / 3;
        expect(part->size() == members);
        expect(part->rank() == members - 1 - world.rank() / 3, "reversed by key");
        check_works(*part, world.rank());

        const auto same_key = world.split(-5, {.key = 7});
        expect(same_key->rank() == world.rank() && same_key->size() == world.size());

        const auto odd = world.split(world.rank() % 2 == 1 ? std::optional(1) : std::nullopt);
        expect(odd.has_value() == (world.rank() % 2 == 1));
        if (odd) {
            expect(odd->size() == world.size() / 2 && odd->rank() == world.rank() / 2);
            check_works(*odd, world.rank());
            // A part of a part.
            const auto single = odd->split(odd->rank());
            expect(single->size() == 1 && single->world_rank(0) == world.rank());
        }
    });
}

TEST_CASE("split_by_node: threads are of one node")
{
    at_all_sizes([](const Communicator& world) {
        const Communicator node = world.split_by_node();
        expect(node.size() == world.size() && node.rank() == world.rank());
        check_works(node, world.rank());
    });
}

TEST_CASE("create_from: the given ranks in the given order, others not asked")
{
    at_size(7, [](const Communicator& world) {
        const std::array<int, 4> ranks{5, 0, 6, 2};
        const auto mine = std::ranges::find(ranks, world.rank());
        if (mine == ranks.end())
            return;
        const Communicator group = world.create_from(ranks);
        expect(group.size() == 4 && group.rank() == mine - ranks.begin());
        check_works(group, world.rank());
    });
}

TEST_CASE("create_from of overlapping groups at once, told apart by their tags")
{
    at_size(4, [](const Communicator& world) {
        // Each pair of ranks makes its own, in an order that differs from rank to rank.
        std::vector<std::pair<int, int>> pairs;
        for (int a = 0; a < 4; ++a) {
            for (int b = a + 1; b < 4; ++b) {
                if (a == world.rank() || b == world.rank())
                    pairs.emplace_back(a, b);
            }
        }
        std::vector<Communicator> groups;
        for (const auto& [a, b] : pairs) {
            const std::array<int, 2> ranks{b, a};
            groups.push_back(world.create_from(ranks, 10 * a + b));
            expect(groups.back().rank() == (world.rank() == b ? 0 : 1));
        }
        for (const Communicator& group : groups)
            check_works(group, world.rank());
    });
}

TEST_CASE("create_from by several threads of each rank at once")
{
    at_size(4,
            [](const Communicator& world) {
                std::vector<int> all(4);
                for (int i = 0; i < 4; ++i)
                    all[static_cast<std::size_t>(i)] = (i + 1) % 4;
                std::array<std::unique_ptr<Communicator>, 3> made;
                {
                    std::vector<std::jthread> threads;
                    for (std::size_t i = 0; i < made.size(); ++i)
                        threads.emplace_back([&, i] {
                            made[i] =
                                std::make_unique<Communicator>(world.create_from(all, static_cast<int>(i)));
                        });
                }
                for (const auto& group : made)
                    check_works(*group, world.rank());
            },
            {.threads = ThreadLevel::multiple});
}

TEST_CASE("self is this rank alone, and jobs do not meet")
{
    REQUIRE_NOTHROW(run_threads(3, [](Environment& environment) {
        const Communicator self = environment.self();
        expect(self.size() == 1 && self.rank() == 0);
        expect(self.world_rank(0) == environment.world().rank());
        self.send(environment.world().rank(), 0, 1);
        int in = -1;
        self.recv(in);
        expect(in == environment.world().rank());
        self.barrier();
        expect(allreduce(self, 5, sum) == 5);
        expect(self.dup().size() == 1);
        expect(environment.thread_level() == ThreadLevel::funneled);
    }));
}

TEST_CASE("many communicators, made and thrown away")
{
    at_size(4, [](const Communicator& world) {
        for (int i = 0; i < 200; ++i) {
            const auto part = world.split(world.rank() / 2, {.key = i});
            int in = -1;
            part->sendrecv(i, right_of(*part), i, in, left_of(*part), i);
            expect(in == i);
        }
    });
}
