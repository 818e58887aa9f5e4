#include "lib/foundation/datatype/external.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "lib/foundation/datatype/transfer.hpp"

namespace tutti::datatype {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr bool kLongDoubleIsX87 = std::numeric_limits<long double>::digits == 64;

bool is_signed(DataType type) noexcept
{
    return type >= DataType::int8 && type <= DataType::int64;
}

/// One number: its bytes in memory and in the portable form.
struct Number {
    std::size_t bytes;
    std::size_t external_bytes;
    bool is_signed;
    bool is_x87;
};

std::size_t numbers_of(DataType type) noexcept
{
    return type >= DataType::complex64 ? 2 : 1;
}

Number number_of(const Signature& run) noexcept
{
    const std::size_t numbers = numbers_of(run.type) * run.elements;
    const bool is_long = run.type == DataType::long_double || run.type == DataType::complex_long_double;
    return {run.bytes / numbers, run.external_bytes / numbers, is_signed(run.type),
            is_long && kLongDoubleIsX87};
}

// An x87 number is 64 bits of fraction with the leading one, then exponent and sign in 16 bits. The number of
// 128 bits has the same exponent, and 112 bits of fraction without the leading one.
void write_x87(const std::byte* from, std::byte* to) noexcept
{
    std::uint64_t fraction;
    std::uint16_t exponent;
    std::memcpy(&fraction, from, 8);
    std::memcpy(&exponent, from + 8, 2);
    fraction <<= 1;
    const std::uint64_t upper = std::uint64_t{exponent} << 48 | fraction >> 16;
    const std::array<std::uint64_t, 2> words{__builtin_bswap64(upper), __builtin_bswap64(fraction << 48)};
    std::memcpy(to, words.data(), 16);
}

void read_x87(const std::byte* from, std::byte* to) noexcept
{
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), from, 16);
    const std::uint64_t upper = __builtin_bswap64(words[0]);
    const auto exponent = static_cast<std::uint16_t>(upper >> 48);
    const bool leads = (exponent & 0x7fff) != 0;
    const std::uint64_t fraction =
        (upper << 16 | __builtin_bswap64(words[1]) >> 48) >> 1 | std::uint64_t{leads} << 63;
    std::memset(to, 0, sizeof(long double));
    std::memcpy(to, &fraction, 8);
    std::memcpy(to + 8, &exponent, 2);
}

void write_number(const Number& number, const std::byte* from, std::byte* to) noexcept
{
    if (number.is_x87) {
        write_x87(from, to);
        return;
    }
    const std::size_t kept = std::min(number.bytes, number.external_bytes);
    const bool negative = number.is_signed && (from[number.bytes - 1] & std::byte{0x80}) != std::byte{0};
    std::memset(to, negative ? 0xff : 0, number.external_bytes);
    std::reverse_copy(from, from + kept, to + (number.external_bytes - kept));
}

void read_number(const Number& number, const std::byte* from, std::byte* to) noexcept
{
    if (number.is_x87) {
        read_x87(from, to);
        return;
    }
    const std::size_t kept = std::min(number.bytes, number.external_bytes);
    const bool negative = number.is_signed && (from[0] & std::byte{0x80}) != std::byte{0};
    std::memset(to, negative ? 0xff : 0, number.bytes);
    std::reverse_copy(from + (number.external_bytes - kept), from + number.external_bytes, to);
}

// Calls visit(number, how many, their first byte in the transfer, and in the portable form) for as many at a
// time as `room` holds in memory.
constexpr std::size_t kRoomBytes = 4096;

template <class Visit>
void for_each_piece(const Typemap& type, std::size_t count, Visit&& visit)
{
    std::size_t at = 0;
    std::size_t external_at = 0;
    const auto pieces_of = [&](const Signature& run) {
        const Number number = number_of(run);
        for (std::size_t left = run.bytes / number.bytes; left != 0;) {
            const std::size_t some = std::min(left, kRoomBytes / number.bytes);
            visit(number, some, at, external_at);
            at += some * number.bytes;
            external_at += some * number.external_bytes;
            left -= some;
        }
    };
    type.signature().times(count).for_each_run(pieces_of);
}

}  // namespace

std::size_t external_bytes(const Typemap& type, std::size_t count)
{
    return type.signature().times(count).external_bytes;
}

void pack_external(const Typemap& type, std::size_t count, const std::byte* base, std::span<std::byte> out)
{
    std::array<std::byte, kRoomBytes> room;
    for_each_piece(type, count,
                   [&](const Number& number, std::size_t some, std::size_t from, std::size_t to) {
                       pack(type, count, base, from, {room.data(), some * number.bytes});
                       for (std::size_t i = 0; i < some; ++i)
                           write_number(number, room.data() + i * number.bytes,
                                        out.data() + to + i * number.external_bytes);
                   });
}

std::size_t unpack_external(const Typemap& type, std::size_t count, std::byte* base,
                            std::span<const std::byte> in)
{
    std::array<std::byte, kRoomBytes> room;
    std::size_t written = 0;
    for_each_piece(type, count,
                   [&](const Number& number, std::size_t some, std::size_t to, std::size_t from) {
                       const std::size_t left = from < in.size() ? in.size() - from : 0;
                       some = std::min(some, left / number.external_bytes);
                       for (std::size_t i = 0; i < some; ++i)
                           read_number(number, in.data() + from + i * number.external_bytes,
                                       room.data() + i * number.bytes);
                       unpack(type, count, base, to, {room.data(), some * number.bytes});
                       written += some * number.bytes;
                   });
    return written;
}

}  // namespace tutti::datatype
