// The portable form of data, byte by byte, and back.
#include "lib/foundation/datatype/external.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "lib/foundation/datatype/build.hpp"

namespace {

using namespace tutti::datatype;
using tutti::DataType;

template <class T>
std::string hex_of(const T& value, const TypemapRef& type)
{
    std::vector<std::byte> out(external_bytes(*type, 1));
    pack_external(*type, 1, reinterpret_cast<const std::byte*>(&value), out);
    std::string text;
    for (const std::byte byte : out) {
        constexpr char kDigits[] = "0123456789abcdef";
        text += {kDigits[static_cast<int>(byte) >> 4], kDigits[static_cast<int>(byte) & 15]};
    }
    return text;
}

template <class T>
T round_trip(const T& value, const TypemapRef& type)
{
    std::vector<std::byte> out(external_bytes(*type, 1));
    pack_external(*type, 1, reinterpret_cast<const std::byte*>(&value), out);
    T back{};
    unpack_external(*type, 1, reinterpret_cast<std::byte*>(&back), out);
    return back;
}

}  // namespace

TEST_CASE("portable numbers begin with their highest byte")
{
    CHECK(hex_of(std::int8_t{-2}, basic(DataType::int8)) == "fe");
    CHECK(hex_of(std::uint16_t{0x1234}, basic(DataType::uint16)) == "1234");
    CHECK(hex_of(std::int32_t{1}, basic(DataType::int32)) == "00000001");
    CHECK(hex_of(std::int64_t{-2}, basic(DataType::int64)) == "fffffffffffffffe");
    CHECK(hex_of(1.0f, basic(DataType::float32)) == "3f800000");
    CHECK(hex_of(-2.5, basic(DataType::float64)) == "c004000000000000");
    CHECK(hex_of(std::complex<float>(1, -1), basic(DataType::complex64)) == "3f800000bf800000");
    CHECK(hex_of(true, basic(DataType::boolean)) == "01");
}

TEST_CASE("numbers whose portable form is shorter or longer")
{
    const TypemapRef as_long = basic(DataType::int64, 4);
    CHECK(hex_of(std::int64_t{-2}, as_long) == "fffffffe");
    CHECK(round_trip(std::int64_t{-2}, as_long) == -2);
    CHECK(round_trip(std::int64_t{77}, as_long) == 77);
    const TypemapRef as_unsigned = basic(DataType::uint64, 4);
    CHECK(hex_of(std::uint64_t{0xfffffffe}, as_unsigned) == "fffffffe");
    CHECK(round_trip(std::uint64_t{0xfffffffe}, as_unsigned) == 0xfffffffe);
    CHECK(hex_of(std::int16_t{-3}, basic(DataType::int16, 4)) == "fffffffd");
    CHECK(round_trip(std::int16_t{-3}, basic(DataType::int16, 4)) == -3);
}

TEST_CASE("long double in 128 bits")
{
    const TypemapRef type = basic(DataType::long_double);
    CHECK(hex_of(1.0L, type) == "3fff0000000000000000000000000000");
    CHECK(hex_of(-1.5L, type) == "bfff8000000000000000000000000000");
    CHECK(hex_of(0.0L, type) == "00000000000000000000000000000000");
    CHECK(hex_of(std::numeric_limits<long double>::infinity(), type) == "7fff0000000000000000000000000000");
    using Limits = std::numeric_limits<long double>;
    for (const long double value : {0.0L, 1.0L, -0.1L, 3.25e4000L, Limits::min(), Limits::denorm_min(),
                                    Limits::max(), -Limits::infinity(), 1.0L + Limits::epsilon()})
        CHECK(round_trip(value, type) == value);
    CHECK(round_trip(Limits::quiet_NaN(), type) != round_trip(Limits::quiet_NaN(), type));
    const std::complex<long double> two(0.1L, -7);
    CHECK(external_bytes(*basic(DataType::complex_long_double), 1) == 32);
    CHECK(round_trip(two, basic(DataType::complex_long_double)) == two);
}

TEST_CASE("numbers that no operator knows are turned around as a whole, complex ones by their parts")
{
    const std::array<std::uint8_t, 16> bytes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const TypemapRef quad = number(DataType::float64, 16);
    CHECK(hex_of(bytes, quad) == "0f0e0d0c0b0a09080706050403020100");
    CHECK(round_trip(bytes, quad) == bytes);
    CHECK(quad->alignment() == 16);
    CHECK(quad->signature().whole_elements(33) == 2);
    CHECK(hex_of(bytes, number(DataType::complex64, 16)) == "07060504030201000f0e0d0c0b0a0908");
}

TEST_CASE("derived types: without gaps, in the order of transfer")
{
    struct Pair {
        double value;
        std::int32_t index;
    };
    const TypemapRef value = basic(DataType::float64);
    const TypemapRef index = basic(DataType::int32);
    const std::array members{Member{8, 1, index.get()}, Member{0, 1, value.get()}};
    const TypemapRef pair = structure(members);
    CHECK(external_bytes(*pair, 3) == 36);
    CHECK(hex_of(Pair{1, 2}, pair) == "000000023ff0000000000000");

    // Every other one of many, more than are converted at a time.
    constexpr std::size_t kCount = 3000;
    std::vector<Pair> in(2 * kCount);
    for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = {static_cast<double>(i) / 3, -static_cast<std::int32_t>(i)};
    const TypemapRef every_other = vector(kCount, 1, 2, *pair);
    std::vector<std::byte> out(external_bytes(*every_other, 1));
    CHECK(out.size() == kCount * 12);
    pack_external(*every_other, 1, reinterpret_cast<const std::byte*>(in.data()), out);
    std::vector<Pair> back(2 * kCount, Pair{0, 0});
    unpack_external(*every_other, 1, reinterpret_cast<std::byte*>(back.data()), out);
    bool right = true;
    for (std::size_t i = 0; i < in.size(); ++i)
        right = right && (i % 2 == 0 ? back[i].value == in[i].value && back[i].index == in[i].index
                                     : back[i].value == 0 && back[i].index == 0);
    CHECK(right);

    std::vector<std::int32_t> many(5000);
    std::iota(many.begin(), many.end(), -7);
    out.resize(external_bytes(*index, many.size()));
    pack_external(*index, many.size(), reinterpret_cast<const std::byte*>(many.data()), out);
    std::vector<std::int32_t> many_back(many.size());
    unpack_external(*index, many.size(), reinterpret_cast<std::byte*>(many_back.data()), out);
    CHECK(many_back == many);
}
