// Kernels of minloc and maxloc over ValueIndex.
#include <cstdint>

#include "lib/reduction/kernel_table.hpp"
#include "lib/reduction/kernels/loop.hpp"
#include "tutti/half.hpp"

namespace tutti::reduction::TUTTI_INSTRUCTION_SET {

namespace {

// As ValueIndex lies in memory.
template <class T, class Index>
struct Location {
    T value;
    Index index;
};

struct Float16 {
    std::uint16_t bits;
};
struct Bfloat16 {
    std::uint16_t bits;
};

template <class T>
T comparable(T value) noexcept
{
    return value;
}
float comparable(Float16 value) noexcept
{
    return tutti::detail::float_of_float16(value.bits);
}
float comparable(Bfloat16 value) noexcept
{
    return tutti::detail::float_of_bfloat16(value.bits);
}

// A NaN is found before any number; of equal values (and of NaNs) the one with the lowest index. That makes
// an order in which all elements can be told apart but -0 from 0, so the result does not depend on the order
// of operands.
template <bool kLargest>
struct Locate {
    template <class L>
    static L apply(L a, L b) noexcept
    {
        const auto left = comparable(a.value);
        const auto right = comparable(b.value);
        const bool left_nan = left != left;
        const bool right_nan = right != right;
        const bool first = (kLargest ? left > right : left < right) | (left_nan & !right_nan);
        const bool same = (left == right) | (left_nan & right_nan);
        const bool take_left = first | (same & (a.index <= b.index));
        return {take_left ? a.value : b.value, take_left ? a.index : b.index};
    }
};

template <class T>
Kernel location(Op op, std::size_t bytes) noexcept
{
    if (op == Op::minloc)
        return bytes == 4 ? combine<Location<T, std::int32_t>, Locate<false>>
                          : combine<Location<T, std::int64_t>, Locate<false>>;
    if (op == Op::maxloc)
        return bytes == 4 ? combine<Location<T, std::int32_t>, Locate<true>>
                          : combine<Location<T, std::int64_t>, Locate<true>>;
    return nullptr;
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
