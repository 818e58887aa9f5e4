// Which bytes of a user's object travel when they are not contiguous: strided and indexed layouts.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace tutti {

namespace datatype {
class Typemap;
}

/// An immutable list of blocks, relative to a base address, in the order in which they travel. Cheap to copy:
/// copies share one description. Blocks at regular distances take the same memory for any number of them.
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

    struct Block {
        std::ptrdiff_t offset_bytes;
        std::size_t size_bytes;
    };

    /// `count` blocks of `block` elements, the starts `stride` elements apart (which may be negative). Throws
    /// ErrorCode::invalid_argument when the blocks together exceed the address space.
    static Layout strided(std::size_t count, std::size_t block, std::ptrdiff_t stride,
                          std::size_t element_bytes);
    /// Blocks as given; empty ones are left out, neighbours that touch are joined. Blocks may overlap only
    /// where the layout is sent from. Errors as strided().
    static Layout indexed(std::span<const Block> blocks);
    /// Blocks of lengths[i] elements that start offsets[i] elements behind the base. Errors as strided(), and
    /// when the two differ in size.
    static Layout indexed(std::span<const std::ptrdiff_t> offsets, std::span<const std::size_t> lengths,
                          std::size_t element_bytes);

    /// Bytes that travel.
    std::size_t size_bytes() const noexcept;

    /// Copies bytes [from, from + out.size()) of the travelling sequence out of the object at `base`. A
    /// message may be packed in pieces of any size. Throws ErrorCode::invalid_argument when the piece goes
    /// past size_bytes().
    void pack(const std::byte* base, std::size_t from, std::span<std::byte> out) const;
    /// The reverse of pack().
    void unpack(std::byte* base, std::size_t from, std::span<const std::byte> in) const;

    /// What the library knows it as. Valid as long as this, or a copy of it.
    const datatype::Typemap& typemap() const noexcept { return *typemap_; }

private:
    explicit Layout(const datatype::Typemap& typemap) noexcept;
    const datatype::Typemap* typemap_;  // counted
};

/// A base address with a layout: what send and receive take.
template <class T>
struct LayoutView {
    T* base;
    Layout layout;
};

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

/// Blocks of `lengths[i]` elements that start `offsets[i]` elements behind `base`. Throws
/// ErrorCode::invalid_argument when the two differ in size.
template <class T>
requires std::is_trivially_copyable_v<T> LayoutView<T> indexed(T* base,
                                                               std::span<const std::ptrdiff_t> offsets,
                                                               std::span<const std::size_t> lengths)
{
    return {base, Layout::indexed(offsets, lengths, sizeof(T))};
}

}  // namespace tutti
