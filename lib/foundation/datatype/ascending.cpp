#include "lib/foundation/datatype/ascending.hpp"

namespace tutti::datatype {

namespace {

using Reach = std::optional<std::ptrdiff_t>;

// `shape`: nullptr if the bytes are contiguous.
Reach reach_of(const Shape* shape, std::size_t bytes) noexcept;

Reach reach_of_items(const Shape& shape, std::size_t count) noexcept
{
    const Reach item = reach_of(shape.item.get(), shape.item_bytes);
    if (!item || (count > 1 && shape.stride_bytes < *item))
        return std::nullopt;
    return shape.stride_bytes * (static_cast<std::ptrdiff_t>(count) - 1) + *item;
}

// `reach`: of a list's entry and its bytes.
template <class List, class ReachOfEntry>
Reach reach_of_list(const List& list, ReachOfEntry&& reach) noexcept
{
    std::ptrdiff_t end = 0;
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
        const Reach own = reach(list[i], list[i + 1].start - list[i].start);
        if (!own || list[i].offset_bytes < end)
            return std::nullopt;
        end = list[i].offset_bytes + *own;
    }
    return end;
}

Reach reach_of(const Shape* shape, std::size_t bytes) noexcept
{
    if (shape == nullptr)
        return static_cast<std::ptrdiff_t>(bytes);
    switch (shape->kind) {
        case Shape::Kind::repeat:
            return reach_of_items(*shape, shape->count);
        case Shape::Kind::blocks:
            return reach_of_list(shape->blocks, [&](const Shape::Block&, std::size_t part) {
                return reach_of_items(*shape, part / shape->item_bytes);
            });
        case Shape::Kind::sequence:
            return reach_of_list(shape->parts, [](const Shape::Part& each, std::size_t part) {
                return reach_of(each.shape.get(), part);
            });
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::ptrdiff_t> reach_if_ascending(const Typemap& type) noexcept
{
    return reach_of(type.placed().shape.get(), type.size_bytes());
}

}  // namespace tutti::datatype
