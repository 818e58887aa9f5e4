// Kernels of what is made of two numbers: complex ones, and values with an index.
#include <catch2/catch.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "tests/unit/reduction/support.hpp"

namespace tutti::reduction {

namespace {

// Small whole numbers: their products are exact, whatever the order.
template <class T>
T whole(test::Random& random)
{
    return static_cast<T>(static_cast<int>(random() % 2001) - 1000);
}

template <class T>
void check_complex()
{
    using Complex = std::complex<T>;
    const auto draw = [](test::Random& random) {
        const T real = whole<T>(random);
        return Complex(real, whole<T>(random));
    };
    const auto same = [](Complex a, Complex b) { return a == b; };
    test::check_operator<Complex>(
        Op::sum, data_type_of<Complex>(), [](Complex a, Complex b) { return a + b; }, draw, same);
    test::check_operator<Complex>(
        Op::prod, data_type_of<Complex>(),
        [](Complex a, Complex b) {
            return Complex(a.real() * b.real() - a.imag() * b.imag(),
                           a.real() * b.imag() + a.imag() * b.real());
        },
        draw, same);
}

/// Whether a is found before b.
template <class T, class Index>
bool before(bool largest, const ValueIndex<T, Index>& a, const ValueIndex<T, Index>& b)
{
    const long double left = static_cast<long double>(a.value);
    const long double right = static_cast<long double>(b.value);
    if (std::isnan(left) != std::isnan(right))
        return std::isnan(left);
    if (!std::isnan(left) && left != right)
        return largest ? left > right : left < right;
    return a.index <= b.index;
}

template <class T>
constexpr bool kFloating = std::is_floating_point_v<T> || std::is_class_v<T>;

template <class T, class Index>
void check_locations_of()
{
    using Pair = ValueIndex<T, Index>;
    // Few values, so that many are equal; also NaN, and indices of both signs.
    const auto draw = [](test::Random& random) {
        const std::uint64_t bits = random();
        T value = static_cast<T>(static_cast<float>(bits % 5) + 1);
        if constexpr (kFloating<T>) {
            if (bits % 7 == 0)
                value = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
        } else if (bits % 7 == 0) {
            value = std::numeric_limits<T>::min();
        }
        return Pair{value, static_cast<Index>(static_cast<int>(bits >> 40) % 4)};
    };
    const auto same = [](const Pair& a, const Pair& b) {
        const auto left = static_cast<long double>(a.value);
        const auto right = static_cast<long double>(b.value);
        return (left == right || (std::isnan(left) && std::isnan(right))) && a.index == b.index;
    };
    for (const bool largest : {false, true})
        test::check_operator<Pair>(
            largest ? Op::maxloc : Op::minloc, data_type_of<Pair>(),
            [largest](const Pair& a, const Pair& b) { return before(largest, a, b) ? a : b; }, draw, same);
}

template <class T>
void check_own_locations()
{
    struct Two {
        T value;
        T index;
    };
    const auto draw = [](test::Random& random) {
        return Two{static_cast<T>(random() % 4), static_cast<T>(random() % 9) / 2 - 2};
    };
    const auto same = [](const Two& a, const Two& b) { return a.value == b.value && a.index == b.index; };
    for (const bool largest : {false, true})
        test::check_operator<Two>(
            largest ? Op::maxloc : Op::minloc, with_own_index(data_type_of<T>()),
            [largest](const Two& a, const Two& b) {
                const bool first = largest ? a.value > b.value : a.value < b.value;
                return first || (a.value == b.value && a.index <= b.index) ? a : b;
            },
            draw, same);
}

template <class T>
void check_locations()
{
    check_locations_of<T, std::int32_t>();
    check_locations_of<T, std::int64_t>();
}

}  // namespace

TEST_CASE("kernels of complex numbers")
{
    check_complex<float>();
    check_complex<double>();
    check_complex<long double>();
}

TEST_CASE("minloc and maxloc of two numbers of one type")
{
    CHECK(to_string(with_own_index(DataType::float64)) == "float64+float64");
    CHECK(size_bytes(with_own_index(DataType::float32)) == 8);
    CHECK(size_bytes(with_own_index(DataType::float64)) == 16);
    CHECK_FALSE(is_defined(Op::minloc, with_own_index(DataType::int32)));
    CHECK_FALSE(is_defined(Op::sum, with_own_index(DataType::float32)));
    check_own_locations<float>();
    check_own_locations<double>();
}

TEST_CASE("all instruction sets round complex products alike")
{
    test::Random random(7);
    std::vector<std::complex<float>> a(101);
    std::vector<std::complex<float>> b(101);
    const auto fraction = [&] { return static_cast<float>(random() % 1000003) / 1000003; };
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = {fraction(), fraction()};
        b[i] = {fraction(), fraction()};
    }
    std::vector<std::complex<float>> expected(a.size());
    kernel(Op::prod, DataType::complex64, InstructionSet::baseline)(expected.data(), a.data(), b.data(),
                                                                    a.size());
    for (const InstructionSet set : supported_instruction_sets()) {
        std::vector<std::complex<float>> result(a.size());
        kernel(Op::prod, DataType::complex64, set)(result.data(), a.data(), b.data(), a.size());
        CHECK((result == expected));
    }
}

TEST_CASE("minloc and maxloc of integers")
{
    check_locations<std::int8_t>();
    check_locations<std::int16_t>();
    check_locations<std::int32_t>();
    check_locations<std::int64_t>();
    check_locations<std::uint8_t>();
    check_locations<std::uint16_t>();
    check_locations<std::uint32_t>();
    check_locations<std::uint64_t>();
}

TEST_CASE("minloc and maxloc of floating-point numbers")
{
    check_locations<float16>();
    check_locations<bfloat16>();
    check_locations<float>();
    check_locations<double>();
    check_locations<long double>();
}

TEST_CASE("64-bit values are compared whole")
{
    using Pair = ValueIndex<std::uint64_t>;
    const Pair a{(std::uint64_t{1} << 63) + 1, 5};
    const Pair b{std::uint64_t{1} << 63, 3};
    Pair result{};
    kernel(Op::maxloc, data_type_of<Pair>())(&result, &a, &b, 1);
    CHECK(result == a);
    kernel(Op::minloc, data_type_of<Pair>())(&result, &a, &b, 1);
    CHECK(result == b);
}

}  // namespace tutti::reduction
