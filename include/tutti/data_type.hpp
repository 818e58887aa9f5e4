// The element types that the built-in reduction operators know.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tutti/half.hpp"

namespace tutti {

/// A value and its place: the operand of minloc and maxloc. `Index` is a signed integer of 32 or 64 bits,
/// often the rank or the position in a global array.
template <class T, class Index = std::int64_t>
struct ValueIndex {
    T value;      // what is compared
    Index index;  // comes along; of equal values the least

    friend bool operator==(const ValueIndex&, const ValueIndex&) = default;
};

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

namespace detail {

template <class T>
inline constexpr bool kIsRealNumber = std::same_as<T, float> || std::same_as<T, double> ||
                                      std::same_as<T, long double> || std::same_as<T, float16> ||
                                      std::same_as<T, bfloat16> || (std::integral<T> && sizeof(T) <= 8);

template <class T>
struct IndexOf {
    static constexpr bool kPair = false;
};
template <class T, class Index>
struct IndexOf<ValueIndex<T, Index>> {
    static constexpr bool kPair = kIsRealNumber<T> && !std::same_as<T, bool> && std::signed_integral<Index> &&
                                  (sizeof(Index) == 4 || sizeof(Index) == 8);
    using Value = T;
    static constexpr std::size_t kBytes = sizeof(Index);
};

}  // namespace detail

/// A C++ type that the built-in operators know: bool, the integers, float16, bfloat16, float, double, long
/// double, std::complex of float, double and long double, ValueIndex.
template <class T>
concept Reducible = detail::kIsRealNumber<T> || std::same_as<T, std::complex<float>> ||
    std::same_as<T, std::complex<double>> || std::same_as<T, std::complex<long double>> ||
    detail::IndexOf<T>::kPair;

/// The DataType of a C++ type.
template <Reducible T>
constexpr DataType data_type_of() noexcept
{
    if constexpr (detail::IndexOf<T>::kPair) {
        constexpr DataType kType =
            with_index(data_type_of<typename detail::IndexOf<T>::Value>(), detail::IndexOf<T>::kBytes);
        static_assert(size_bytes(kType) == sizeof(T));
        return kType;
    } else if constexpr (std::same_as<T, bool>)
        return DataType::boolean;
    else if constexpr (std::same_as<T, float16>)
        return DataType::float16;
    else if constexpr (std::same_as<T, bfloat16>)
        return DataType::bfloat16;
    else if constexpr (std::same_as<T, float>)
        return DataType::float32;
    else if constexpr (std::same_as<T, double>)
        return DataType::float64;
    else if constexpr (std::same_as<T, long double>)
        return DataType::long_double;
    else if constexpr (std::same_as<T, std::complex<float>>)
        return DataType::complex64;
    else if constexpr (std::same_as<T, std::complex<double>>)
        return DataType::complex128;
    else if constexpr (std::same_as<T, std::complex<long double>>)
        return DataType::complex_long_double;
    else if constexpr (std::signed_integral<T>)
        return sizeof(T) == 1   ? DataType::int8
               : sizeof(T) == 2 ? DataType::int16
               : sizeof(T) == 4 ? DataType::int32
                                : DataType::int64;
    else
        return sizeof(T) == 1   ? DataType::uint8
               : sizeof(T) == 2 ? DataType::uint16
               : sizeof(T) == 4 ? DataType::uint32
                                : DataType::uint64;
}

}  // namespace tutti
