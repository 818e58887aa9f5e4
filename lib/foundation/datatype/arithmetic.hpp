// Sizes and offsets of layouts: every result is checked, as users supply the numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::datatype {

static_assert(sizeof(std::size_t) == 8 && sizeof(std::ptrdiff_t) == 8);

/// Throws ErrorCode::invalid_argument: the layout exceeds the address space.
[[noreturn]] void throw_too_large();

/// All throw when the result is no valid offset: below -2^63, or above 2^63 - 1.
template <class A, class B>
std::ptrdiff_t sum(A a, B b)
{
    std::ptrdiff_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) [[unlikely]]
        throw_too_large();
    return result;
}
inline std::ptrdiff_t difference(std::ptrdiff_t a, std::ptrdiff_t b)
{
    std::ptrdiff_t result = 0;
    if (__builtin_sub_overflow(a, b, &result)) [[unlikely]]
        throw_too_large();
    return result;
}
template <class A, class B>
std::ptrdiff_t product(A a, B b)
{
    std::ptrdiff_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) [[unlikely]]
        throw_too_large();
    return result;
}
/// For sizes; a size is at most the largest offset.
inline std::size_t size_sum(std::size_t a, std::size_t b)
{
    return static_cast<std::size_t>(sum(a, b));
}
inline std::size_t size_product(std::size_t a, std::size_t b)
{
    return static_cast<std::size_t>(product(a, b));
}

}  // namespace tutti::datatype
