#include "lib/foundation/datatype/every_second.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tutti::datatype {

#if defined(__x86_64__)

namespace {

const bool has_masked_stores = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}();

// Widens each element of a vector to twice its size, and stores the lower halves. The last bytes are left: no
// vector goes past the last element.
template <std::size_t kElementBytes>
[[gnu::target("avx512f,avx512bw")]] std::size_t spread(std::byte* object, const std::byte* wire,
                                                       std::size_t size_bytes) noexcept
{
    constexpr std::size_t kTaken = sizeof(__m256i);
    std::size_t done = 0;
    for (; size_bytes - done > kTaken; done += kTaken) {
        std::byte* const to = object + 2 * done;
        const __m256i elements = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(wire + done));
        if constexpr (kElementBytes == 1)
            _mm512_mask_storeu_epi8(to, 0x5555'5555'5555'5555, _mm512_cvtepu8_epi16(elements));
        else if constexpr (kElementBytes == 2)
            _mm512_mask_storeu_epi16(to, 0x5555'5555, _mm512_cvtepu16_epi32(elements));
        else
            _mm512_mask_storeu_epi32(to, 0x5555, _mm512_cvtepu32_epi64(elements));
    }
    return done / kElementBytes;
}

}  // namespace

std::size_t spread_every_second(std::byte* object, const std::byte* wire, std::size_t element_bytes,
                                std::size_t count) noexcept
{
    if (!has_masked_stores)
        return 0;
    switch (element_bytes) {
        case 1:
            return spread<1>(object, wire, count);
        case 2:
            return spread<2>(object, wire, 2 * count);
        case 4:
            return spread<4>(object, wire, 4 * count);
        default:
            return 0;
    }
}

#else

std::size_t spread_every_second(std::byte*, const std::byte*, std::size_t, std::size_t) noexcept
{
    return 0;
}

#endif

}  // namespace tutti::datatype
