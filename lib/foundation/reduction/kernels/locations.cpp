// Kernels of minloc and maxloc over ValueIndex.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lib/foundation/reduction/kernel_table.hpp"
#include "lib/foundation/reduction/kernels/loop.hpp"
#include "tutti/half.hpp"

namespace tutti::reduction::TUTTI_INSTRUCTION_SET {

namespace {

struct Float16 {
    std::uint16_t bits;
};
struct Bfloat16 {
    std::uint16_t bits;
};

// A ValueIndex is two words of the size of its larger member; the smaller one fills the lower bytes. As words
// of one type it can be loaded as vectors, and moved whole.
template <class Word>
struct Location {
    Word value;
    Word index;
};

template <class T, class Index>
using WordOf = std::conditional_t<(sizeof(T) > 4 || sizeof(Index) > 4), std::int64_t, std::int32_t>;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

// The lower bytes as an integer, moved to the upper bytes of the result, where the order is the same.
template <class T, class Word>
auto comparable(Word word) noexcept
{
    using Unsigned = std::make_unsigned_t<Word>;
    if constexpr (std::is_integral_v<T>) {
        using Same = std::conditional_t<std::is_signed_v<T>, Word, Unsigned>;
        return static_cast<Same>(static_cast<Unsigned>(word) << (8 * (sizeof(Word) - sizeof(T))));
    } else if constexpr (std::is_same_v<T, double>) {
        return __builtin_bit_cast(double, word);
    } else if constexpr (std::is_same_v<T, float>) {
        return tutti::detail::float_of_bits(static_cast<std::uint32_t>(word));
    } else if constexpr (std::is_same_v<T, Float16>) {
        return tutti::detail::float_of_float16(static_cast<std::uint16_t>(word));
    } else {
        return tutti::detail::float_of_bfloat16(static_cast<std::uint16_t>(word));
    }
}

// A NaN comes before any number; among equal values (and among NaNs) the lowest index wins. In this order all
// elements differ except -0 and 0, so the result does not depend on the order of operands.
template <bool kLargest, class Value, class Index>
bool takes_left(Value a, Index a_index, Value b, Index b_index) noexcept
{
    const bool a_nan = a != a;
    const bool b_nan = b != b;
    const bool first = (kLargest ? a > b : a < b) | (a_nan & !b_nan);
    const bool same = (a == b) | (a_nan & b_nan);
    return first | (same & (a_index <= b_index));
}

template <bool kLargest, class T, class Index>
struct Locate {
    template <class Word>
    static Location<Word> apply(Location<Word> a, Location<Word> b) noexcept
    {
        const bool left = takes_left<kLargest>(comparable<T>(a.value), comparable<Index>(a.index),
                                               comparable<T>(b.value), comparable<Index>(b.index));
        return {left ? a.value : b.value, left ? a.index : b.index};
    }
};

template <bool kLargest, class T, class Index>
void locate(void* dst, const void* a, const void* b, std::size_t count)
{
    combine<Location<WordOf<T, Index>>, Locate<kLargest, T, Index>>(dst, a, b, count);
}

// There are no vectors of long double. Elements are moved as bytes, including the padding.
template <bool kLargest, class Index>
void locate_long_double(void* dst, const void* a, const void* b, std::size_t count)
{
    struct Place {
        long double value;
        Index index;
    };
    std::byte* out = static_cast<std::byte*>(dst);
    const std::byte* left = static_cast<const std::byte*>(a);
    const std::byte* right = static_cast<const std::byte*>(b);
    for (std::size_t offset = 0; offset != count * sizeof(Place); offset += sizeof(Place)) {
        const Place first = reinterpret_cast<const Element<Place>*>(left + offset)->value;
        const Place second = reinterpret_cast<const Element<Place>*>(right + offset)->value;
        const std::byte* taken =
            takes_left<kLargest>(first.value, first.index, second.value, second.index) ? left : right;
        if (taken != out)
            __builtin_memcpy(out + offset, taken + offset, sizeof(Place));
    }
}

template <class T, class Index>
Kernel location_of(Op op) noexcept
{
    if constexpr (std::is_same_v<T, long double>)
        return op == Op::minloc ? locate_long_double<false, Index> : locate_long_double<true, Index>;
    else
        return op == Op::minloc ? locate<false, T, Index> : locate<true, T, Index>;
}

template <class T>
Kernel location(Op op, std::size_t bytes) noexcept
{
    if (op != Op::minloc && op != Op::maxloc)
        return nullptr;
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
        if (bytes == 0)
            return location_of<T, T>(op);
    return bytes == 4 ? location_of<T, std::int32_t>(op) : location_of<T, std::int64_t>(op);
}

}  // namespace

Kernel location_kernel(Op op, DataType value, std::size_t bytes) noexcept
{
    switch (value) {
        case DataType::int8:
            return location<std::int8_t>(op, bytes);
        case DataType::int16:
            return location<std::int16_t>(op, bytes);
        case DataType::int32:
            return location<std::int32_t>(op, bytes);
        case DataType::int64:
            return location<std::int64_t>(op, bytes);
        case DataType::uint8:
            return location<std::uint8_t>(op, bytes);
        case DataType::uint16:
            return location<std::uint16_t>(op, bytes);
        case DataType::uint32:
            return location<std::uint32_t>(op, bytes);
        case DataType::uint64:
            return location<std::uint64_t>(op, bytes);
        case DataType::float16:
            return location<Float16>(op, bytes);
        case DataType::bfloat16:
            return location<Bfloat16>(op, bytes);
        case DataType::float32:
            return location<float>(op, bytes);
        case DataType::float64:
            return location<double>(op, bytes);
        case DataType::long_double:
            return location<long double>(op, bytes);
        default:
            return nullptr;
    }
}

}  // namespace tutti::reduction::TUTTI_INSTRUCTION_SET
