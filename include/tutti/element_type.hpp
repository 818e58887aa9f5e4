// What a buffer's elements are, in words for checks at run time (tuttirun --check). Messages do not depend on
// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "tutti/data_type.hpp"

namespace tutti {

namespace datatype {
class Typemap;
}

namespace detail {

struct ElementType {
    enum class Kind : std::uint8_t {
        bytes,     // characters and std::byte: they take any type
        number,    // of the enumeration
        object,    // a class, known by its name
        described  // an MPI datatype
    };

    Kind kind = Kind::bytes;
    DataType number{};
    std::size_t size_bytes = 1;
    std::string_view name{};                     // of an object
    const datatype::Typemap* typemap = nullptr;  // of a described one
};

/// The name as the compiler writes it: "Particle".
template <class T>
constexpr std::string_view name_of_class() noexcept
{
    const std::string_view whole = __PRETTY_FUNCTION__;
    const std::size_t begin = whole.find("T = ") + 4;
    return whole.substr(begin, whole.find_first_of(";]", begin) - begin);
}

template <class T>
struct InnermostElement {
    using Type = T;
};
template <class T, std::size_t kCount>
struct InnermostElement<T[kCount]> : InnermostElement<T> {
};
template <class T, std::size_t kCount>
struct InnermostElement<std::array<T, kCount>> : InnermostElement<T> {
};

template <class T>
constexpr ElementType make_element_type() noexcept
{
    using Kind = ElementType::Kind;
    if constexpr (std::is_enum_v<T> && sizeof(T) > 1)
        return make_element_type<std::underlying_type_t<T>>();
    else if constexpr (sizeof(T) == 1 &&
                       (std::is_enum_v<T> || (std::is_integral_v<T> && !std::is_same_v<T, bool>)))
        return {};
    else if constexpr (Reducible<T> && !IndexOf<T>::kPair)
        return {Kind::number, data_type_of<T>(), sizeof(T)};
    else
        return {Kind::object, {}, sizeof(T), name_of_class<T>()};
}

/// The type of elements T; an array counts as its elements, an enumeration as its integers.
template <class T>
inline constexpr ElementType kElementType =
    make_element_type<typename InnermostElement<std::remove_cv_t<T>>::Type>();

/// Types of numbers by the value of a DataType.
extern const std::array<ElementType, 256> kNumberTypes;

}  // namespace detail
}  // namespace tutti
