// Calls that name their algorithm themselves: in all forms, of every collective that has several.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Counts = std::vector<std::size_t>;

// One call in each of the three forms; `check` after each.
template <class Blocking, class Starts, class Prepares, class Check>
void in_all_forms(Blocking blocking, Starts starts, Prepares prepares, Check check)
{
    blocking();
    check();
    Request request = starts();
    request.wait();
    check();
    PersistentRequest persistent = prepares();
    for (int i = 0; i < 2; ++i) {
        persistent.start();
        persistent.wait();
        check();
    }
}

void reductions(const Communicator& world, std::string_view algorithm)
{
    const int all = world.size() * (world.size() - 1) / 2;
    const std::vector<int> in(3, world.rank());
    std::vector<int> out(3);
    const CollectiveOptions options{.algorithm = algorithm};
    in_all_forms([&] { world.allreduce(in, out, sum, options); },
                 [&] { return world.iallreduce(in, out, sum, options); },
                 [&] { return world.allreduce_init(in, out, sum, options); },
                 [&] { expect(out == std::vector<int>(3, all)); });
    std::vector<int> data = in;
    world.allreduce(data, sum, options);
    expect(data == std::vector<int>(3, all));
}

void rooted(const Communicator& world, std::string_view algorithm)
{
    const int root = world.size() - 1;
    std::vector<int> data(5);
    const auto refill = [&] {
        expect(data == numbers(root, 1, 5));
        if (world.rank() != root)
            data.assign(5, 0);
    };
    if (world.rank() == root)
        data = numbers(root, 1, 5);
    const RootOptions options{.root = root, .algorithm = algorithm};
    in_all_forms([&] { world.broadcast(data, options); }, [&] { return world.ibroadcast(data, options); },
                 [&] { return world.broadcast_init(data, options); }, refill);
}

void exchanges(const Communicator& world, std::string_view algorithm)
{
    const auto ranks = static_cast<std::size_t>(world.size());
    const std::vector<int> in(ranks, world.rank());
    std::vector<int> out(ranks);
    std::vector<int> by_rank(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
        by_rank[rank] = static_cast<int>(rank);
    const CollectiveOptions options{.algorithm = algorithm};
    in_all_forms([&] { world.alltoall(in, out, options); }, [&] { return world.ialltoall(in, out, options); },
                 [&] { return world.alltoall_init(in, out, options); }, [&] { expect(out == by_rank); });
}

}  // namespace

TEST_CASE("calls by the algorithm that they name, in the three forms")
{
    at_size(5, [](const Communicator& world) {
        for (const std::string_view algorithm :
             {"flat", "binomial", "recursive_doubling", "rabenseifner", "ring"})
            reductions(world, algorithm);
        for (const std::string_view algorithm : {"flat", "binomial", "chain:8", "scatter_allgather"})
            rooted(world, algorithm);
        for (const std::string_view algorithm : {"flat", "pairwise", "bruck"})
            exchanges(world, algorithm);
    });
}

TEST_CASE("every collective takes the option")
{
    at_size(3, [](const Communicator& world) {
        const Counts ones(3, 1);
        const int one = 1;
        std::vector<int> three(3, 1);
        std::vector<int> all(3);
        int out = 0;
        world.barrier({.algorithm = "flat"});
        world.ibarrier({.algorithm = "binomial"}).wait();
        world.reduce(one, out, sum, {.root = 2, .algorithm = "binomial"});
        expect(out == (world.rank() == 2 ? 3 : 0));
        world.reduce_scatter(three, out, sum, {.algorithm = "recursive_halving"});
        expect(out == 3);
        world.reduce_scatterv(three, out, ones, sum, {.algorithm = "ring"});
        expect(out == 3);
        world.scan(one, out, sum, {.algorithm = "recursive_doubling"});
        expect(out == world.rank() + 1);
        world.exscan(one, out, sum, {.algorithm = "flat"});
        expect(out == (world.rank() == 0 ? 1 : world.rank()));
        world.allgather(one, all, {.algorithm = "bruck"});
        expect(all == three);
        world.allgather(all, {.algorithm = "ring"});
        world.allgatherv(one, all, ones, {.algorithm = "ring"});
        world.gather(one, all, {.root = 1, .algorithm = "binomial"});
        world.gatherv(one, all, ones, {.algorithm = "flat"});
        world.scatter(three, out, {.root = 1, .algorithm = "flat"});
        expect(out == 1);
        world.scatterv(three, ones, out, {.algorithm = "flat"});
        world.alltoallv(three, ones, all, ones, {.algorithm = "pairwise"});
        expect(all == three);
    });
}

TEST_CASE("a name that a collective does not have is an error of that call, in place too")
{
    at_size(3, [](const Communicator& world) {
        const Counts ones(3, 1);
        const std::vector<int> three(3, 1);
        std::vector<int> data(3, 1);
        std::vector<int> all(3);
        int out = 0;
        const CollectiveOptions bogus{.algorithm = "bogus"};
        const RootOptions rooted{.root = 1, .algorithm = "bogus"};
        const auto refused = [](const std::string& call, const auto& made) {
            expect_error(ErrorCode::invalid_argument,
                         call + ": invalid argument: there is no algorithm \"bogus\"", made);
        };
        refused("barrier", [&] { world.barrier(bogus); });
        refused("broadcast", [&] { world.broadcast(data, rooted); });
        refused("reduce", [&] { world.reduce(three, all, sum, rooted); });
        refused("reduce", [&] { world.reduce(data, sum, rooted); });
        refused("allreduce", [&] { world.allreduce(three, all, sum, bogus); });
        refused("allreduce", [&] { world.allreduce(data, sum, bogus); });
        refused("reduce_scatter", [&] { world.reduce_scatter(three, out, sum, bogus); });
        refused("reduce_scatter", [&] { world.reduce_scatter(data, sum, bogus); });
        refused("reduce_scatterv", [&] { world.reduce_scatterv(three, out, ones, sum, bogus); });
        refused("reduce_scatterv", [&] { world.reduce_scatterv(data, ones, sum, bogus); });
        refused("scan", [&] { world.scan(three, all, sum, bogus); });
        refused("scan", [&] { world.scan(data, sum, bogus); });
        refused("exscan", [&] { world.exscan(three, all, sum, bogus); });
        refused("exscan", [&] { world.exscan(data, sum, bogus); });
        refused("gather", [&] { world.gather(out, all, rooted); });
        refused("gatherv", [&] { world.gatherv(out, all, ones, rooted); });
        refused("scatter", [&] { world.scatter(three, out, rooted); });
        refused("scatterv", [&] { world.scatterv(three, ones, out, rooted); });
        refused("allgather", [&] { world.allgather(out, all, bogus); });
        refused("allgather", [&] { world.allgather(data, bogus); });
        refused("allgatherv", [&] { world.allgatherv(out, all, ones, bogus); });
        refused("alltoall", [&] { world.alltoall(three, all, bogus); });
        refused("alltoall in place", [&] { world.alltoall(data, bogus); });
        refused("alltoallv", [&] { world.alltoallv(three, ones, all, ones, bogus); });
        refused("alltoallv in place", [&] { world.alltoallv(data, ones, bogus); });
        expect(data == three && out == 0);
    });
}

TEST_CASE("in place an alltoall takes the algorithms that need one buffer, and refuses the others")
{
    at_size(3, [](const Communicator& world) {
        const Counts ones(3, 1);
        const std::vector<int> by_rank{0, 1, 2};
        std::vector<int> data(3, world.rank());
        world.alltoall(data, {.algorithm = "pairwise"});
        expect(data == by_rank);
        data.assign(3, world.rank());
        world.ialltoallv(data, ones, {.algorithm = "pairwise"}).wait();
        expect(data == by_rank);
        for (const std::string name : {"flat", "bruck", "hierarchical"})
            expect_error(ErrorCode::invalid_argument,
                         "alltoall in place: invalid argument: the algorithm " + name +
                             " cannot do this call: it needs another buffer to receive in; name pairwise, "
                             "board or shared",
                         [&] { world.alltoall(data, {.algorithm = name}); });
        for (const std::string name : {"flat", "board", "hierarchical"})
            expect_error(
                ErrorCode::invalid_argument,
                "alltoallv in place: invalid argument: the algorithm " + name +
                    " cannot do this call: it needs another buffer to receive in; name pairwise, or none",
                [&] { auto request = world.alltoallv_init(data, ones, {.algorithm = name}); });
        expect_error(ErrorCode::invalid_argument, "there is no board",
                     [&] { world.ialltoall(data, {.algorithm = "board"}).wait(); });
        expect(data == by_rank);
    });
}

TEST_CASE("an algorithm that there is not, or that cannot do the call, is an error at all ranks")
{
    at_size(3, [](const Communicator& world) {
        std::vector<int> data(3, 1);
        expect_error(ErrorCode::invalid_argument, "did you mean 'ring'?",
                     [&] { world.allreduce(data, sum, {.algorithm = "rign"}); });
        expect_error(ErrorCode::invalid_argument, "there is no algorithm \"ring\"; use",
                     [&] { auto request = world.broadcast_init(data, {.algorithm = "ring"}); });
        expect_error(ErrorCode::invalid_argument,
                     "the algorithm hierarchical cannot do this call: there is one node",
                     [&] { world.ibarrier({.algorithm = "hierarchical"}).wait(); });
        const auto left = user_op([](int a, int) { return a; }, non_commutative);
        expect_error(ErrorCode::invalid_argument,
                     "the algorithm ring cannot do this call: it needs an operator",
                     [&] { world.allreduce(data, left, {.algorithm = "ring"}); });
        PersistentRequest request = world.allreduce_init(data, left, {.algorithm = "ring"});
        expect_error(ErrorCode::invalid_argument, "cannot do this call", [&] { request.start(); });
        world.allreduce(data, sum);
        expect(data == std::vector<int>(3, 3));
    });
}
