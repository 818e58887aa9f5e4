// reduce_scatter, scan and exscan on real ranks: values, blocking and not, and refused arguments. reduce and
// allreduce are in collectives_test.cpp.
#include <algorithm>
#include <numeric>

#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Counts = std::vector<std::size_t>;

const std::size_t kLengths[] = {0, 1, 7, 1000, 20'001};

// Small whole numbers: their sums are exact in every type.
template <class T>
std::vector<T> operand(int rank, std::size_t count)
{
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(rank + 1 + static_cast<int>(i % 100));
    return values;
}

// The sum of the operands of ranks 0 to ranks - 1.
template <class T>
std::vector<T> total(int ranks, std::size_t count)
{
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(ranks * (ranks + 1) / 2 + ranks * static_cast<int>(i % 100));
    return values;
}

// Elements first to first + count - 1.
template <class T>
std::vector<T> slice(const std::vector<T>& values, std::size_t first, std::size_t count)
{
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(count));
}

template <class T>
void check_reduce_scatter(const Communicator& world, std::size_t count)
{
    const auto rank = static_cast<std::size_t>(world.rank());
    const auto all = static_cast<std::size_t>(world.size()) * count;
    const std::vector<T> in = operand<T>(world.rank(), all);
    const std::vector<T> expected = slice(total<T>(world.size(), all), rank * count, count);
    std::vector<T> out(count, T{-1});
    world.reduce_scatter(in, out, sum);
    expect(out == expected && in == operand<T>(world.rank(), all));
    std::fill(out.begin(), out.end(), T{-1});
    world.ireduce_scatter(in, out, Op::sum).wait();
    expect(out == expected);
}

template <class T>
void check_reduce_scatterv(const Communicator& world, const Counts& counts)
{
    const auto rank = static_cast<std::size_t>(world.rank());
    const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    std::size_t first = 0;
    for (std::size_t below = 0; below < rank; ++below)
        first += counts[below];
    const std::vector<T> in = operand<T>(world.rank(), all);
    const std::vector<T> expected = slice(total<T>(world.size(), all), first, counts[rank]);
    std::vector<T> out(counts[rank]);
    world.reduce_scatterv(in, out, counts, sum);
    expect(out == expected);
    std::fill(out.begin(), out.end(), T{-1});
    Request later;
    {
        const Counts gone = counts;
        later = world.ireduce_scatterv(in, out, gone, sum);
    }
    later.wait();
    expect(out == expected);
}

template <class T>
void check_scan(const Communicator& world, std::size_t count)
{
    const std::vector<T> in = operand<T>(world.rank(), count);
    const std::vector<T> expected = total<T>(world.rank() + 1, count);
    std::vector<T> out(count);
    world.scan(in, out, sum);
    expect(out == expected && in == operand<T>(world.rank(), count));
    std::vector<T> data = in;
    world.scan(data, sum);
    expect(data == expected);
    std::vector<T> later(count);
    data = in;
    Request apart = world.iscan(in, later, sum);
    Request in_place = world.iscan(data, sum);
    in_place.wait();
    apart.wait();
    expect(later == expected && data == expected);
}

template <class T>
void check_exscan(const Communicator& world, std::size_t count)
{
    const std::vector<T> in = operand<T>(world.rank(), count);
    const std::vector<T> before(count, T{77});
    const bool is_first = world.rank() == 0;
    const std::vector<T> expected = is_first ? before : total<T>(world.rank(), count);
    std::vector<T> out = before;
    world.exscan(in, out, sum);
    expect(out == expected && in == operand<T>(world.rank(), count));
    std::vector<T> data = in;
    world.exscan(data, sum);
    expect(data == (is_first ? in : expected));
    std::vector<T> later = before;
    data = in;
    Request apart = world.iexscan(in, later, sum);
    Request in_place = world.iexscan(data, sum);
    in_place.wait();
    apart.wait();
    expect(later == expected && data == (is_first ? in : expected));
}

// Doing one map after another: does not commute.
struct Map {
    unsigned slope;
    unsigned offset;
    bool operator==(const Map&) const = default;
};

Map then(const Map& first, const Map& second)
{
    return {first.slope * second.slope, first.offset * second.slope + second.offset};
}

std::vector<Map> maps(int rank, std::size_t count)
{
    std::vector<Map> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = {2 * static_cast<unsigned>(rank) + 3, static_cast<unsigned>(i) + 7};
    return values;
}

std::vector<Map> chained_maps(int ranks, std::size_t count)
{
    std::vector<Map> values = maps(0, count);
    for (int rank = 1; rank < ranks; ++rank) {
        const std::vector<Map> next = maps(rank, count);
        for (std::size_t i = 0; i < count; ++i)
            values[i] = then(values[i], next[i]);
    }
    return values;
}

}  // namespace

TEST_CASE("reduce_scatter of equal blocks")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t count : kLengths) {
            check_reduce_scatter<double>(world, count);
            check_reduce_scatter<float>(world, count);
            check_reduce_scatter<int>(world, count);
        }
        const std::vector<int> in(static_cast<std::size_t>(world.size()), world.rank());
        int largest = -1;
        world.reduce_scatter(in, largest, max);
        expect(largest == world.size() - 1);
    });
}

TEST_CASE("reduce_scatter and reduce_scatterv in place: the result comes first, the rest stays")
{
    at_all_sizes([](const Communicator& world) {
        const auto ranks = static_cast<std::size_t>(world.size());
        const auto rank = static_cast<std::size_t>(world.rank());
        // Element i of rank r is i + 100 r.
        const auto filled = [&](std::size_t count) {
            std::vector<int> data(count);
            for (std::size_t i = 0; i < count; ++i)
                data[i] = static_cast<int>(i + 100 * rank);
            return data;
        };
        const auto check = [&](const std::vector<int>& data, std::size_t first, std::size_t own) {
            for (std::size_t i = 0; i < data.size(); ++i)
                expect(data[i] == (i < own ? static_cast<int>(ranks * (first + i) + 50 * ranks * (ranks - 1))
                                           : static_cast<int>(i + 100 * rank)));
        };
        for (const std::size_t count : {0, 1, 5, 3000}) {
            std::vector<int> data = filled(ranks * count);
            world.reduce_scatter(data, sum);
            check(data, rank * count, count);
            data = filled(ranks * count);
            world.ireduce_scatter(data, sum).wait();
            check(data, rank * count, count);
            PersistentRequest request = world.reduce_scatter_init(data, sum);
            for (int round = 0; round < 2; ++round) {
                std::ranges::copy(filled(ranks * count), data.begin());  // the request knows this memory
                request.start();
                request.wait();
                check(data, rank * count, count);
            }
        }
        Counts counts;
        std::size_t all = 0;
        std::size_t first = 0;
        for (std::size_t r = 0; r < ranks; ++r) {
            first = r == rank ? all : first;
            counts.push_back(r * 3 % 7);
            all += counts.back();
        }
        std::vector<int> data = filled(all);
        world.reduce_scatterv(data, counts, sum);
        check(data, first, counts[rank]);
        data = filled(all);
        world.ireduce_scatterv(data, counts, sum).wait();
        check(data, first, counts[rank]);
    });
}

TEST_CASE("reduce_scatterv, some ranks having nothing, some much")
{
    at_all_sizes([](const Communicator& world) {
        Counts counts;
        for (int rank = 0; rank < world.size(); ++rank)
            counts.push_back(rank == 1 ? 30'000 : static_cast<std::size_t>(rank) * 3 % 7);
        check_reduce_scatterv<double>(world, counts);
        check_reduce_scatterv<float>(world, counts);
        check_reduce_scatterv<int>(world, counts);
        check_reduce_scatterv<int>(world, Counts(counts.size(), 0));
    });
}

TEST_CASE("scan, out of place and in place")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t count : kLengths) {
            check_scan<double>(world, count);
            check_scan<float>(world, count);
            check_scan<int>(world, count);
        }
        int places = 1;
        world.scan(places, sum);
        expect(places == world.rank() + 1);
    });
}

TEST_CASE("exscan, which leaves rank 0's result alone")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t count : kLengths) {
            check_exscan<double>(world, count);
            check_exscan<float>(world, count);
            check_exscan<int>(world, count);
        }
        const std::size_t mine = 10 + static_cast<std::size_t>(world.rank());
        std::size_t first = 0;
        world.exscan(mine, first, sum);
        const auto rank = static_cast<std::size_t>(world.rank());
        expect(first == 10 * rank + rank * (rank - 1) / 2);
    });
}

TEST_CASE("an operator that does not commute gets its operands in rank order")
{
    at_all_sizes([](const Communicator& world) {
        // An operator with state, which a request must keep.
        const unsigned none = static_cast<unsigned>(world.size() - world.size());
        const auto order = user_op(
            [none](const Map& first, const Map& second) {
                return then({first.slope + none, first.offset}, second);
            },
            non_commutative);
        const auto ranks = static_cast<std::size_t>(world.size());
        for (const std::size_t count : {std::size_t{3}, std::size_t{9000}}) {
            const std::vector<Map> whole = maps(world.rank(), ranks * count);
            std::vector<Map> block(count);
            world.ireduce_scatter(whole, block, order).wait();
            expect(block == slice(chained_maps(world.size(), ranks * count),
                                  static_cast<std::size_t>(world.rank()) * count, count));
            std::vector<Map> reduced = maps(world.rank(), count);
            world.allreduce(reduced, order);
            expect(reduced == chained_maps(world.size(), count));
            for (int root = 0; root < world.size(); ++root) {
                std::vector<Map> at_root = maps(world.rank(), count);
                world.reduce(at_root, order, {.root = root});
                expect(at_root == (world.rank() == root ? chained_maps(world.size(), count)
                                                        : maps(world.rank(), count)));
            }
            std::vector<Map> prefix = maps(world.rank(), count);
            world.iscan(prefix, order).wait();
            expect(prefix == chained_maps(world.rank() + 1, count));
            std::vector<Map> below = maps(world.rank(), count);
            world.exscan(below, order);
            expect(below == (world.rank() == 0 ? maps(0, count) : chained_maps(world.rank(), count)));
        }
    });
}

TEST_CASE("long data: the algorithms that cut it into blocks and segments")
{
    for (const int ranks : {2, 3, 4, 7}) {
        at_size(ranks, [](const Communicator& world) {
            constexpr std::size_t kLong = 300'001;
            auto data = operand<double>(world.rank(), kLong);
            world.allreduce(data, sum);
            expect(data == total<double>(world.size(), kLong));
            auto floats = operand<float>(world.rank(), kLong / 10);
            world.iallreduce(floats, sum).wait();
            expect(floats == total<float>(world.size(), kLong / 10));
            const int root = world.size() / 2;
            auto reduced = operand<int>(world.rank(), kLong);
            world.reduce(reduced, sum, {.root = root});
            expect(reduced == (world.rank() == root ? total<int>(world.size(), kLong)
                                                    : operand<int>(world.rank(), kLong)));
            auto shared = operand<double>(world.rank(), kLong);
            world.broadcast(shared, {.root = root});
            expect(shared == operand<double>(root, kLong));
        });
    }
}

TEST_CASE("sizes that do not fit are refused before anything is sent")
{
    at_size(2, [](const Communicator& world) {
        const std::vector<int> in(7);
        std::vector<int> out(3);
        const Counts counts{4, 3};
        expect_error(ErrorCode::invalid_argument,
                     "input has 7 elements, output 3; over 2 ranks the input must have a block of the "
                     "output's size for each: 6 elements",
                     [&] { world.reduce_scatter(in, out, sum); });
        expect_error(ErrorCode::invalid_argument, "there are 1 counts for 2 ranks",
                     [&] { world.reduce_scatterv(in, out, Counts{7}, sum); });
        expect_error(ErrorCode::invalid_argument, "the counts add up to more than the 7 elements", [&] {
            world.reduce_scatterv(in, out, Counts{4, 4}, sum);
        });
        expect_error(ErrorCode::invalid_argument, "the counts add up to more than the 7 elements", [&] {
            world.reduce_scatterv(in, out, Counts{8, static_cast<std::size_t>(-1)}, sum);
        });
        expect_error(ErrorCode::invalid_argument, "the counts add up to 6 elements, but the input has 7",
                     [&] {
                         world.reduce_scatterv(in, out, Counts{3, 3}, sum);
                     });
        std::vector<int> longer(5);
        expect_error(ErrorCode::invalid_argument, "has 5 elements, but its count is",
                     [&] { (void)world.ireduce_scatterv(in, longer, counts, sum); });
        std::vector<int> odd(7);
        expect_error(ErrorCode::invalid_argument, "the buffer has 7 elements; over 2 ranks",
                     [&] { world.reduce_scatter(odd, sum); });
        std::vector<int> both(6);
        const std::span<int> part(both.data() + 1, 3);
        expect_error(ErrorCode::invalid_argument, "input and output overlap; pass buffers that are apart",
                     [&] { world.reduce_scatter(both, part, sum); });
        // One that begins where the input does is in place only where it is the whole input.
        const std::span<int> whole(both);
        expect_error(ErrorCode::invalid_argument, "input has 6 elements, output 1; over 2 ranks",
                     [&] { world.reduce_scatter(both, whole.first(1), sum); });
        expect_error(ErrorCode::invalid_argument, "input and output overlap",
                     [&] { world.reduce_scatter(both, whole.first(3), sum); });
        expect_error(ErrorCode::invalid_argument, "has 1 elements, but its count is 3", [&] {
            world.reduce_scatterv(both, whole.first(1), Counts{3, 3}, sum);
        });
        expect_error(ErrorCode::invalid_argument, "input and output overlap", [&] {
            world.reduce_scatterv(both, whole.first(3), Counts{3, 3}, sum);
        });
        expect_error(ErrorCode::invalid_argument, "input has 6 elements, output 3",
                     [&] { world.allreduce(both, whole.first(3), sum); });
        expect_error(ErrorCode::invalid_argument, "input has 7 elements, output 3",
                     [&] { world.scan(in, out, sum); });
        expect_error(ErrorCode::invalid_argument, "input and output overlap",
                     [&] { world.exscan(std::span<const int>(both.data(), 3), part, sum); });
        world.barrier();
    });
}
