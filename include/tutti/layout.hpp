// Layouts: which bytes of a non-contiguous object travel, strided or indexed.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "tutti/refused.hpp"

namespace tutti {

namespace datatype {
class Typemap;
}

/// An immutable list of blocks, relative to a base address, in the order in which they travel. Copies are
/// cheap and share one description. Blocks at regular distances take constant memory.
class Layout {
public:
    Layout(const Layout& other) noexcept;
    Layout(Layout&& other) noexcept : typemap_(std::exchange(other.typemap_, nullptr)) {}
    Layout& operator=(Layout other) noexcept
    {
        std::swap(typemap_, other.typemap_);
        return *this;
    }
    ~Layout();

    /// Consecutive bytes of an object.
    struct Block {
        std::ptrdiff_t offset_bytes;  // from the base
        std::size_t size_bytes;       // of the block
    };

    /// `count` blocks of `block` elements, from start to start `stride` elements (which may be negative).
    /// Throws ErrorCode::invalid_argument when the blocks together exceed the address space.
    static Layout strided(std::size_t count, std::size_t block, std::ptrdiff_t stride,
                          std::size_t element_bytes);
    /// The given blocks. Empty ones are left out, adjacent ones are joined. Blocks may overlap only in a
    /// layout that is sent. Errors as strided().
    static Layout indexed(std::span<const Block> blocks);
    /// Blocks of lengths[i] elements that start offsets[i] elements after the base. Errors as strided(), and
    /// when the spans differ in size.
    static Layout indexed(std::span<const std::ptrdiff_t> offsets, std::span<const std::size_t> lengths,
                          std::size_t element_bytes);
    /// A part of an array of sizes[0] x sizes[1] x ... elements, the last index being the fastest: from
    /// starts[i] on, taken[i] elements of each dimension. Where it repeats, as in the view of a file, the
    /// next array begins behind the whole. Errors as strided(), and where the part is not within the whole.
    static Layout subarray(std::span<const std::size_t> sizes, std::span<const std::size_t> taken,
                           std::span<const std::size_t> starts, std::size_t element_bytes);
    /// The same blocks; where they repeat, as in the view of a file, each repetition begins `extent_bytes`
    /// behind the start of the one before.
    Layout repeated_every(std::size_t extent_bytes) const;

    /// Number of bytes that travel.
    std::size_t size_bytes() const noexcept;

    /// Copies bytes [from, from + out.size()) of the travelling sequence from the object at `base`. A message
    /// may be packed in pieces of any size. Throws ErrorCode::invalid_argument when the piece ends beyond
    /// size_bytes().
    void pack(const std::byte* base, std::size_t from, std::span<std::byte> out) const;
    /// The reverse of pack().
    void unpack(std::byte* base, std::size_t from, std::span<const std::byte> in) const;

    /// The library's internal form. Valid as long as this layout or a copy of it.
    const datatype::Typemap& typemap() const noexcept { return *typemap_; }

private:
    explicit Layout(const datatype::Typemap& typemap) noexcept;
    const datatype::Typemap* typemap_;  // holds a reference
};

/// A base address with a layout: an argument of send and receive.
template <class T>
struct LayoutView {
    T* base;        // where offset 0 is
    Layout layout;  // of the elements that travel
};

/// Whether a type is a LayoutView.
template <class>
inline constexpr bool is_laid_out = false;
template <class T>
inline constexpr bool is_laid_out<LayoutView<T>> = true;
template <class T>
concept LaidOut = is_laid_out<std::remove_cvref_t<T>>;

/// `count` blocks of `block` elements, `stride` elements from start to start: a column of a row-major n x m
/// matrix is strided(&a[0][j], n, 1, m).
template <class T>
requires std::is_trivially_copyable_v<T> LayoutView<T> strided(T* base, std::size_t count, std::size_t block,
                                                               std::ptrdiff_t stride)
{
    return {base, Layout::strided(count, block, stride, sizeof(T))};
}

// Refused in words.
template <class R, class... A>
requires std::is_class_v<R> LayoutView<const std::byte> strided(R&, const A&...)
{
    static_assert(detail::always_false<R>,
                  "tutti: a layout begins at an address: strided(vector.data(), count, block, stride)");
    return {nullptr, Layout::indexed(std::span<const Layout::Block>())};
}

/// Blocks of `lengths[i]` elements that start `offsets[i]` elements after `base`. Throws
/// ErrorCode::invalid_argument when the spans differ in size.
template <class T>
requires std::is_trivially_copyable_v<T> LayoutView<T> indexed(T* base,
                                                               std::span<const std::ptrdiff_t> offsets,
                                                               std::span<const std::size_t> lengths)
{
    return {base, Layout::indexed(offsets, lengths, sizeof(T))};
}

}  // namespace tutti
