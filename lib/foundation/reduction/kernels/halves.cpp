// Kernels of float16 and bfloat16: computed as float, and rounded once.
//
// The sum or product of two halves, rounded to float and then to half, is correctly rounded: a float has more
// than twice a half's significant bits plus two (Figueroa, "When is double rounding innocuous?", 1995).
#include <cstdint>

#include "lib/foundation/reduction/kernel_table.hpp"
#include "lib/foundation/reduction/kernels/loop.hpp"
#include "lib/foundation/reduction/kernels/real_operators.hpp"
#include "tutti/half.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace tutti::reduction::TUTTI_INSTRUCTION_SET {

namespace {

struct Float16 {
    static float widen(std::uint32_t half) noexcept
    {
        return tutti::detail::float_of_float16(static_cast<std::uint16_t>(half));
    }
    template <class Operator>
    static std::uint32_t narrow(float value) noexcept
    {
        return tutti::detail::float16_of_float(value);
    }
};

struct Bfloat16 {
    static float widen(std::uint32_t half) noexcept
    {
        return tutti::detail::float_of_bfloat16(static_cast<std::uint16_t>(half));
    }
    // Like bfloat16_of_float, but without special care for NaN: a NaN from such operands has no bits in its
    // lower half that could carry.
    template <class Operator>
    static std::uint32_t narrow(float value) noexcept
    {
        const std::uint32_t bits = tutti::detail::bits_of_float(value);
        if constexpr (Operator::kPicks)
            return bits >> 16;
        else
            return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    }
};

// One half, or two in one word: all work is in lanes of 32 bits, so that vectors need not be widened and
// narrowed, which takes longer than the rest.
template <class Format, class Operator>
struct OnHalves {
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b) noexcept
    {
        return static_cast<std::uint16_t>(one(a, b));
    }
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) noexcept
    {
        return one(a & 0xffffu, b & 0xffffu) | one(a >> 16, b >> 16) << 16;
    }
    static std::uint32_t one(std::uint32_t a, std::uint32_t b) noexcept
    {
        return Format::template narrow<Operator>(Operator::apply(Format::widen(a), Format::widen(b)));
    }
};

template <class Format, class Operator>
void combine_halves(void* dst, const void* a, const void* b, std::size_t count)
{
    combine<std::uint32_t, OnHalves<Format, Operator>>(dst, a, b, count / 2);
    const std::size_t done = count / 2 * 4;
    combine<std::uint16_t, OnHalves<Format, Operator>>(static_cast<std::byte*>(dst) + done,
                                                       static_cast<const std::byte*>(a) + done,
                                                       static_cast<const std::byte*>(b) + done, count % 2);
}

#if defined(__AVX2__)

// The CPU's own conversions between float16 and vectors of floats. Addresses need no alignment.
#if defined(__AVX512F__)
constexpr std::size_t kLanes = 16;
__m512 load(const std::byte* from) noexcept
{
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from)));
}
void store(std::byte* to, __m512 values) noexcept
{
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), _mm512_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
}
#else
constexpr std::size_t kLanes = 8;
__m256 load(const std::byte* from) noexcept
{
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(from)));
}
void store(std::byte* to, __m256 values) noexcept
{
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(to), _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
}
#endif

template <class Operator>
void combine_float16(void* dst, const void* a, const void* b, std::size_t count)
{
    std::byte* out = static_cast<std::byte*>(dst);
    const std::byte* left = static_cast<const std::byte*>(a);
    const std::byte* right = static_cast<const std::byte*>(b);
    constexpr std::size_t kStep = 2 * kLanes;
    std::size_t rest = 2 * count;
    for (; rest >= kStep; rest -= kStep) {
        store(out, Operator::apply(load(left), load(right)));
        out += kStep;
        left += kStep;
        right += kStep;
    }
    if (rest != 0) {
        // The last few elements are padded with zeros: the same instructions handle them.
        std::byte some[kStep] = {};
        std::byte others[kStep] = {};
        __builtin_memcpy(some, left, rest);
        __builtin_memcpy(others, right, rest);
        store(some, Operator::apply(load(some), load(others)));
        __builtin_memcpy(out, some, rest);
    }
}

#else

template <class Operator>
void combine_float16(void* dst, const void* a, const void* b, std::size_t count)
{
    combine_halves<Float16, Operator>(dst, a, b, count);
}

#endif

template <class Operator>
Kernel half(DataType type) noexcept
{
    return type == DataType::float16 ? combine_float16<Operator> : combine_halves<Bfloat16, Operator>;
}

}  // namespace

Kernel half_kernel(Op op, DataType type) noexcept
{
    switch (op) {
        case Op::sum:
            return half<Sum>(type);
        case Op::prod:
            return half<Prod>(type);
        case Op::min:
            return half<Min>(type);
        case Op::max:
            return half<Max>(type);
        default:
            return nullptr;
    }
}

}  // namespace tutti::reduction::TUTTI_INSTRUCTION_SET
