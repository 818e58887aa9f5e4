// Explicit serialisation: objects that own memory become bytes and come back.
//
// Supports trivially copyable objects; std::string, std::vector and other sequences; maps and sets, ordered
// or not; std::array, std::pair, std::tuple, std::optional; all of these within each other. Your own type
// needs one function in its namespace, which serves both directions:
//
//     struct Particle { std::string name; std::vector<double> position; };
//
//     template <class Archive>
//     void serialize_fields(Archive& archive, Particle& particle)
//     {
//         archive(particle.name, particle.position);
//     }
//
// The bytes have this machine's order and sizes: they are for ranks of one job, not for files.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/archive.hpp"

namespace tutti {

/// T's namespace has a serialize_fields for T. When it writes, the function must not change the object.
template <class T>
concept HasSerializeFields = requires(OutputArchive& out, InputArchive& in, T& object)
{
    serialize_fields(out, object);
    serialize_fields(in, object);
};

namespace detail {

template <class>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

// std::array also has a tuple's interface, so it is tested first.
template <class T>
concept TupleLike = requires
{
    std::tuple_size<T>::value;
};

// Copied as bytes. A bool is not, because only two of its 256 byte values are valid; an optional is not,
// because it holds a bool; a view is not, because it owns nothing.
template <class T>
consteval bool is_bulk()
{
    if constexpr (HasSerializeFields<T> || std::is_same_v<T, bool> || is_optional<T>)
        return false;
    else if constexpr (is_std_array<T>)
        return is_bulk<typename T::value_type>();
    else
        return std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::ranges::range<T>;
}

template <class T>
concept Bulk = is_bulk<T>();

// Owns its elements and grows by insert(end(), element): strings, sequences, maps and sets.
template <class T>
concept Container = std::ranges::sized_range<T> && std::default_initializable<T> &&
    requires(T& container, typename T::value_type&& value)
{
    container.clear();
    container.insert(container.end(), std::move(value));
};

// Its elements are contiguous and may be copied at once.
template <class T>
concept BulkContainer = Container<T> && std::ranges::contiguous_range<T> && Bulk<typename T::value_type> &&
    requires(T& container)
{
    container.resize(std::size_t{});
};

// The type to read one element into: std::map's value_type has a const key.
template <class T>
struct Readable {
    using Type = T;
};
template <class K, class V>
struct Readable<std::pair<const K, V>> {
    using Type = std::pair<K, V>;
};

// Writes at least one byte for every element, so that a count can be checked against the remaining bytes,
// also for types that write nothing.
template <class T>
void write_element(OutputArchive& archive, const T& element)
{
    const std::size_t before = archive.position();
    archive(element);
    if (archive.position() == before)
        archive(std::byte{0});
}

template <class T>
T read_element(InputArchive& archive)
{
    const std::size_t before = archive.position();
    T element{};
    archive(element);
    if (archive.position() == before) {
        std::byte padding{};
        archive(padding);
    }
    return element;
}

template <class T>
void write_container(OutputArchive& archive, const T& container)
{
    archive(static_cast<std::uint64_t>(std::ranges::size(container)));
    if constexpr (BulkContainer<T>) {
        archive.write(std::ranges::data(container),
                      std::ranges::size(container) * sizeof(typename T::value_type));
    } else {
        for (const auto& element : container)
            write_element<typename T::value_type>(archive, element);
    }
}

template <class T>
void read_container(InputArchive& archive, T& container)
{
    container.clear();
    if constexpr (BulkContainer<T>) {
        const std::size_t count = archive.read_count(sizeof(typename T::value_type));
        container.resize(count);
        archive.read(std::ranges::data(container), count * sizeof(typename T::value_type));
    } else {
        // No reserve(): elements may be far larger than their serialised bytes.
        const std::size_t count = archive.read_count(1);
        for (std::size_t i = 0; i < count; ++i) {
            container.insert(container.end(),
                             read_element<typename Readable<typename T::value_type>::Type>(archive));
        }
        if (std::ranges::size(container) != count)
            archive.fail("a key occurs twice");
    }
}

template <class T>
void write_object(OutputArchive& archive, const T& object)
{
    if constexpr (HasSerializeFields<T>) {
        serialize_fields(archive, const_cast<T&>(object));
    } else if constexpr (Bulk<T>) {
        archive.write(std::addressof(object), sizeof(T));
    } else if constexpr (std::is_same_v<T, bool>) {
        archive(static_cast<std::uint8_t>(object));
    } else if constexpr (is_optional<T>) {
        archive(object.has_value());
        if (object.has_value())
            archive(*object);
    } else if constexpr (is_std_array<T>) {
        for (const auto& element : object)
            archive(element);
    } else if constexpr (Container<T>) {
        write_container(archive, object);
    } else if constexpr (TupleLike<T>) {
        std::apply([&](const auto&... fields) { archive(fields...); }, object);
    } else {
        static_assert(HasSerializeFields<T>,
                      "tutti::serialize: this type is not known. Give it a function template "
                      "serialize_fields(Archive&, T&) in its namespace (see tutti/serialize.hpp)");
    }
}

template <class T>
void read_object(InputArchive& archive, T& object)
{
    if constexpr (HasSerializeFields<T>) {
        serialize_fields(archive, object);
    } else if constexpr (Bulk<T>) {
        archive.read(std::addressof(object), sizeof(T));
    } else if constexpr (std::is_same_v<T, bool>) {
        std::uint8_t byte = 0;
        archive(byte);
        if (byte > 1)
            archive.fail("a bool is neither 0 nor 1");
        object = byte != 0;
    } else if constexpr (is_optional<T>) {
        bool has_value = false;
        archive(has_value);
        object.reset();
        if (has_value)
            archive(object.emplace());
    } else if constexpr (is_std_array<T>) {
        for (auto& element : object)
            archive(element);
    } else if constexpr (Container<T>) {
        read_container(archive, object);
    } else if constexpr (TupleLike<T>) {
        std::apply([&](auto&... fields) { archive(fields...); }, object);
    } else {
        static_assert(HasSerializeFields<T>,
                      "tutti::deserialize: this type is not known. Give it a function template "
                      "serialize_fields(Archive&, T&) in its namespace (see tutti/serialize.hpp)");
    }
}

template <class T>
T deserialize_from(InputArchive archive)
{
    static_assert(std::default_initializable<T>,
                  "tutti::deserialize: the type must have a default constructor");
    T object{};
    archive(object);
    archive.expect_end();
    return object;
}

}  // namespace detail

template <class... Ts>
OutputArchive& OutputArchive::operator()(const Ts&... objects)
{
    enter();
    (detail::write_object(*this, objects), ...);
    leave();
    return *this;
}

template <class... Ts>
InputArchive& InputArchive::operator()(Ts&... objects)
{
    enter();
    (detail::read_object(*this, objects), ...);
    leave();
    return *this;
}

/// The object's bytes, for deserialize<T>. Throws ErrorCode::invalid_argument for too deep nesting.
template <class T>
std::vector<std::byte> serialize(const T& object)
{
    OutputArchive archive;
    archive(object);
    return std::move(archive).take();
}

/// The object from which serialize() made `bytes`. Throws ErrorCode::protocol for bytes that are cut off,
/// damaged or, if detectable, of another type. Takes no more memory than the bytes justify.
template <class T>
T deserialize(std::span<const std::byte> bytes)
{
    return detail::deserialize_from<T>(InputArchive(bytes));
}

}  // namespace tutti
