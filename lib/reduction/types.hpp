// The element types and operators that reductions know, and what each operator means on each of them.
//
// | op   | integers, byte            | boolean             | float, double |
// |------|---------------------------|---------------------|--------------------------------------------------|
// | sum  | wraps modulo 2^bits       | true when either is | IEEE sum | | prod | wraps modulo 2^bits       |
// true when both are  | IEEE product                                     | | min  | the smaller | true when
// both are  | the smaller; NaN when either is NaN              | | max  | the larger                | true
// when either is | the larger; NaN when either is NaN               | | lor  | 1 when either is not 0    |
// true when either is | 1 when either is not 0 (a NaN is not 0), else 0  |
//
// Overflow of signed integers is no error: it wraps as two's complement does. Of two zeros that differ in
// sign only, min and max return either. A byte is an unsigned 8-bit integer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::reduction {

enum class DataType : std::uint8_t {
    byte,
    boolean,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64
};
inline constexpr std::size_t kDataTypeCount = 12;

enum class Op : std::uint8_t { sum, min, max, prod, lor };
inline constexpr std::size_t kOpCount = 5;

/// Bytes that one element takes; 0 for a value outside the enumeration.
constexpr std::size_t size_bytes(DataType type) noexcept
{
    switch (type) {
        case DataType::byte:
        case DataType::boolean:
        case DataType::int8:
        case DataType::uint8:
            return 1;
        case DataType::int16:
        case DataType::uint16:
            return 2;
        case DataType::int32:
        case DataType::uint32:
        case DataType::float32:
            return 4;
        case DataType::int64:
        case DataType::uint64:
        case DataType::float64:
            return 8;
    }
    return 0;
}

/// "int32", "float64", ...; "unknown type" for a value outside the enumeration.
std::string_view to_string(DataType type) noexcept;
/// "sum", "lor", ...; "unknown operator" for a value outside the enumeration.
std::string_view to_string(Op op) noexcept;

}  // namespace tutti::reduction
