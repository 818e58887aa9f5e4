// float16 and bfloat16: their conversions, and the kernels on them.
#include "tutti/half.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/unit/reduction/support.hpp"

namespace tutti::reduction {

namespace {

constexpr std::uint32_t kPatterns = 1u << 16;

// What the bits mean, by the standard's definition: nothing shared with the code under test.
double value_of(std::uint32_t bits, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    const double fraction = static_cast<double>(bits & ((1u << fraction_bits) - 1)) / (1 << fraction_bits);
    const double sign = bits >> (exponent_bits + fraction_bits) != 0 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    return sign *
           (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias));
}

struct Float16 {
    using Type = float16;
    static constexpr DataType kType = DataType::float16;
    static double value(std::uint32_t bits) { return value_of(bits, 5, 10); }
    static constexpr std::uint32_t kInfinity = 0x7c00;
};

struct Bfloat16 {
    using Type = bfloat16;
    static constexpr DataType kType = DataType::bfloat16;
    static double value(std::uint32_t bits) { return value_of(bits, 8, 7); }
    static constexpr std::uint32_t kInfinity = 0x7f80;
};

bool same_value(double a, double b)
{
    return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}

template <class Format>
void check_widening()
{
    using T = typename Format::Type;
    std::uint32_t wrong = 0;
    for (std::uint32_t bits = 0; bits < kPatterns; ++bits) {
        const T half = T::from_bits(static_cast<std::uint16_t>(bits));
        wrong += same_value(static_cast<float>(half), Format::value(bits)) ? 0 : 1;
        const std::uint16_t back = T(static_cast<float>(half)).bits();
        // A NaN that signals comes back as one that does not, with the same payload.
        wrong += back == bits || (std::isnan(Format::value(bits)) && (back & 0x3f) == (bits & 0x3f)) ? 0 : 1;
    }
    CHECK(wrong == 0);
}

// Around every representable value: the middle between two neighbours goes to the even one, and what is next
// to the middle to the nearer one. Beyond the largest, the neighbour counts as the next power of two.
template <class Format>
void check_rounding()
{
    using T = typename Format::Type;
    std::uint32_t wrong = 0;
    for (std::uint32_t bits = 0; bits < Format::kInfinity; ++bits) {
        const double low = Format::value(bits);
        const double high =
            bits + 1 == Format::kInfinity ? 2 * low - Format::value(bits - 1) : Format::value(bits + 1);
        const float middle = static_cast<float>((low + high) / 2);
        if (static_cast<double>(middle) != (low + high) / 2)
            continue;  // float's own subnormals, and its overflow
        const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
        for (const float sign : {1.0f, -1.0f}) {
            const std::uint32_t sign_bit = sign < 0 ? 0x8000u : 0;
            const float below = std::nextafter(middle, 0.0f);
            const float above = std::nextafter(middle, std::numeric_limits<float>::infinity());
            wrong += T(sign * middle).bits() == (even | sign_bit) ? 0 : 1;
            wrong += T(sign * below).bits() == (bits | sign_bit) ? 0 : 1;
            wrong += T(sign * above).bits() == ((bits + 1) | sign_bit) ? 0 : 1;
        }
    }
    CHECK(wrong == 0);
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK(T(infinity).bits() == Format::kInfinity);
    CHECK(T(std::numeric_limits<float>::max()).bits() == Format::kInfinity);
    CHECK(std::isnan(static_cast<float>(T(std::numeric_limits<float>::quiet_NaN()))));
    // A payload in the lowest bits only must not become an infinity.
    CHECK(std::isnan(static_cast<float>(T(std::bit_cast<float>(0x7f800001u)))));
}

template <class Format>
void check_kernels()
{
    using T = typename Format::Type;
    const auto draw = [](test::Random& random) {
        return T::from_bits(static_cast<std::uint16_t>(random() >> 20));
    };
    const auto same = [](T a, T b) {
        return same_value(a, b) && (a.bits() == b.bits() || std::isnan(static_cast<float>(a)));
    };
    const auto check = [&](Op op, auto compute) {
        test::check_operator<T>(
            op, Format::kType,
            [compute](T a, T b) {
                return T(compute(static_cast<float>(Format::value(a.bits())),
                                 static_cast<float>(Format::value(b.bits()))));
            },
            draw, same);
    };
    check(Op::sum, [](float a, float b) { return a + b; });
    check(Op::prod, [](float a, float b) { return a * b; });
    check(Op::min, [](float a, float b) { return a < b || std::isnan(a) ? a : b; });
    check(Op::max, [](float a, float b) { return a > b || std::isnan(a) ? a : b; });
}

}  // namespace

TEST_CASE("every float16 and bfloat16 is the float that its bits mean, and comes back")
{
    static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2);
    static_assert(float16(1.0f).bits() == 0x3c00 && static_cast<float>(bfloat16(-2.0f)) == -2.0f);
    check_widening<Float16>();
    check_widening<Bfloat16>();
}

TEST_CASE("floats round to the nearest float16 and bfloat16, ties to even")
{
    check_rounding<Float16>();
    check_rounding<Bfloat16>();
}

TEST_CASE("kernels of float16 and bfloat16 compute as float and round once")
{
    check_kernels<Float16>();
    check_kernels<Bfloat16>();
}

TEST_CASE("a sum of halves is the correctly rounded one")
{
    // 1 + 2^-11 is a tie, 1 + 3 * 2^-12 is not: rounding twice could not tell them apart.
    const float16 values[] = {float16(1.0f), float16(1.0f)};
    const float16 terms[] = {float16(std::ldexp(1.0f, -11)), float16(3 * std::ldexp(1.0f, -12))};
    for (const InstructionSet set : supported_instruction_sets()) {
        float16 result[2];
        kernel(Op::sum, DataType::float16, set)(result, values, terms, 2);
        CHECK(result[0].bits() == 0x3c00);
        CHECK(result[1].bits() == 0x3c01);
    }
}

}  // namespace tutti::reduction
