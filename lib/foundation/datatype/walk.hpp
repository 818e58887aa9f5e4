// Visits the runs of bytes of a part of an object, in the order of transfer. The part's place is found by
// division, in lists of blocks by bisection.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::datatype {

namespace walks {

template <class Visit>
void walk_shape(const Shape* shape, std::ptrdiff_t offset_bytes, std::size_t from, std::size_t to,
                Visit& visit);

/// Items of the same size and distance; [from, to) are bytes of them.
template <class Visit>
void walk_items(const Shape& shape, std::ptrdiff_t offset_bytes, std::size_t from, std::size_t to,
                Visit& visit)
{
    const std::size_t bytes = shape.item_bytes;
    if (!shape.item && static_cast<std::ptrdiff_t>(bytes) == shape.stride_bytes)
        return visit(offset_bytes + static_cast<std::ptrdiff_t>(from), to - from);
    std::size_t index = from / bytes;
    std::ptrdiff_t place = offset_bytes + shape.stride_bytes * static_cast<std::ptrdiff_t>(index);
    for (std::size_t start = index * bytes; start < to; start += bytes, place += shape.stride_bytes)
        walk_shape(shape.item.get(), place, std::max(from, start) - start,
                   std::min(to, start + bytes) - start, visit);
}

/// The entry of a list that has the byte `from`. The last entry is empty.
template <class List>
std::size_t entry_of(const List& list, std::size_t from)
{
    const auto behind = std::upper_bound(list.begin(), list.end() - 1, from,
                                         [](std::size_t at, const auto& entry) { return at < entry.start; });
    return static_cast<std::size_t>(behind - list.begin()) - 1;
}

template <class Visit>
void walk_shape(const Shape* shape, std::ptrdiff_t offset_bytes, std::size_t from, std::size_t to,
                Visit& visit)
{
    if (shape == nullptr)
        return visit(offset_bytes + static_cast<std::ptrdiff_t>(from), to - from);
    switch (shape->kind) {
        case Shape::Kind::repeat:
            return walk_items(*shape, offset_bytes, from, to, visit);
        case Shape::Kind::blocks:
            for (std::size_t i = entry_of(shape->blocks, from); shape->blocks[i].start < to; ++i) {
                const Shape::Block& block = shape->blocks[i];
                walk_items(*shape, offset_bytes + block.offset_bytes,
                           std::max(from, block.start) - block.start,
                           std::min(to, shape->blocks[i + 1].start) - block.start, visit);
            }
            return;
        case Shape::Kind::sequence:
            for (std::size_t i = entry_of(shape->parts, from); shape->parts[i].start < to; ++i) {
                const Shape::Part& part = shape->parts[i];
                const std::size_t end = shape->parts[i + 1].start;
                walk_shape(part.shape.get(), offset_bytes + part.offset_bytes,
                           std::max(from, part.start) - part.start, std::min(to, end) - part.start, visit);
            }
            return;
    }
}

}  // namespace walks

/// Calls visit(offset in bytes from the base, size in bytes) for the runs of the bytes [from, to) that any
/// number of elements in a row have. The type has bytes, unless from == to. Runs that touch are one.
template <class Visit>
void walk(const Typemap& type, std::size_t from, std::size_t to, Visit&& visit)
{
    if (from >= to)
        return;
    const Placed& element = type.placed();
    if (type.is_contiguous())
        return visit(element.offset_bytes + static_cast<std::ptrdiff_t>(from), to - from);
    std::ptrdiff_t begin = 0;
    std::size_t bytes = 0;
    auto join = [&](std::ptrdiff_t offset, std::size_t more) {
        if (bytes != 0 && begin + static_cast<std::ptrdiff_t>(bytes) == offset) {
            bytes += more;
            return;
        }
        if (bytes != 0)
            visit(begin, bytes);
        begin = offset;
        bytes = more;
    };
    const std::size_t size = element.size_bytes;
    for (std::size_t index = from / size; index * size < to; ++index) {
        const std::size_t start = index * size;
        walks::walk_shape(element.shape.get(),
                          element.offset_bytes + type.extent_bytes() * static_cast<std::ptrdiff_t>(index),
                          std::max(from, start) - start, std::min(to, start + size) - start, join);
    }
    visit(begin, bytes);
}

}  // namespace tutti::datatype
