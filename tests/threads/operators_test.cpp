// Operators of all kinds in the reducing calls of the public interface.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/threads/support.hpp"

namespace tutti::test {

namespace {

/// x -> slope x + offset, modulo 2^64: one map after another is associative and does not commute. The rest
/// makes the element one that no transport's frames hold a whole number of.
struct AffineMap {
    std::uint64_t slope;
    std::uint64_t offset;
    std::uint64_t unused[3];

    AffineMap(std::uint64_t a, std::uint64_t b) : slope(a), offset(b), unused{a, b, a} {}
    bool operator==(const AffineMap&) const = default;
};

AffineMap after(const AffineMap& first, const AffineMap& second)
{
    return {first.slope * second.slope, first.offset * second.slope + second.offset};
}

std::vector<AffineMap> affine_maps(int rank, std::size_t count)
{
    std::vector<AffineMap> values;
    const auto salt = static_cast<std::uint64_t>(rank);
    for (std::size_t i = 0; i < count; ++i)
        values.emplace_back(2 * salt + 3, i + 7 * salt);
    return values;
}

std::vector<AffineMap> composed(int ranks, std::size_t count)
{
    std::vector<AffineMap> result = affine_maps(0, count);
    for (int rank = 1; rank < ranks; ++rank) {
        const std::vector<AffineMap> next = affine_maps(rank, count);
        std::transform(result.begin(), result.end(), next.begin(), result.begin(), after);
    }
    return result;
}

// 3,001 of them are sent in several frames over every transport.
const std::size_t kMapCounts[] = {0, 1, 3, 500, 3001};

}  // namespace

TEST_CASE("a user's operator that does not commute keeps the ranks' order, at any size of element")
{
    const auto then =
        user_op([](const AffineMap& a, const AffineMap& b) { return after(a, b); }, non_commutative);
    at_all_sizes([&](const Communicator& world) {
        for (const std::size_t count : kMapCounts) {
            const std::vector<AffineMap> expected = composed(world.size(), count);
            std::vector<AffineMap> data = affine_maps(world.rank(), count);
            world.allreduce(data, then);
            expect(data == expected);
            std::vector<AffineMap> later = affine_maps(world.rank(), count);
            world.iallreduce(later, then).wait();
            expect(later == expected);
            const std::vector<AffineMap> in = affine_maps(world.rank(), count);
            const int root = world.size() / 2;
            std::vector<AffineMap> out = in;
            world.reduce(in, out, then, {.root = root});
            expect(out == (world.rank() == root ? expected : in));
            out = in;
            world.ireduce(in, out, then, {.root = root}).wait();
            expect(out == (world.rank() == root ? expected : in));
        }
    });
}

TEST_CASE("a user's operator in scans and reduce_scatter")
{
    const auto then = user_op(after, non_commutative);
    at_all_sizes([&](const Communicator& world) {
        const auto ranks = static_cast<std::size_t>(world.size());
        const auto own = static_cast<std::size_t>(world.rank());
        for (const std::size_t count : kMapCounts) {
            std::vector<AffineMap> data = affine_maps(world.rank(), count);
            world.scan(data, then);
            expect(data == composed(world.rank() + 1, count));
            data = affine_maps(world.rank(), count);
            world.iexscan(data, then).wait();
            expect(data == (own == 0 ? affine_maps(0, count) : composed(world.rank(), count)));

            const std::vector<AffineMap> in = affine_maps(world.rank(), ranks * count);
            const std::vector<AffineMap> all = composed(world.size(), ranks * count);
            std::vector<AffineMap> out = affine_maps(0, count);
            world.ireduce_scatter(in, out, then).wait();
            expect(std::equal(out.begin(), out.end(), all.begin() + static_cast<long>(own * count)));
        }
    });
}

TEST_CASE("the request of a reduction keeps its operator's state")
{
    at_all_sizes([](const Communicator& world) {
        std::weak_ptr<int> watched;
        std::vector<int> data(1000, world.rank() + 2);
        std::vector<int> out(1000);
        std::vector<int> at_root(1000);
        Request first;
        Request second;
        {
            auto modulus = std::make_shared<int>(1009);
            watched = modulus;
            const auto modular =
                user_op([modulus](const int& a, const int& b) { return a * b % *modulus; }, commutative);
            second = world.ireduce(data, at_root, modular, {.root = 0});
            first = world.iallreduce(data, out, modular);
        }
        expect(!watched.expired(), "alive while requests are");
        int expected = 1;
        for (int rank = 0; rank < world.size(); ++rank)
            expected = expected * (rank + 2) % 1009;
        second.wait();
        first.wait();
        expect(watched.expired(), "gone with the last request");
        expect(out == std::vector<int>(1000, expected));
        expect(at_root == std::vector<int>(1000, world.rank() == 0 ? expected : 0));
    });
}

TEST_CASE("function pointers and objects of other kinds are operators")
{
    at_all_sizes([](const Communicator& world) {
        std::vector<AffineMap> data = affine_maps(world.rank(), 10);
        world.allreduce(data, user_op(after, non_commutative));
        expect(data == composed(world.size(), 10));
        const std::string longest = allreduce(world, world.rank(), user_op(std::plus<>(), commutative)) ==
                                            world.size() * (world.size() - 1) / 2
                                        ? "equal"
                                        : "different";
        expect(longest == "equal");
    });
}

TEST_CASE("complex numbers, 16-bit floats and long double")
{
    at_all_sizes([](const Communicator& world) {
        const int ranks = world.size();
        const float first = static_cast<float>(ranks * (ranks + 1) / 2);
        std::vector<std::complex<double>> z(33, {static_cast<double>(world.rank() + 1), 1});
        world.allreduce(z, sum);
        expect(z == std::vector<std::complex<double>>(33, {first, static_cast<double>(ranks)}));
        std::complex<float> turn{0, 1};
        world.allreduce(turn, prod);
        const std::complex<float> turns[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
        expect(turn == turns[ranks % 4]);

        std::vector<float16> halves(4001, float16(static_cast<float>(world.rank() + 1)));
        world.allreduce(halves, sum);
        expect(std::all_of(halves.begin(), halves.end(), [=](float16 half) { return half == first; }));
        std::vector<bfloat16> brains(4001, bfloat16(static_cast<float>(-world.rank())));
        std::vector<bfloat16> least(4001);
        world.allreduce(brains, least, min);
        expect(std::all_of(least.begin(), least.end(),
                           [=](bfloat16 half) { return half == static_cast<float>(1 - ranks); }));
        const long double exact = allreduce(world, 1.0L + 0x1p-60L, max);
        expect(exact == 1.0L + 0x1p-60L);
    });
}

TEST_CASE("minloc and maxloc find the lowest rank that has the extreme")
{
    at_all_sizes([](const Communicator& world) {
        using Place = ValueIndex<double, int>;
        // Ranks 1, 4, 7, ... have the largest value.
        std::vector<Place> places(2001, {world.rank() % 3 == 1 ? 5.5 : 1.0, world.rank()});
        world.allreduce(places, maxloc);
        const Place best = world.size() == 1 ? Place{1.0, 0} : Place{5.5, 1};
        expect(places == std::vector<Place>(2001, best));
        ValueIndex<float> worst{static_cast<float>(world.rank()) * 0, world.rank() + 10};
        expect(allreduce(world, worst, minloc) == ValueIndex<float>{0, 10});
    });
}

TEST_CASE("logical and bitwise operators")
{
    at_all_sizes([](const Communicator& world) {
        const int ranks = world.size();
        const std::uint32_t own = 1u << world.rank();
        expect(allreduce(world, own, bor) == (1u << ranks) - 1);
        expect(allreduce(world, ~own, band) == ~((1u << ranks) - 1));
        expect(allreduce(world, own, bxor) == (1u << ranks) - 1);
        expect(allreduce(world, static_cast<std::int8_t>(world.rank()), land) == 0);
        expect(allreduce(world, ranks == 1 ? 1L : 7L, lxor) == ranks % 2);
        expect(allreduce(world, true, land));
        expect(allreduce(world, world.rank() == 0, lxor));
    });
}

TEST_CASE("an operator chosen at run time that is not defined is an error, and changes nothing")
{
    at_size(3, [](const Communicator& world) {
        const std::vector<float> in(10, 2.5f);
        std::vector<float> out(10, 1.5f);
        for (const Op op : {Op::band, Op::minloc, static_cast<Op>(77)}) {
            const std::string text = "not defined on float32";
            expect_error(ErrorCode::invalid_argument, text, [&] { world.allreduce(in, out, op); });
            expect_error(ErrorCode::invalid_argument, text, [&] { world.iallreduce(in, out, op).wait(); });
            expect_error(ErrorCode::invalid_argument, text, [&] { world.reduce(in, out, op); });
        }
        expect(out == std::vector<float>(10, 1.5f));
        world.allreduce(in, out, Op::sum);
        expect(out == std::vector<float>(10, 7.5f));
    });
}

}  // namespace tutti::test
