// 16-bit floating-point values: IEEE 754's half precision, and the upper half of a float.
#pragma once

#include <cstdint>

#include "tutti/standard.hpp"

namespace tutti {

namespace detail {

// No branches, so that loops become vector instructions. Always inlined: the reduction kernels use them in
// code for instruction sets that not every CPU has, so no shared copy may exist.

[[gnu::always_inline]] constexpr float float_of_bits(std::uint32_t bits) noexcept
{
    return __builtin_bit_cast(float, bits);
}

[[gnu::always_inline]] constexpr std::uint32_t bits_of_float(float value) noexcept
{
    return __builtin_bit_cast(std::uint32_t, value);
}

[[gnu::always_inline]] constexpr float float_of_float16(std::uint16_t half) noexcept
{
    const std::uint32_t sign = (half & 0x8000u) << 16;
    const std::uint32_t magnitude = (half & 0x7fffu) << 13;
    const std::uint32_t exponent = magnitude & 0x0f800000u;
    const std::uint32_t normal = magnitude + ((127u - 15u) << 23);
    const std::uint32_t special = magnitude | 0x7f800000u;
    // 2^-14 (1 + fraction) - 2^-14: exact, and the hardware finds the exponent.
    constexpr std::uint32_t kSmallestNormal = 113u << 23;
    const std::uint32_t subnormal =
        bits_of_float(float_of_bits(magnitude + kSmallestNormal) - float_of_bits(kSmallestNormal));
    const std::uint32_t finite = exponent == 0 ? subnormal : normal;
    return float_of_bits(sign | (exponent == 0x0f800000u ? special : finite));
}

[[gnu::always_inline]] constexpr std::uint16_t float16_of_float(float value) noexcept
{
    const std::uint32_t bits = bits_of_float(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    // The carry of the rounding may increase the exponent, up to infinity.
    const std::uint32_t normal = (magnitude - ((127u - 15u) << 23) + 0xfffu + ((magnitude >> 13) & 1)) >> 13;
    // The last place of 0.5f is worth the smallest half: the addition rounds to a whole multiple of it.
    const std::uint32_t subnormal = bits_of_float(float_of_bits(magnitude) + 0.5f) - bits_of_float(0.5f);
    const std::uint32_t special = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ffu) : 0x7c00u;
    const std::uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
    return static_cast<std::uint16_t>(((bits >> 16) & 0x8000u) |
                                      (magnitude >= (143u << 23) ? special : finite));
}

[[gnu::always_inline]] constexpr float float_of_bfloat16(std::uint16_t upper) noexcept
{
    return float_of_bits(std::uint32_t{upper} << 16);
}

[[gnu::always_inline]] constexpr std::uint16_t bfloat16_of_float(float value) noexcept
{
    const std::uint32_t bits = bits_of_float(value);
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
    const std::uint32_t nan = (bits >> 16) | 0x40u;
    return static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

}  // namespace detail

/// IEEE 754 binary16: 11 significant bits, up to 65504. Computes as float. The conversion to float is
/// implicit and exact; the conversion from float is explicit and rounds to nearest even (overflow gives
/// infinity, a NaN stays a NaN).
class float16 {
public:
    float16() noexcept = default;
    /// Rounds to nearest even.
    constexpr explicit float16(float value) noexcept : bits_(detail::float16_of_float(value)) {}
    /// Exact.
    constexpr operator float() const noexcept { return detail::float_of_float16(bits_); }

    /// The value that has these bits.
    static constexpr float16 from_bits(std::uint16_t bits) noexcept
    {
        float16 value(0.0f);
        value.bits_ = bits;
        return value;
    }
    /// Its representation.
    constexpr std::uint16_t bits() const noexcept { return bits_; }

private:
    std::uint16_t bits_;
};

/// A float's upper 16 bits: its range with 8 significant bits. Converts as float16 does.
class bfloat16 {
public:
    bfloat16() noexcept = default;
    /// Rounds to nearest even.
    constexpr explicit bfloat16(float value) noexcept : bits_(detail::bfloat16_of_float(value)) {}
    /// Exact.
    constexpr operator float() const noexcept { return detail::float_of_bfloat16(bits_); }

    /// The value that has these bits.
    static constexpr bfloat16 from_bits(std::uint16_t bits) noexcept
    {
        bfloat16 value(0.0f);
        value.bits_ = bits;
        return value;
    }
    /// Its representation.
    constexpr std::uint16_t bits() const noexcept { return bits_; }

private:
    std::uint16_t bits_;
};

}  // namespace tutti
