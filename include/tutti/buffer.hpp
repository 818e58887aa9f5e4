// How a user's object becomes bytes: trivially copyable objects, contiguous ranges, layouts, typed buffers.
#pragma once

#include <cstddef>
#include <memory>
#include <ranges>
#include <type_traits>

#include "tutti/element_type.hpp"
#include "tutti/layout.hpp"
#include "tutti/refused.hpp"
#include "tutti/typed_buffer.hpp"

namespace tutti {

/// May be sent as its bytes: it owns no pointers and needs no construction.
template <class T>
concept Element = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_null_pointer_v<T> &&
                  !std::ranges::range<T> && !detail::Typed<T>;

/// std::vector<T>, std::array<T, N>, std::span<T>, T[N], std::string ... of such elements, or of arrays of
/// them. The elements are no views: a std::string_view is trivially copyable, but its bytes are a pointer.
template <class R>
concept ElementRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                       std::is_trivially_copyable_v<std::ranges::range_value_t<R>> &&
                       !std::is_pointer_v<std::ranges::range_value_t<R>> &&
                       !std::ranges::view<std::ranges::range_value_t<R>>;

namespace detail {

enum class SendMode : unsigned char { standard, synchronous, ready };

struct ConstView {
    const std::byte* data;
    std::size_t size_bytes;
    const datatype::Typemap* layout;       // of the whole; nullptr: contiguous
    const ElementType* element = nullptr;  // for checks; nullptr: unknown. Lives as long as the job
};

struct View {
    std::byte* data;
    std::size_t size_bytes;
    const datatype::Typemap* layout;
    const ElementType* element = nullptr;

    operator ConstView() const noexcept { return {data, size_bytes, layout, element}; }
};

/// A contiguous buffer and the size of its elements.
struct ConstElements {
    const std::byte* data;
    std::size_t count;
    std::size_t element_bytes;

    std::size_t size_bytes() const noexcept { return count * element_bytes; }
};

struct Elements {
    std::byte* data;
    std::size_t count;
    std::size_t element_bytes;

    std::size_t size_bytes() const noexcept { return count * element_bytes; }
    operator ConstElements() const noexcept { return {data, count, element_bytes}; }
};

/// The elements of `layout` at `base`. If their bytes are contiguous, the view is a plain one.
ConstView laid_out(const std::byte* base, const Layout& layout, std::size_t element_bytes) noexcept;

template <class T>
ConstView const_view(const T& object)
{
    if constexpr (Typed<T>) {
        return {static_cast<const std::byte*>(object.data), object.count * size_bytes(object.type), nullptr,
                &kNumberTypes[static_cast<std::uint8_t>(object.type)]};
    } else if constexpr (LaidOut<T>) {
        ConstView made =
            laid_out(reinterpret_cast<const std::byte*>(object.base), object.layout, sizeof(*object.base));
        made.element = &kElementType<std::remove_reference_t<decltype(*object.base)>>;
        return made;
    } else if constexpr (ElementRange<const T>) {
        return {reinterpret_cast<const std::byte*>(std::ranges::data(object)),
                std::ranges::size(object) * sizeof(std::ranges::range_value_t<T>), nullptr,
                &kElementType<std::ranges::range_value_t<T>>};
    } else if constexpr (Element<T>) {
        return {reinterpret_cast<const std::byte*>(std::addressof(object)), sizeof(T), nullptr,
                &kElementType<T>};
    } else {
        static_assert(
            always_false<T>,
            "tutti: this type cannot travel as its bytes. Pass a trivially copyable object, a contiguous "
            "range of them (std::span(pointer, count) for a raw pointer), a layout (tutti::strided, "
            "tutti::indexed), tutti::typed(pointer, count, type), or tutti::serialize(object)");
    }
}

template <class T>
View view(T& object)
{
    // A const range of writable elements (const std::span<int>) is a valid receive buffer.
    if constexpr (Typed<T>)
        static_assert(!std::is_const_v<std::remove_pointer_t<decltype(object.data)>>,
                      "tutti: a receive buffer's elements must not be const");
    else if constexpr (LaidOut<T>)
        static_assert(!std::is_const_v<std::remove_pointer_t<decltype(object.base)>>,
                      "tutti: a receive buffer's elements must not be const");
    else if constexpr (ElementRange<T>)
        static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<T>>>,
                      "tutti: a receive buffer's elements must not be const");
    else
        static_assert(!std::is_const_v<T>, "tutti: a receive buffer must not be const");
    const ConstView bytes = const_view(object);
    return {const_cast<std::byte*>(bytes.data), bytes.size_bytes, bytes.layout, bytes.element};
}

// For results. `B` is deduced as a forwarding reference. Ranges may be views, whose elements stay.
template <class B>
constexpr void check_result_stays() noexcept
{
    static_assert(std::is_lvalue_reference_v<B> || !Element<std::remove_cvref_t<B>> || LaidOut<B>,
                  "tutti: the result would be lost with this temporary. Give a variable to be filled; "
                  "tutti::recv_value<T>, tutti::broadcast and tutti::allreduce return values");
}

// For operations that borrow their buffer beyond the call. `B` is deduced as a forwarding reference.
template <class B>
constexpr void check_outlives_call() noexcept
{
    static_assert(std::is_lvalue_reference_v<B> || Typed<B>,
                  "tutti: this operation borrows its buffer until it is complete; a temporary ends earlier. "
                  "Give the buffer a name");
}

}  // namespace detail
}  // namespace tutti
