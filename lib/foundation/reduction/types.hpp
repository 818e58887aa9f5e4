// The element types and operators of reductions, with the kernels' numbers and names.
// docs/guide/reductions.md says what each operator means on each type.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "tutti/reduction.hpp"

namespace tutti::reduction {

using tutti::DataType;
using tutti::has_own_index;
using tutti::index_bytes;
using tutti::is_defined;
using tutti::Op;
using tutti::size_bytes;
using tutti::value_type;

// Add a new type in front of the complex ones, a new operator in front of the last one.
inline constexpr std::size_t kValueTypeCount = static_cast<std::size_t>(DataType::complex_long_double) + 1;
inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::maxloc) + 1;

/// All types but those with_own_index(). Those of ValueIndex follow their values': each with a 32-bit and a
/// 64-bit index.
constexpr std::array<DataType, 3 * kValueTypeCount> all_types() noexcept
{
    std::array<DataType, 3 * kValueTypeCount> types{};
    for (std::size_t i = 0; i < kValueTypeCount; ++i) {
        const auto value = static_cast<DataType>(i);
        types[3 * i] = value;
        types[3 * i + 1] = with_index(value, 4);
        types[3 * i + 2] = with_index(value, 8);
    }
    return types;
}

inline constexpr std::string_view kValueTypeNames[] = {
    "boolean",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "long_double",
    "complex64",
    "complex128",
    "complex_long_double",
};
inline constexpr std::string_view kOpNames[] = {
    "sum", "min", "max", "prod", "land", "lor", "lxor", "band", "bor", "bxor", "minloc", "maxloc",
};
static_assert(std::size(kValueTypeNames) == kValueTypeCount && std::size(kOpNames) == kOpCount);

/// "int32", "float64", "float64+index32", "float64+float64", ...; "unknown type" for a value outside the
/// enumeration.
inline std::string to_string(DataType type)
{
    const auto value = static_cast<std::size_t>(value_type(type));
    if (value >= kValueTypeCount)
        return "unknown type";
    std::string name(kValueTypeNames[value]);
    if (has_own_index(type))
        return name + "+" + name;
    if (index_bytes(type) != 0)
        name += index_bytes(type) == 4 ? "+index32" : "+index64";
    return name;
}

/// "sum", "lor", ...; "unknown operator" for a value outside the enumeration.
constexpr std::string_view to_string(Op op) noexcept
{
    const auto value = static_cast<std::size_t>(op);
    return value < kOpCount ? kOpNames[value] : "unknown operator";
}

}  // namespace tutti::reduction
