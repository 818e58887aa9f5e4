// Reductions of two arrays of one rank.
#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "tutti/tutti.hpp"

namespace {

struct Affine {
    int factor;
    int shift;
    bool operator==(const Affine&) const = default;
};

}  // namespace

TEST_CASE("a local reduction leaves in op inout in the second buffer", "[reduce_local]")
{
    const std::vector<int> in{1, 20, 3};
    std::vector<int> inout{10, 2, 30};
    tutti::reduce_local(in, inout, tutti::sum);
    CHECK(inout == std::vector{11, 22, 33});
    tutti::reduce_local(in, inout, tutti::Op::min);
    CHECK(inout == std::vector{1, 20, 3});
    double largest = 1.5;
    tutti::reduce_local(2.5, largest, tutti::max);
    CHECK(largest == 2.5);
    tutti::reduce_local(largest, largest, tutti::prod);
    CHECK(largest == 6.25);
    std::vector<int> none;
    tutti::reduce_local(none, none, tutti::sum);
}

TEST_CASE("the first buffer is the left operand of a user's operator", "[reduce_local]")
{
    const std::array<Affine, 2> in{{{2, 1}, {3, 0}}};
    std::array<Affine, 2> inout{{{5, 7}, {1, 4}}};
    const auto then = [](const Affine& a, const Affine& b) {
        return Affine{a.factor * b.factor, a.shift * b.factor + b.shift};
    };
    tutti::reduce_local(in, inout, tutti::user_op(then, tutti::non_commutative));
    CHECK(inout == std::array<Affine, 2>{{{10, 12}, {3, 4}}});
    int calls = 0;
    const auto counted = [&calls](int a, int b) { return ++calls, a - b; };
    int value = 3;
    tutti::reduce_local(10, value, tutti::user_op(counted, tutti::non_commutative));
    CHECK(value == 7);
    CHECK(calls == 1);
}

TEST_CASE("elements whose type is known at run time only", "[reduce_local]")
{
    const std::array<std::uint16_t, 2> in{0x0f0f, 0x1000};
    std::array<std::uint16_t, 2> inout{0x00ff, 0x0001};
    tutti::reduce_local(in.data(), inout.data(), 2, tutti::DataType::uint16, tutti::Op::bxor);
    CHECK(inout == std::array<std::uint16_t, 2>{0x0ff0, 0x1001});
}

TEST_CASE("what a local reduction cannot do is an error, and nothing is written", "[reduce_local]")
{
    std::vector<int> two{1, 2};
    std::vector<int> three{1, 2, 3};
    CHECK_THROWS_WITH(tutti::reduce_local(two, three, tutti::sum), Catch::Contains("reduce_local"));
    CHECK_THROWS_AS(tutti::reduce_local(std::span(three).first(2), std::span(three).last(2), tutti::sum),
                    tutti::Error);
    CHECK_THROWS_AS(tutti::reduce_local(two, two, tutti::Op::minloc), tutti::Error);
    CHECK_THROWS_AS(tutti::reduce_local(nullptr, two.data(), 2, tutti::DataType::int32, tutti::Op::sum),
                    tutti::Error);
    CHECK(three == std::vector{1, 2, 3});
    CHECK(two == std::vector{1, 2});
}
