#include "lib/foundation/datatype/ascending.hpp"

#include <algorithm>

namespace tutti::datatype {

namespace {

using MaybeAscent = std::optional<Ascent>;

// `shape`: nullptr if the bytes are contiguous.
MaybeAscent ascent_of_shape(const Shape* shape, std::size_t bytes) noexcept;

MaybeAscent ascent_of_items(const Shape& shape, std::size_t count) noexcept
{
    const MaybeAscent item = ascent_of_shape(shape.item.get(), shape.item_bytes);
    if (!item || count <= 1)
        return item;
    if (!shape.item && shape.stride_bytes == item->reach)  // one run
        return Ascent{.reach = shape.stride_bytes * static_cast<std::ptrdiff_t>(count)};
    if (shape.stride_bytes < item->last_run)
        return std::nullopt;
    const std::ptrdiff_t last_item = shape.stride_bytes * (static_cast<std::ptrdiff_t>(count) - 1);
    return Ascent{.last_run = last_item + item->last_run,
                  .reach = last_item + item->reach,
                  .overlaps = item->overlaps || shape.stride_bytes < item->reach};
}

// `ascent`: of a list's entry and its bytes.
template <class List, class AscentOfEntry>
MaybeAscent ascent_of_list(const List& list, AscentOfEntry&& ascent) noexcept
{
    Ascent all;
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
        const MaybeAscent own = ascent(list[i], list[i + 1].start - list[i].start);
        const std::ptrdiff_t begin = list[i].offset_bytes;
        if (!own || begin < all.last_run)
            return std::nullopt;
        all = {.last_run = begin + own->last_run,
               .reach = std::max(all.reach, begin + own->reach),
               .overlaps = all.overlaps || own->overlaps || begin < all.reach};
    }
    return all;
}

MaybeAscent ascent_of_shape(const Shape* shape, std::size_t bytes) noexcept
{
    if (shape == nullptr)
        return Ascent{.reach = static_cast<std::ptrdiff_t>(bytes)};
    switch (shape->kind) {
        case Shape::Kind::repeat:
            return ascent_of_items(*shape, shape->count);
        case Shape::Kind::blocks:
            return ascent_of_list(shape->blocks, [&](const Shape::Block&, std::size_t part) {
                return ascent_of_items(*shape, part / shape->item_bytes);
            });
        case Shape::Kind::sequence:
            return ascent_of_list(shape->parts, [](const Shape::Part& each, std::size_t part) {
                return ascent_of_shape(each.shape.get(), part);
            });
    }
    return std::nullopt;
}

}  // namespace

std::optional<Ascent> ascent_of(const Typemap& type) noexcept
{
    return ascent_of_shape(type.placed().shape.get(), type.size_bytes());
}

}  // namespace tutti::datatype
