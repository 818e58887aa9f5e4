// The loops of min and max of floating-point numbers, which propagate NaN.
//
// The CPU's min and max return their second operand when either is NaN, so only a NaN in the first needs
// care: one comparison and one selection more for each vector. A core's two vector units then take longer
// than its path to the first-level cache. With mask registers the result of the comparison keeps the
// instruction itself from replacing a NaN, which saves the selection; compilers do not find that.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <type_traits>

#include "lib/foundation/reduction/kernels/loop.hpp"
#include "lib/foundation/reduction/kernels/real_operators.hpp"

namespace tutti::reduction {
namespace {

#if defined(__AVX512F__)

/// One vector of T, and the mask of its elements.
template <class T>
struct Lanes;

template <>
struct Lanes<float> {
    using Vector = __m512;
    using Mask = __mmask16;
    static constexpr std::size_t kCount = 16;
    static Vector load(const void* from) noexcept { return _mm512_loadu_ps(from); }
    static Vector load(Mask some, const void* from) noexcept { return _mm512_maskz_loadu_ps(some, from); }
    static void store(void* to, Vector v) noexcept { _mm512_storeu_ps(to, v); }
    static void store(void* to, Mask some, Vector v) noexcept { _mm512_mask_storeu_ps(to, some, v); }
    static Mask no_nan(Vector v) noexcept { return _mm512_cmp_ps_mask(v, v, _CMP_ORD_Q); }
    static Vector apply(Min, Vector a, Vector b) noexcept { return _mm512_mask_min_ps(a, no_nan(a), a, b); }
    static Vector apply(Max, Vector a, Vector b) noexcept { return _mm512_mask_max_ps(a, no_nan(a), a, b); }
};

template <>
struct Lanes<double> {
    using Vector = __m512d;
    using Mask = __mmask8;
    static constexpr std::size_t kCount = 8;
    static Vector load(const void* from) noexcept { return _mm512_loadu_pd(from); }
    static Vector load(Mask some, const void* from) noexcept { return _mm512_maskz_loadu_pd(some, from); }
    static void store(void* to, Vector v) noexcept { _mm512_storeu_pd(to, v); }
    static void store(void* to, Mask some, Vector v) noexcept { _mm512_mask_storeu_pd(to, some, v); }
    static Mask no_nan(Vector v) noexcept { return _mm512_cmp_pd_mask(v, v, _CMP_ORD_Q); }
    static Vector apply(Min, Vector a, Vector b) noexcept { return _mm512_mask_min_pd(a, no_nan(a), a, b); }
    static Vector apply(Max, Vector a, Vector b) noexcept { return _mm512_mask_max_pd(a, no_nan(a), a, b); }
};

template <class T, class Operator>
void combine_lanes(void* dst, const void* a, const void* b, std::size_t count)
{
    using L = Lanes<T>;
    auto* out = static_cast<char*>(dst);
    auto* left = static_cast<const char*>(a);
    auto* right = static_cast<const char*>(b);
    constexpr std::size_t kBytes = sizeof(typename L::Vector);
#pragma GCC unroll 4
    for (std::size_t whole = count / L::kCount; whole != 0; --whole) {
        L::store(out, L::apply(Operator{}, L::load(left), L::load(right)));
        out += kBytes;
        left += kBytes;
        right += kBytes;
    }
    const auto some = static_cast<typename L::Mask>((1u << count % L::kCount) - 1);
    L::store(out, some, L::apply(Operator{}, L::load(some, left), L::load(some, right)));
}

#endif

template <class T, class Operator>
void combine_extremes(void* dst, const void* a, const void* b, std::size_t count)
{
#if defined(__AVX512F__)
    if constexpr (!std::is_same_v<T, long double>)
        return combine_lanes<T, Operator>(dst, a, b, count);
#endif
    combine<T, Operator>(dst, a, b, count);
}

}  // namespace
}  // namespace tutti::reduction
