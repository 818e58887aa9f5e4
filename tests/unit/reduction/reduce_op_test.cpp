// ReduceOp, and the kernels that user_op makes.
#include "lib/foundation/reduction/reduce_op.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "tutti/error.hpp"

namespace tutti::reduction {

namespace {

struct Interval {
    double low;
    double high;
    explicit Interval(double at) : low(at), high(at) {}  // no default: elements are never constructed
    Interval(double from, double to) : low(from), high(to) {}
};

struct Subtract {
    int operator()(const int& a, const int& b) const { return a - b; }
};

int multiply(const int& a, const int& b)
{
    return a * b;
}

template <class T, class F>
ReduceOp resolved(const F& op)
{
    return ReduceOp(tutti::detail::operator_of<T>(op));
}

}  // namespace

TEST_CASE("a ReduceOp applies its kernel and knows whether it commutes")
{
    static_assert(std::is_trivially_copyable_v<ReduceOp> && sizeof(ReduceOp) <= 24);
    const ReduceOp sum(Op::sum, DataType::int64);
    std::int64_t values[] = {1, -2, 3};
    const std::int64_t others[] = {10, 20, 30};
    sum(values, values, others, 3);
    CHECK(values[0] == 11);
    CHECK(values[2] == 33);
    CHECK(sum.commutative());
    const Kernel take_right = [](void* dst, const void*, const void* b, std::size_t count) {
        std::memcpy(dst, b, count);
    };
    CHECK(!ReduceOp(take_right, false).commutative());
    CHECK_THROWS_AS(ReduceOp(static_cast<Op>(99), DataType::int8), Error);
}

TEST_CASE("an operator known to the compiler and one chosen at run time are the same")
{
    const float a = 3;
    const float b = 4;
    float result = 0;
    resolved<float>(tutti::prod)(&result, &a, &b, 1);
    CHECK(result == 12);
    resolved<float>(Op::max)(&result, &a, &b, 1);
    CHECK(result == 4);
    CHECK_THROWS_WITH(resolved<float>(Op::bxor), Catch::Contains("bxor is not defined on float32"));
}

TEST_CASE("a function object without state is a kernel by itself")
{
    const auto hull =
        user_op([](const Interval& a,
                   const Interval& b) { return Interval(std::min(a.low, b.low), std::max(a.high, b.high)); },
                commutative);
    static_assert(!tutti::detail::kHasState<std::remove_const_t<decltype(hull)>>);
    const ReduceOp op = resolved<Interval>(hull);
    CHECK(op.commutative());
    Interval values[] = {Interval(1), Interval(5, 6), Interval(-3)};
    const Interval others[] = {Interval(2), Interval(5), Interval(-9, 9)};
    op(values, values, others, 3);
    CHECK(values[0].low == 1);
    CHECK(values[0].high == 2);
    CHECK(values[1].high == 6);
    CHECK(values[2].low == -9);
}

TEST_CASE("operands keep their sides, whichever is overwritten")
{
    const ReduceOp minus = resolved<int>(user_op(Subtract{}, non_commutative));
    CHECK(!minus.commutative());
    int a[] = {10, 20, 30};
    int b[] = {1, 2, 3};
    int out[] = {0, 0, 0};
    minus(out, a, b, 3);
    CHECK(out[2] == 27);
    minus(b, a, b, 3);
    CHECK(b[0] == 9);
    minus(a, a, b, 3);
    CHECK(a[1] == 2);
    minus(a, a, b, 0);
    CHECK(a[0] == 1);
}

TEST_CASE("function objects with state, and function pointers, are called where they are")
{
    int modulus = 7;
    const auto modular =
        user_op([modulus](const int& a, const int& b) { return a * b % modulus; }, commutative);
    static_assert(tutti::detail::kHasState<std::remove_const_t<decltype(modular)>>);
    int a[] = {3, 5};
    const int b[] = {4, 4};
    resolved<int>(modular)(a, a, b, 2);
    CHECK(a[0] == 5);
    CHECK(a[1] == 6);
    const auto pointer = user_op(multiply, commutative);
    resolved<int>(pointer)(a, a, b, 2);
    CHECK(a[0] == 20);
}

TEST_CASE("user operators take elements at any address")
{
    std::byte memory[3 * sizeof(double) + 1];
    const double values[] = {1.5, 2.5, 0};
    std::memcpy(memory + 1, values, sizeof values);
    const auto sum = user_op([](const double& a, const double& b) { return a + b; }, commutative);
    resolved<double>(sum)(memory + 1 + 16, memory + 1, memory + 1 + 8, 1);
    double result = 0;
    std::memcpy(&result, memory + 17, sizeof result);
    CHECK(result == 4);
}

}  // namespace tutti::reduction
