// Reduction operators, and the element types they are defined for.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <type_traits>

namespace tutti {

/// Built-in operators. Integers wrap around; `lor` gives 0 or 1; docs/reductions.md has NaN and rounding.
enum class Op : std::uint8_t { sum, min, max, prod, lor };

inline constexpr Op sum = Op::sum;
inline constexpr Op min = Op::min;
inline constexpr Op max = Op::max;
inline constexpr Op prod = Op::prod;
inline constexpr Op lor = Op::lor;

/// Element types that reductions know.
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
    float32,
    float64
};

/// Bytes of one element.
constexpr std::size_t size_bytes(DataType type) noexcept
{
    switch (type) {
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

/// A C++ type that reductions know.
template <class T>
concept Reducible = std::same_as<T, bool> || std::same_as<T, float> || std::same_as<T, double> ||
    (std::integral<T> && sizeof(T) <= 8);

/// The DataType of a C++ type.
template <Reducible T>
constexpr DataType data_type_of() noexcept
{
    if constexpr (std::same_as<T, bool>)
        return DataType::boolean;
    else if constexpr (std::same_as<T, float>)
        return DataType::float32;
    else if constexpr (std::same_as<T, double>)
        return DataType::float64;
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

namespace detail {

struct ConstReduceView {
    const std::byte* data;
    std::size_t count;
    DataType type;
};

struct ReduceView {
    std::byte* data;
    std::size_t count;
    DataType type;

    operator ConstReduceView() const noexcept { return {data, count, type}; }
};

template <class T>
ConstReduceView const_reduce_view(const T& object)
{
    if constexpr (std::ranges::contiguous_range<const T> && std::ranges::sized_range<const T>) {
        using Value = std::ranges::range_value_t<T>;
        static_assert(Reducible<Value>, "tutti: reductions know bool, the integers, float and double");
        return {reinterpret_cast<const std::byte*>(std::ranges::data(object)), std::ranges::size(object),
                data_type_of<Value>()};
    } else {
        static_assert(
            Reducible<T>,
            "tutti: a reduction takes an integer, bool, float, double, or a contiguous range of them");
        return {reinterpret_cast<const std::byte*>(std::addressof(object)), 1, data_type_of<T>()};
    }
}

template <class T>
ReduceView reduce_view(T& object)
{
    if constexpr (std::ranges::range<T>)
        static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<T>>>,
                      "tutti: a reduction's result must not be const");
    else
        static_assert(!std::is_const_v<T>, "tutti: a reduction's result must not be const");
    const ConstReduceView view = const_reduce_view(object);
    return {const_cast<std::byte*>(view.data), view.count, view.type};
}

}  // namespace detail
}  // namespace tutti
