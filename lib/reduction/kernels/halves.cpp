// Kernels of float16 and bfloat16: computed as float, and rounded once.
//
// A sum or product of two halves, rounded to float and then to half, is the correctly rounded one: a float
// has more than twice a half's significant bits and two (Figueroa, "When is double rounding innocuous?",
// 1995).
#include <cstdint>

#include "lib/reduction/kernel_table.hpp"
#include "lib/reduction/kernels/loop.hpp"
#include "lib/reduction/kernels/real_operators.hpp"
#include "tutti/half.hpp"

#if defined(__F16C__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace tutti::reduction::TUTTI_INSTRUCTION_SET {

namespace {

template <class Operator>
struct OnBfloat16 {
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b) noexcept
    {
        return tutti::detail::bfloat16_of_float(
            Operator::apply(tutti::detail::float_of_bfloat16(a), tutti::detail::float_of_bfloat16(b)));
    }
};

#if defined(__F16C__) || defined(__AVX512F__)

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
        // The last few, beside zeros: the same instructions for all.
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
struct OnFloat16 {
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b) noexcept
    {
        return tutti::detail::float16_of_float(
            Operator::apply(tutti::detail::float_of_float16(a), tutti::detail::float_of_float16(b)));
    }
};

template <class Operator>
void combine_float16(void* dst, const void* a, const void* b, std::size_t count)
{
    combine<std::uint16_t, OnFloat16<Operator>>(dst, a, b, count);
}

#endif

template <class Operator>
void combine_bfloat16(void* dst, const void* a, const void* b, std::size_t count)
{
    combine<std::uint16_t, OnBfloat16<Operator>>(dst, a, b, count);
}

}  // namespace

Kernel half_kernel(Op op, DataType type) noexcept
{
    const bool brain = type == DataType::bfloat16;
    switch (op) {
        case Op::sum:
            return brain ? combine_bfloat16<Sum> : combine_float16<Sum>;
        case Op::prod:
            return brain ? combine_bfloat16<Prod> : combine_float16<Prod>;
        case Op::min:
            return brain ? combine_bfloat16<Min> : combine_float16<Min>;
        case Op::max:
            return brain ? combine_bfloat16<Max> : combine_float16<Max>;
        default:
            return nullptr;
    }
}

}  // namespace tutti::reduction::TUTTI_INSTRUCTION_SET
