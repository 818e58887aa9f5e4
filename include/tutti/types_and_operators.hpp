// The built-in reduction operators, and the element types that they know, as values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/standard.hpp"

namespace tutti {

/// Element types. with_index() gives the type of a ValueIndex, one for each type of value, and
/// with_own_index() that of two numbers of one type.
enum class DataType : std::uint8_t {
    boolean,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float16,
    bfloat16,
    float32,
    float64,
    long_double,
    complex64,   // of two float
    complex128,  // of two double
    complex_long_double,
};

namespace detail {
inline constexpr unsigned kIndex32 = 0x40;
inline constexpr unsigned kIndex64 = 0x80;
}  // namespace detail

/// The type of ValueIndex<value, index>, whose index has 4 or 8 bytes.
constexpr DataType with_index(DataType value, std::size_t index_bytes) noexcept
{
    return static_cast<DataType>(static_cast<unsigned>(value) |
                                 (index_bytes == 4 ? detail::kIndex32 : detail::kIndex64));
}

/// The type of a pair whose index is a number of the value's type, float32 or float64.
constexpr DataType with_own_index(DataType value) noexcept
{
    return static_cast<DataType>(static_cast<unsigned>(value) | detail::kIndex32 | detail::kIndex64);
}
constexpr bool has_own_index(DataType type) noexcept
{
    return with_own_index(type) == type;
}

/// The type of a ValueIndex's value; all other types unchanged.
constexpr DataType value_type(DataType type) noexcept
{
    return static_cast<DataType>(static_cast<unsigned>(type) & ~(detail::kIndex32 | detail::kIndex64));
}

constexpr std::size_t size_bytes(DataType type) noexcept;

/// Bytes of a ValueIndex's index; 0 for all other types.
constexpr std::size_t index_bytes(DataType type) noexcept
{
    if (has_own_index(type))
        return size_bytes(value_type(type));
    const unsigned flag = static_cast<unsigned>(type) & (detail::kIndex32 | detail::kIndex64);
    return flag == detail::kIndex32 ? 4 : flag == detail::kIndex64 ? 8 : 0;
}

/// Bytes of one element; 0 for values outside the enumeration.
constexpr std::size_t size_bytes(DataType type) noexcept
{
    if (const std::size_t index = index_bytes(type); index != 0) {
        // The compiler's layout of the struct: both members are aligned to their size.
        const std::size_t value = size_bytes(value_type(type));
        const std::size_t alignment = value > index ? value : index;
        const std::size_t end = (value + index - 1) / index * index + index;
        return value == 0 ? 0 : (end + alignment - 1) / alignment * alignment;
    }
    switch (type) {
        case DataType::boolean:
        case DataType::int8:
        case DataType::uint8:
            return 1;
        case DataType::int16:
        case DataType::uint16:
        case DataType::float16:
        case DataType::bfloat16:
            return 2;
        case DataType::int32:
        case DataType::uint32:
        case DataType::float32:
            return 4;
        case DataType::int64:
        case DataType::uint64:
        case DataType::float64:
        case DataType::complex64:
            return 8;
        case DataType::complex128:
            return 16;
        case DataType::long_double:
            return sizeof(long double);
        case DataType::complex_long_double:
            return 2 * sizeof(long double);
    }
    return 0;
}

/// Built-in operators; docs/guide/reductions.md explains each on each type.
enum class Op : std::uint8_t { sum, min, max, prod, land, lor, lxor, band, bor, bxor, minloc, maxloc };

/// Whether the operator is defined on the type: sums and products on all but ValueIndex, min and max on types
/// with an order, logical ones on bool, integers, float, double and long double, bitwise ones on bool and
/// integers, minloc and maxloc on ValueIndex.
constexpr bool is_defined(Op op, DataType type) noexcept
{
    const DataType value = value_type(type);
    const bool known = value <= DataType::complex_long_double;
    const bool complex = value >= DataType::complex64;
    const bool half = value == DataType::float16 || value == DataType::bfloat16;
    const bool pair = value != type;
    switch (op) {
        case Op::sum:
        case Op::prod:
            return known && !pair;
        case Op::min:
        case Op::max:
            return known && !pair && !complex;
        case Op::land:
        case Op::lor:
        case Op::lxor:
            return known && !pair && !complex && !half;
        case Op::band:
        case Op::bor:
        case Op::bxor:
            return !pair && value <= DataType::uint64;
        case Op::minloc:
        case Op::maxloc:
            return known && pair && !complex && value != DataType::boolean &&
                   (!has_own_index(type) || value == DataType::float32 || value == DataType::float64);
    }
    return false;
}

}  // namespace tutti
