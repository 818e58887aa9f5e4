#include "tutti/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "tutti/error.hpp"

namespace tutti {

// Two shapes: a strided one is computed, an indexed one is looked up. `starts` tells where in the travelling
// sequence each indexed block begins, so that a piece from the middle is found by bisection.
struct Layout::Description {
    std::size_t size_bytes = 0;
    std::size_t block_bytes = 0;      // strided: of every block
    std::ptrdiff_t stride_bytes = 0;  // strided
    std::vector<Block> blocks;        // indexed; empty: the layout is strided
    std::vector<std::size_t> starts;  // indexed
};

namespace {

using Block = Layout::Block;

[[noreturn]] void throw_too_large()
{
    throw Error(ErrorCode::invalid_argument, "layout",
                "its blocks exceed the address space; check counts, lengths and strides for overflow");
}

std::size_t checked_product(std::size_t a, std::size_t b)
{
    std::size_t product = 0;
    if (__builtin_mul_overflow(a, b, &product) || product > PTRDIFF_MAX)
        throw_too_large();
    return product;
}

std::ptrdiff_t checked_product(std::ptrdiff_t a, std::size_t b)
{
    std::ptrdiff_t product = 0;
    if (__builtin_mul_overflow(a, b, &product))
        throw_too_large();
    return product;
}

// Copies the elements of many small blocks with a constant size, which the compiler turns into single moves:
// a column of doubles must not cost a call of memcpy an element.
template <std::size_t kBytes, bool kPacking>
void copy_small(std::byte* object, std::ptrdiff_t stride_bytes, std::byte* wire, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        std::byte* element = object + stride_bytes * static_cast<std::ptrdiff_t>(i);
        if constexpr (kPacking)
            std::memcpy(wire + i * kBytes, element, kBytes);
        else
            std::memcpy(element, wire + i * kBytes, kBytes);
    }
}

template <bool kPacking>
void copy_block(std::byte* object, std::byte* wire, std::size_t size_bytes)
{
    if constexpr (kPacking)
        std::memcpy(wire, object, size_bytes);
    else
        std::memcpy(object, wire, size_bytes);
}

// `count` whole blocks.
template <bool kPacking>
void copy_strided(std::byte* object, std::size_t block_bytes, std::ptrdiff_t stride_bytes, std::byte* wire,
                  std::size_t count)
{
    switch (block_bytes) {
        case 1:
            return copy_small<1, kPacking>(object, stride_bytes, wire, count);
        case 2:
            return copy_small<2, kPacking>(object, stride_bytes, wire, count);
        case 4:
            return copy_small<4, kPacking>(object, stride_bytes, wire, count);
        case 8:
            return copy_small<8, kPacking>(object, stride_bytes, wire, count);
        case 16:
            return copy_small<16, kPacking>(object, stride_bytes, wire, count);
        case 32:
            return copy_small<32, kPacking>(object, stride_bytes, wire, count);
        case 64:
            return copy_small<64, kPacking>(object, stride_bytes, wire, count);
        default:
            break;
    }
    for (std::size_t i = 0; i < count; ++i)
        copy_block<kPacking>(object + stride_bytes * static_cast<std::ptrdiff_t>(i), wire + i * block_bytes,
                             block_bytes);
}

// The three parts of a piece that starts and ends anywhere: the rest of a block, whole blocks, a block's
// beginning. Addresses are formed from the base each time: a pointer past the last block may not exist.
template <bool kPacking>
void transfer_strided(std::size_t block_bytes, std::ptrdiff_t stride_bytes, std::byte* base, std::size_t from,
                      std::byte* wire, std::size_t size_bytes)
{
    std::size_t index = from / block_bytes;
    const std::size_t inside = from % block_bytes;
    const auto block = [&](std::size_t i) { return base + stride_bytes * static_cast<std::ptrdiff_t>(i); };

    if (inside != 0) {
        const std::size_t part = std::min(block_bytes - inside, size_bytes);
        copy_block<kPacking>(block(index) + inside, wire, part);
        wire += part;
        size_bytes -= part;
        ++index;
    }
    const std::size_t whole = size_bytes / block_bytes;
    if (whole != 0)
        copy_strided<kPacking>(block(index), block_bytes, stride_bytes, wire, whole);
    if (size_bytes % block_bytes != 0)
        copy_block<kPacking>(block(index + whole), wire + whole * block_bytes, size_bytes % block_bytes);
}

template <bool kPacking>
void transfer_indexed(std::span<const Block> blocks, std::span<const std::size_t> starts, std::byte* base,
                      std::size_t from, std::byte* wire, std::size_t size_bytes)
{
    auto index = static_cast<std::size_t>(std::ranges::upper_bound(starts, from) - starts.begin()) - 1;
    std::size_t inside = from - starts[index];
    while (size_bytes != 0) {
        const Block& block = blocks[index];
        const std::size_t part = std::min(block.size_bytes - inside, size_bytes);
        copy_block<kPacking>(base + block.offset_bytes + inside, wire, part);
        wire += part;
        size_bytes -= part;
        inside = 0;
        ++index;
    }
}

void check_piece(std::size_t from, std::size_t piece_bytes, std::size_t size_bytes)
{
    if (from > size_bytes || piece_bytes > size_bytes - from)
        throw Error(ErrorCode::invalid_argument, "layout",
                    fmt::format("bytes {} to {} were asked of a layout of {} bytes", from, from + piece_bytes,
                                size_bytes));
}

}  // namespace

Layout::Layout(std::shared_ptr<const Description> description) noexcept : description_(std::move(description))
{
}

Layout Layout::strided(std::size_t count, std::size_t block, std::ptrdiff_t stride, std::size_t element_bytes)
{
    const std::size_t block_bytes = checked_product(block, element_bytes);
    const std::ptrdiff_t stride_bytes = checked_product(stride, element_bytes);
    auto description = std::make_shared<Description>();
    description->size_bytes = checked_product(count, block_bytes);
    description->block_bytes = block_bytes;
    description->stride_bytes = stride_bytes;
    if (count != 0)
        checked_product(stride_bytes, count - 1);  // where the last block starts
    // Blocks that touch are one block: copied at once.
    if (std::cmp_equal(stride_bytes, block_bytes))
        description->block_bytes = description->size_bytes;
    return Layout(std::move(description));
}

Layout Layout::indexed(std::span<const Block> blocks)
{
    auto description = std::make_shared<Description>();
    std::ptrdiff_t end_bytes = 0;  // of the block before
    for (const Block& block : blocks) {
        if (block.size_bytes == 0)
            continue;
        const std::size_t start = description->size_bytes;
        std::ptrdiff_t total = 0;
        if (__builtin_add_overflow(start, block.size_bytes, &total))
            throw_too_large();
        if (!description->blocks.empty() && block.offset_bytes == end_bytes) {
            description->blocks.back().size_bytes += block.size_bytes;
        } else {
            description->blocks.push_back(block);
            description->starts.push_back(start);
        }
        if (__builtin_add_overflow(block.offset_bytes, block.size_bytes, &end_bytes))
            throw_too_large();
        description->size_bytes = static_cast<std::size_t>(total);
    }
    return Layout(std::move(description));
}

Layout Layout::indexed(std::span<const std::ptrdiff_t> offsets, std::span<const std::size_t> lengths,
                       std::size_t element_bytes)
{
    if (offsets.size() != lengths.size())
        throw Error(ErrorCode::invalid_argument, "indexed",
                    fmt::format("{} offsets but {} lengths; give one length for each offset", offsets.size(),
                                lengths.size()));
    std::vector<Block> blocks(offsets.size());
    for (std::size_t i = 0; i < blocks.size(); ++i)
        blocks[i] = {checked_product(offsets[i], element_bytes), checked_product(lengths[i], element_bytes)};
    return indexed(blocks);
}

std::size_t Layout::size_bytes() const noexcept
{
    return description_->size_bytes;
}

void Layout::pack(const std::byte* base, std::size_t from, std::span<std::byte> out) const
{
    check_piece(from, out.size(), size_bytes());
    if (out.empty())
        return;
    // One body serves both directions; when packing it only reads from the object.
    std::byte* object = const_cast<std::byte*>(base);
    const Description& d = *description_;
    if (d.blocks.empty())
        transfer_strided<true>(d.block_bytes, d.stride_bytes, object, from, out.data(), out.size());
    else
        transfer_indexed<true>(d.blocks, d.starts, object, from, out.data(), out.size());
}

void Layout::unpack(std::byte* base, std::size_t from, std::span<const std::byte> in) const
{
    check_piece(from, in.size(), size_bytes());
    if (in.empty())
        return;
    std::byte* wire = const_cast<std::byte*>(in.data());
    const Description& d = *description_;
    if (d.blocks.empty())
        transfer_strided<false>(d.block_bytes, d.stride_bytes, base, from, wire, in.size());
    else
        transfer_indexed<false>(d.blocks, d.starts, base, from, wire, in.size());
}

}  // namespace tutti
