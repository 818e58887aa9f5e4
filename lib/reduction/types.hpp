// The element types and operators that reductions know, and what each operator means on each of them.
//
// | op   | integers              | boolean             | float, double                                |
// |------|-----------------------|---------------------|----------------------------------------------|
// | sum  | wraps modulo 2^bits   | true when either is | IEEE sum                                     |
// | prod | wraps modulo 2^bits   | true when both are  | IEEE product                                 |
// | min  | the smaller           | true when both are  | the smaller; NaN when either is NaN          |
// | max  | the larger            | true when either is | the larger; NaN when either is NaN           |
// | lor  | 1 when one is not 0   | true when either is | 1 when one is not 0 (a NaN is not 0), else 0 |
//
// Overflow of signed integers is no error: it wraps as two's complement does. Of two zeros that differ in
// sign only, min and max return either.
#pragma once

#include <cstddef>
#include <string_view>

#include "tutti/reduction.hpp"

namespace tutti::reduction {

using tutti::DataType;
using tutti::Op;
using tutti::size_bytes;

// The kernels' tables and tests count on these; a new type or operator is added in front of the end.
inline constexpr std::size_t kDataTypeCount = static_cast<std::size_t>(DataType::float64) + 1;
inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::lor) + 1;

/// "int32", "float64", ...; "unknown type" for a value outside the enumeration.
std::string_view to_string(DataType type) noexcept;
/// "sum", "lor", ...; "unknown operator" for a value outside the enumeration.
std::string_view to_string(Op op) noexcept;

}  // namespace tutti::reduction
