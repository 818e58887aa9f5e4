#include "benchmarks/suite/collectives/combining.hpp"

#include <cstdint>

namespace tutti::bench {

namespace {

// Eight words at once: what the compiler makes of it, even without optimisation, are the instructions of the
// function that it becomes part of.
typedef std::uint64_t Words __attribute__((vector_size(64), aligned(8), may_alias));

[[gnu::always_inline]] inline void combine(std::byte* inout, const std::byte* in,
                                           std::size_t size_bytes) noexcept
{
    constexpr std::size_t kAtOnce = 4 * sizeof(Words);
    std::size_t i = 0;
    for (; i + kAtOnce <= size_bytes; i += kAtOnce) {
#pragma GCC unroll 4
        for (std::size_t j = i; j < i + kAtOnce; j += sizeof(Words))
            *reinterpret_cast<Words*>(inout + j) ^= *reinterpret_cast<const Words*>(in + j);
    }
    for (; i < size_bytes; ++i)
        inout[i] ^= in[i];
}

using Combine = void (*)(std::byte*, const std::byte*, std::size_t) noexcept;

void combine_plainly(std::byte* inout, const std::byte* in, std::size_t size_bytes) noexcept
{
    combine(inout, in, size_bytes);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void combine_by_avx2(std::byte* inout, const std::byte* in,
                                             std::size_t size_bytes) noexcept
{
    combine(inout, in, size_bytes);
}

[[gnu::target("avx512f")]] void combine_by_avx512(std::byte* inout, const std::byte* in,
                                                  std::size_t size_bytes) noexcept
{
    combine(inout, in, size_bytes);
}
#endif

Combine widest() noexcept
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return combine_by_avx512;
    if (__builtin_cpu_supports("avx2"))
        return combine_by_avx2;
#endif
    return combine_plainly;
}

}  // namespace

void combine_words(std::byte* inout, const std::byte* in, std::size_t size_bytes) noexcept
{
    static const Combine chosen = widest();
    chosen(inout, in, size_bytes);
}

}  // namespace tutti::bench
