// Kernels of bool, integers, float, double and long double, against a plain loop written a second time here.
#include "lib/foundation/reduction/kernels.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/unit/reduction/support.hpp"
#include "tutti/error.hpp"

namespace tutti::reduction {

namespace {

constexpr Op kOrdered[] = {Op::sum, Op::min, Op::max, Op::prod};
constexpr Op kLogical[] = {Op::land, Op::lor, Op::lxor};
constexpr Op kBitwise[] = {Op::band, Op::bor, Op::bxor};

bool logical(Op op, bool a, bool b)
{
    return op == Op::land ? a && b : op == Op::lor ? a || b : a != b;
}

bool reference(Op op, bool a, bool b)
{
    switch (op) {
        case Op::sum:
        case Op::max:
        case Op::lor:
        case Op::bor:
            return a || b;
        case Op::lxor:
        case Op::bxor:
            return a != b;
        default:
            return a && b;
    }
}

template <class T>
requires std::is_floating_point_v<T> T reference(Op op, T a, T b)
{
    const bool nan = std::isnan(a) || std::isnan(b);
    switch (op) {
        case Op::sum:
            return a + b;
        case Op::prod:
            return a * b;
        case Op::min:
            return nan ? std::numeric_limits<T>::quiet_NaN() : std::min(a, b);
        case Op::max:
            return nan ? std::numeric_limits<T>::quiet_NaN() : std::max(a, b);
        default:
            return logical(op, a != 0, b != 0) ? 1 : 0;
    }
}

template <class T>
requires std::is_integral_v<T> T reference(Op op, T a, T b)
{
    const auto wide_a = static_cast<std::uint64_t>(a);
    const auto wide_b = static_cast<std::uint64_t>(b);
    switch (op) {
        case Op::sum:
            return static_cast<T>(wide_a + wide_b);
        case Op::prod:
            return static_cast<T>(wide_a * wide_b);
        case Op::min:
            return std::min(a, b);
        case Op::max:
            return std::max(a, b);
        case Op::band:
            return static_cast<T>(wide_a & wide_b);
        case Op::bor:
            return static_cast<T>(wide_a | wide_b);
        case Op::bxor:
            return static_cast<T>(wide_a ^ wide_b);
        default:
            return logical(op, a != 0, b != 0) ? 1 : 0;
    }
}

/// All bit patterns for integers, the awkward values for floats, zeros often.
template <class T>
T draw(test::Random& random)
{
    const std::uint64_t bits = random();
    if (bits % 4 == 0)
        return T{};
    if constexpr (std::is_same_v<T, bool>) {
        return bits % 2 == 1;
    } else if constexpr (std::is_floating_point_v<T>) {
        using Limits = std::numeric_limits<T>;
        constexpr T kAwkward[] = {Limits::infinity(), -Limits::infinity(),  Limits::quiet_NaN(),
                                  Limits::max(),      Limits::denorm_min(), Limits::lowest()};
        if (bits % 16 == 1)
            return kAwkward[(bits >> 8) % std::size(kAwkward)];
        return static_cast<T>(static_cast<double>(bits >> 40) / 1024 - 8192);
    } else {
        return static_cast<T>(bits >> 16);
    }
}

template <class T>
bool same(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>)
        return a == b || (std::isnan(a) && std::isnan(b));
    else
        return a == b;
}

template <class T>
void check(std::span<const Op> ops)
{
    for (const Op op : ops)
        test::check_operator<T>(
            op, data_type_of<T>(), [op](T a, T b) { return reference(op, a, b); }, draw<T>, same<T>);
}

template <class T>
void check_integer()
{
    check<T>(kOrdered);
    check<T>(kLogical);
    check<T>(kBitwise);
}

template <class T>
void check_floating()
{
    check<T>(kOrdered);
    check<T>(kLogical);
}

}  // namespace

TEST_CASE("kernels of bool and the integers")
{
    check_integer<bool>();
    check_integer<std::int8_t>();
    check_integer<std::int16_t>();
    check_integer<std::int32_t>();
    check_integer<std::int64_t>();
    check_integer<std::uint8_t>();
    check_integer<std::uint16_t>();
    check_integer<std::uint32_t>();
    check_integer<std::uint64_t>();
}

TEST_CASE("kernels of float, double and long double")
{
    check_floating<float>();
    check_floating<double>();
    check_floating<long double>();
}

TEST_CASE("integer overflow wraps")
{
    const std::int32_t large = std::numeric_limits<std::int32_t>::max();
    const std::int32_t one = 1;
    std::int32_t result = 0;
    kernel(Op::sum, DataType::int32)(&result, &large, &one, 1);
    CHECK(result == std::numeric_limits<std::int32_t>::min());

    // 65535 * 65535 overflows int, to which unsigned short is promoted.
    const std::uint16_t wide = 65535;
    std::uint16_t product = 0;
    kernel(Op::prod, DataType::uint16)(&product, &wide, &wide, 1);
    CHECK(product == 1);

    const std::int8_t low = -128;
    std::int8_t sum = 0;
    kernel(Op::sum, DataType::int8)(&sum, &low, &low, 1);
    CHECK(sum == 0);
}

TEST_CASE("NaN wins min and max on either side, and is true for logical operators")
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double one = 1;
    const double zero = 0;
    for (const InstructionSet set : supported_instruction_sets()) {
        const auto apply = [set](Op op, double a, double b) {
            double result = 0.5;
            kernel(op, DataType::float64, set)(&result, &a, &b, 1);
            return result;
        };
        for (const Op op : {Op::min, Op::max}) {
            CHECK(std::isnan(apply(op, nan, one)));
            CHECK(std::isnan(apply(op, one, nan)));
        }
        CHECK(apply(Op::lor, zero, nan) == 1);
        CHECK(apply(Op::lor, zero, -zero) == 0);
        CHECK(apply(Op::land, one, nan) == 1);
        CHECK(apply(Op::land, zero, nan) == 0);
        CHECK(apply(Op::lxor, one, nan) == 0);
    }
}

TEST_CASE("of two zeros min and max take the right one")
{
    for (const InstructionSet set : supported_instruction_sets()) {
        for (const Op op : {Op::min, Op::max}) {
            for (const float sign : {1.0f, -1.0f}) {
                const float left = -sign * 0.0f;
                const float right = sign * 0.0f;
                float result = 7;
                kernel(op, DataType::float32, set)(&result, &left, &right, 1);
                CHECK(result == 0);
                CHECK(std::signbit(result) == std::signbit(right));
            }
        }
    }
}

TEST_CASE("baseline always exists, and the default kernel is that of the widest set")
{
    REQUIRE(!supported_instruction_sets().empty());
    CHECK(supported_instruction_sets().front() == InstructionSet::baseline);
    CHECK(kernel(Op::sum, DataType::float32) ==
          kernel(Op::sum, DataType::float32, supported_instruction_sets().back()));
}

TEST_CASE("there is a kernel exactly where the operator is defined on the type")
{
    int defined = 0;
    for (std::size_t i = 0; i < kOpCount; ++i) {
        const Op op = static_cast<Op>(i);
        for (const DataType type : all_types()) {
            CAPTURE(to_string(op), to_string(type));
            if (is_defined(op, type)) {
                ++defined;
                for (const InstructionSet set : supported_instruction_sets())
                    CHECK(kernel(op, type, set) != nullptr);
            } else {
                CHECK_THROWS_AS(kernel(op, type), Error);
            }
        }
    }
    // 9 integral types have 10 operators, 3 floating ones 7, 2 halves 4, 2 complex ones 2, 26 pairs 2.
    CHECK(defined == 9 * 10 + 3 * 7 + 2 * 4 + 3 * 2 + 26 * 2);
}

TEST_CASE("what is not defined is an error that says so")
{
    CHECK_THROWS_WITH(kernel(Op::band, DataType::float32), Catch::Contains("band is not defined on float32"));
    CHECK_THROWS_WITH(kernel(Op::min, DataType::complex64),
                      Catch::Contains("min is not defined on complex64"));
    CHECK_THROWS_WITH(kernel(Op::sum, with_index(DataType::float64, 4)),
                      Catch::Contains("sum is not defined on float64+index32"));
    CHECK_THROWS_AS(kernel(static_cast<Op>(99), DataType::int32), Error);
    CHECK_THROWS_AS(kernel(Op::sum, static_cast<DataType>(kValueTypeCount)), Error);
    CHECK_THROWS_AS(kernel(Op::minloc, static_cast<DataType>(0xff)), Error);
    CHECK_THROWS_AS(kernel(Op::sum, DataType::int32, static_cast<InstructionSet>(99)), Error);
    CHECK(to_string(static_cast<Op>(99)) == "unknown operator");
    CHECK(to_string(static_cast<DataType>(0x3f)) == "unknown type");
}

}  // namespace tutti::reduction
