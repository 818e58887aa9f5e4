// Every collective in its three forms, every value checked: blocks of equal and of unequal sizes, reductions
// whose operator does not commute, every root; on the world, and on communicators whose ranks lie otherwise
// over the hosts.
//
// Argument: how many elements the longest blocks have (20,000).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::every_collective {

namespace {

using Numbers = std::vector<int>;
using Counts = std::vector<std::size_t>;

// Does what a call does in its three forms; `prepare` fills buffers, which stay where they are, `check` looks
// at them.
template <class Prepare, class Blocking, class Started, class Persistent, class Check>
void in_all_forms(Prepare prepare, Blocking blocking, Started started, Persistent persistent, Check check)
{
    prepare();
    blocking();
    check();
    prepare();
    Request request = started();
    request.wait();
    check();
    prepare();
    PersistentRequest prepared = persistent();
    for (int round = 0; round < 2; ++round) {
        prepared.start();
        prepared.wait();
        check();
        prepare();
    }
}

int number(int from, int to, std::size_t index)
{
    return from * 1'000'003 + to * 10'007 + static_cast<int>(index) * 7;
}

Numbers block(int from, int to, std::size_t count)
{
    Numbers numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = number(from, to, i);
    return numbers;
}

void append(Numbers& to, const Numbers& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

// A block for each rank of the group, one behind the other.
template <class Block>
Numbers blocks(const Communicator& group, Block&& make)
{
    Numbers all;
    for (int rank = 0; rank < group.size(); ++rank)
        append(all, make(rank));
    return all;
}

Numbers filled(std::size_t count)
{
    return Numbers(count, -1);
}

// Persistent requests hold on to the buffer: it stays where it is.
void refill(Numbers& numbers, std::size_t count)
{
    numbers.assign(count, -1);
}

// 2 x 2 matrices under multiplication: the order of the factors matters, their grouping does not.
struct Matrix {
    std::uint32_t a, b, c, d;
    bool operator==(const Matrix&) const = default;
};

Matrix product(const Matrix& x, const Matrix& y)
{
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

Matrix factor(int rank, std::size_t index)
{
    const auto r = static_cast<std::uint32_t>(rank);
    const auto i = static_cast<std::uint32_t>(index);
    return {1 + r, i, 2 * r + 1, 3 + i * r};
}

std::vector<Matrix> factors(int rank, std::size_t count)
{
    std::vector<Matrix> all(count);
    for (std::size_t i = 0; i < count; ++i)
        all[i] = factor(rank, i);
    return all;
}

// Of the factors of ranks 0 to end - 1.
std::vector<Matrix> products(int end, std::size_t count)
{
    std::vector<Matrix> all = factors(0, count);
    for (int rank = 1; rank < end; ++rank) {
        for (std::size_t i = 0; i < count; ++i)
            all[i] = product(all[i], factor(rank, i));
    }
    return all;
}

void check_rooted(const Communicator& group, std::size_t count, int root)
{
    const int me = group.rank();
    const bool is_root = me == root;
    const auto all = static_cast<std::size_t>(group.size()) * count;
    const RootOptions at{.root = root};
    Numbers data(count);
    in_all_forms([&] { std::ranges::copy(is_root ? block(root, 0, count) : filled(count), data.begin()); },
                 [&] { group.broadcast(data, at); }, [&] { return group.ibroadcast(data, at); },
                 [&] { return group.broadcast_init(data, at); },
                 [&] { expect(data == block(root, 0, count), "broadcast"); });

    const Numbers own = block(me, root, count);
    Numbers out;
    in_all_forms([&] { refill(out, all); }, [&] { group.gather(own, out, at); },
                 [&] { return group.igather(own, out, at); }, [&] { return group.gather_init(own, out, at); },
                 [&] {
                     const Numbers gathered =
                         blocks(group, [&](int rank) { return block(rank, root, count); });
                     expect(out == (is_root ? gathered : filled(all)), "gather");
                 });

    const Numbers whole = blocks(group, [&](int rank) { return block(root, rank, count); });
    in_all_forms([&] { refill(out, count); }, [&] { group.scatter(whole, out, at); },
                 [&] { return group.iscatter(whole, out, at); },
                 [&] { return group.scatter_init(whole, out, at); },
                 [&] { expect(out == block(root, me, count), "scatter"); });

    const auto times = user_op(product, non_commutative);
    const std::vector<Matrix> in = factors(me, count);
    const std::vector<Matrix> none(count, Matrix{9, 9, 9, 9});
    std::vector<Matrix> result;
    in_all_forms([&] { result = none; }, [&] { group.reduce(in, result, times, at); },
                 [&] { return group.ireduce(in, result, times, at); },
                 [&] { return group.reduce_init(in, result, times, at); },
                 [&] { expect(result == (is_root ? products(group.size(), count) : none), "reduce"); });
}

void check_reductions(const Communicator& group, std::size_t count)
{
    const int me = group.rank();
    const auto times = user_op(product, non_commutative);
    const std::vector<Matrix> in = factors(me, count);
    const std::vector<Matrix> none(count, Matrix{9, 9, 9, 9});
    const std::vector<Matrix> whole = products(group.size(), count);
    std::vector<Matrix> out;
    const auto fresh = [&] { out = none; };
    in_all_forms(
        fresh, [&] { group.allreduce(in, out, times); }, [&] { return group.iallreduce(in, out, times); },
        [&] { return group.allreduce_init(in, out, times); }, [&] { expect(out == whole, "allreduce"); });
    in_all_forms(
        fresh, [&] { group.scan(in, out, times); }, [&] { return group.iscan(in, out, times); },
        [&] { return group.scan_init(in, out, times); },
        [&] { expect(out == products(me + 1, count), "scan"); });
    in_all_forms(
        fresh, [&] { group.exscan(in, out, times); }, [&] { return group.iexscan(in, out, times); },
        [&] { return group.exscan_init(in, out, times); },
        [&] { expect(out == (me == 0 ? none : products(me, count)), "exscan"); });

    // Commutative: other algorithms.
    const auto ranks = static_cast<std::int64_t>(group.size());
    std::vector<std::int64_t> sums;
    in_all_forms(
        [&] {
            sums.resize(count);
            for (std::size_t i = 0; i < count; ++i)
                sums[i] = me * 3 + static_cast<std::int64_t>(i);
        },
        [&] { group.allreduce(sums, sum); }, [&] { return group.iallreduce(sums, sum); },
        [&] { return group.allreduce_init(sums, sum); },
        [&] {
            for (std::size_t i = 0; i < count; ++i)
                expect(sums[i] == 3 * ranks * (ranks - 1) / 2 + ranks * static_cast<std::int64_t>(i),
                       "allreduce of sums");
        });
}

void check_reduce_scatter(const Communicator& group, std::size_t count)
{
    const auto times = user_op(product, non_commutative);
    const auto ranks = static_cast<std::size_t>(group.size());
    const auto me = static_cast<std::size_t>(group.rank());
    const auto part = [&](const std::vector<Matrix>& all, std::size_t from, std::size_t size) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
        return std::vector<Matrix>(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    std::vector<Matrix> out;
    const std::vector<Matrix> in = factors(group.rank(), ranks * count);
    const std::vector<Matrix> whole = products(group.size(), ranks * count);
    in_all_forms([&] { out.assign(count, {}); }, [&] { group.reduce_scatter(in, out, times); },
                 [&] { return group.ireduce_scatter(in, out, times); },
                 [&] { return group.reduce_scatter_init(in, out, times); },
                 [&] { expect(out == part(whole, me * count, count), "reduce_scatter"); });

    Counts counts;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        counts.push_back(rank % 2 == 0 ? count : std::min(count, rank % 5));
    const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    const std::size_t before =
        std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(me), std::size_t{0});
    const std::vector<Matrix> some = part(in, 0, total);
    in_all_forms([&] { out.assign(counts[me], {}); },
                 [&] { group.reduce_scatterv(some, out, counts, times); },
                 [&] { return group.ireduce_scatterv(some, out, counts, times); },
                 [&] { return group.reduce_scatterv_init(some, out, counts, times); },
                 [&] { expect(out == part(whole, before, counts[me]), "reduce_scatterv"); });
}

void check_all_to_all(const Communicator& group, std::size_t count)
{
    const int me = group.rank();
    const auto all = static_cast<std::size_t>(group.size()) * count;
    const Numbers own = block(me, 0, count);
    Numbers out;
    const auto fresh = [&] { refill(out, all); };
    in_all_forms(
        fresh, [&] { group.allgather(own, out); }, [&] { return group.iallgather(own, out); },
        [&] { return group.allgather_init(own, out); },
        [&] { expect(out == blocks(group, [&](int rank) { return block(rank, 0, count); }), "allgather"); });
    const Numbers in = blocks(group, [&](int rank) { return block(me, rank, count); });
    const auto check = [&] {
        expect(out == blocks(group, [&](int rank) { return block(rank, me, count); }), "alltoall");
    };
    in_all_forms(
        fresh, [&] { group.alltoall(in, out); }, [&] { return group.ialltoall(in, out); },
        [&] { return group.alltoall_init(in, out); }, check);
}

void check_unequal(const Communicator& group, std::size_t count, int root)
{
    const int me = group.rank();
    const bool is_root = me == root;
    const auto size_of = [&](int from, int to) {
        return to == 1 ? count : static_cast<std::size_t>((from * 5 + to * 3) % 4);
    };
    const auto sizes = [&](auto&& size) {
        Counts counts;
        for (int rank = 0; rank < group.size(); ++rank)
            counts.push_back(size(rank));
        return counts;
    };
    const Counts counts = sizes([&](int rank) { return size_of(root, rank); });
    const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    const std::size_t own_count = counts[static_cast<std::size_t>(me)];
    const RootOptions at{.root = root};
    const Numbers own = block(me, root, own_count);
    const Numbers gathered =
        blocks(group, [&](int rank) { return block(rank, root, counts[static_cast<std::size_t>(rank)]); });
    Numbers out;
    in_all_forms([&] { refill(out, total); }, [&] { group.gatherv(own, out, counts, at); },
                 [&] { return group.igatherv(own, out, counts, at); },
                 [&] { return group.gatherv_init(own, out, counts, at); },
                 [&] { expect(out == (is_root ? gathered : filled(total)), "gatherv"); });
    in_all_forms([&] { refill(out, total); }, [&] { group.allgatherv(own, out, counts); },
                 [&] { return group.iallgatherv(own, out, counts); },
                 [&] { return group.allgatherv_init(own, out, counts); },
                 [&] { expect(out == gathered, "allgatherv"); });
    in_all_forms([&] { refill(out, own_count); }, [&] { group.scatterv(gathered, counts, out, at); },
                 [&] { return group.iscatterv(gathered, counts, out, at); },
                 [&] { return group.scatterv_init(gathered, counts, out, at); },
                 [&] { expect(out == block(me, root, own_count), "scatterv"); });

    const Counts sent = sizes([&](int rank) { return size_of(me, rank); });
    const Counts received = sizes([&](int rank) { return size_of(rank, me); });
    const Numbers in = blocks(group, [&](int rank) { return block(me, rank, size_of(me, rank)); });
    const Numbers arrived = blocks(group, [&](int rank) { return block(rank, me, size_of(rank, me)); });
    in_all_forms([&] { refill(out, arrived.size()); }, [&] { group.alltoallv(in, sent, out, received); },
                 [&] { return group.ialltoallv(in, sent, out, received); },
                 [&] { return group.alltoallv_init(in, sent, out, received); },
                 [&] { expect(out == arrived, "alltoallv"); });
}

// Around a ring: what goes up arrives from below.
void check_neighbors(const Communicator& group, std::size_t count)
{
    const CartesianCommunicator ring = *group.create_cartesian({group.size()}, {true});
    const int me = ring.rank();
    Numbers out;
    const auto fresh = [&] { refill(out, 2 * count); };
    const Numbers own = block(me, 0, count);
    Numbers expected = block(left_of(ring), 0, count);
    append(expected, block(right_of(ring), 0, count));
    in_all_forms(
        fresh, [&] { ring.neighbor_allgather(own, out); }, [&] { return ring.ineighbor_allgather(own, out); },
        [&] { return ring.neighbor_allgather_init(own, out); },
        [&] { expect(out == expected, "neighbor_allgather"); });
    Numbers in = block(me, 0, count);
    append(in, block(me, 1, count));
    Numbers exchanged = block(left_of(ring), 1, count);
    append(exchanged, block(right_of(ring), 0, count));
    in_all_forms(
        fresh, [&] { ring.neighbor_alltoall(in, out); }, [&] { return ring.ineighbor_alltoall(in, out); },
        [&] { return ring.neighbor_alltoall_init(in, out); },
        [&] { expect(out == exchanged, "neighbor_alltoall"); });
}

void check(const Communicator& group, std::size_t longest)
{
    in_all_forms([] {}, [&] { group.barrier(); }, [&] { return group.ibarrier(); },
                 [&] { return group.barrier_init(); }, [] {});
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{77}, longest}) {
        for (int root = 0; root < group.size(); ++root) {
            // Where much is sent, two roots stand for all.
            if (count == longest && root != 0 && root != group.size() - 1)
                continue;
            check_rooted(group, count, root);
            check_unequal(group, count, root);
        }
        check_reductions(group, count);
        check_reduce_scatter(group, count);
        check_all_to_all(group, count);
        check_neighbors(group, count);
    }
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    const std::size_t longest = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20'000;
    check(world, longest);
    // Backwards; without the first rank, so that hosts have unequal shares; every other rank; this host
    // alone.
    check(*world.split(0, {.key = -world.rank()}), longest);
    check(*world.split(world.rank() == 0 ? 0 : 1), longest);
    check(*world.split(world.rank() % 2), longest);
    check(world.split_by_node(), longest);
    return 0;
}

const Program program("every_collective", run_program);

}  // namespace tutti::test::every_collective
