// Blocks: how a buffer is divided among the ranks of a collective.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <span>
#include <type_traits>

#include "tutti/buffer.hpp"

namespace tutti {

/// The number of elements of each rank's block and the block's start, both in elements of the buffer. Without
/// displacements the blocks follow each other in rank order.
///
///     world.allgatherv(mine, all, counts);
///     world.allgatherv(mine, all, {counts, displacements});
///
/// Borrows both arrays for the call; non-blocking collectives copy them.
class BlockCounts {
public:
    /// No blocks: for ranks whose buffer is ignored.
    BlockCounts() noexcept = default;
    BlockCounts(std::initializer_list<std::size_t> counts) noexcept : counts_(numbers(counts)) {}
    template <std::ranges::contiguous_range Counts>
    BlockCounts(const Counts& counts) noexcept : counts_(numbers(counts))
    {
    }
    template <std::ranges::contiguous_range Counts, std::ranges::contiguous_range Displacements>
    BlockCounts(const Counts& counts, const Displacements& displacements) noexcept
        : counts_(numbers(counts)), displacements_(numbers(displacements)), packed_(false)
    {
    }

    /// Elements of each rank's block, and where each begins; displacements() is empty where none were given.
    std::span<const std::size_t> counts() const noexcept { return counts_; }
    std::span<const std::size_t> displacements() const noexcept { return displacements_; }
    /// No displacements were given.
    bool packed() const noexcept { return packed_; }

private:
    template <class Numbers>
    static std::span<const std::size_t> numbers(const Numbers& values) noexcept
    {
        static_assert(std::same_as<std::ranges::range_value_t<Numbers>, std::size_t>,
                      "tutti: counts and displacements are std::size_t");
        return {std::ranges::data(values), std::ranges::size(values)};
    }

    std::span<const std::size_t> counts_;
    std::span<const std::size_t> displacements_;
    bool packed_ = true;
};

namespace detail {

template <class T>
ConstElements const_elements(const T& object)
{
    const ConstView bytes = const_view(object);
    if constexpr (Typed<T>)
        return {bytes.data, object.count, size_bytes(object.type)};
    else if constexpr (LaidOut<T>)
        return {bytes.data, bytes.size_bytes / sizeof(*object.base), sizeof(*object.base)};
    else if constexpr (ElementRange<const T>)
        return {bytes.data, std::ranges::size(object), sizeof(std::ranges::range_value_t<T>)};
    else
        return {bytes.data, 1, sizeof(T)};
}

template <class T>
Elements elements(T& object)
{
    const std::byte* const data = view(object).data;
    const ConstElements bytes = const_elements(object);
    return {const_cast<std::byte*>(data), bytes.count, bytes.element_bytes};
}

template <class T>
struct Innermost {
    using type = std::remove_cv_t<T>;
};
template <std::ranges::range T>
struct Innermost<T> {
    using type = typename Innermost<std::ranges::range_value_t<T>>::type;
};

template <class Pointer>
struct Innermost<TypedBuffer<Pointer>> {
    using type = TypedElement;
};

template <class T>
struct Innermost<LayoutView<T>> {
    using type = std::remove_cv_t<T>;
};

/// Input and output of a collective that moves blocks. With a layout, `data` is its base, and the count is
/// that of the elements that travel.
struct BlockBuffers {
    ConstElements in;  // empty in place
    Elements out;
    bool in_place;
    const datatype::Typemap* in_layout = nullptr;  // nullptr: contiguous
    const datatype::Typemap* out_layout = nullptr;
};

/// Two buffers of the same element type, in arrays or plain ranges.
template <class In, class Out>
BlockBuffers in_out(const In& in, Out& out)
{
    static_assert(std::same_as<typename Innermost<In>::type, typename Innermost<std::remove_cv_t<Out>>::type>,
                  "tutti: input and output must have elements of the same type");
    check_same_type(in, out);
    return {const_elements(in), elements(out), false, const_view(in).layout, const_view(out).layout};
}

/// Two buffers of an operation that outlives the call; `In` is deduced as a forwarding reference.
template <class In, class Out>
BlockBuffers borrowed_in_out(const std::remove_reference_t<In>& in, Out& out)
{
    check_outlives_call<In>();
    return in_out(in, out);
}

/// One buffer that is input and output.
template <class Data>
BlockBuffers in_place(Data& data)
{
    return {{}, elements(data), true, nullptr, const_view(data).layout};
}

/// in_place() of an operation that outlives the call; `Data` is deduced as a forwarding reference.
template <class Data>
BlockBuffers borrowed_in_place(std::remove_reference_t<Data>& data)
{
    check_outlives_call<Data>();
    return in_place(data);
}

}  // namespace detail
}  // namespace tutti
