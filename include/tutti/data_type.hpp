// The element types that the built-in reduction operators know.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tutti/half.hpp"
#include "tutti/types_and_operators.hpp"

namespace tutti {

/// A value and its place: the operand of minloc and maxloc. `Index` is a signed integer of 32 or 64 bits,
/// often the rank or the position in a global array.
template <class T, class Index = std::int64_t>
struct ValueIndex {
    T value;      // what is compared
    Index index;  // comes along; of equal values the least

    friend bool operator==(const ValueIndex&, const ValueIndex&) = default;
};

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
