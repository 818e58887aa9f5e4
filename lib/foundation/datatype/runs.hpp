// Visits the runs of bytes of an object, in the order of transfer.
#pragma once

#include <cstddef>

#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::datatype {

namespace runs {

template <class Visit>
void visit_shape(const Shape* shape, std::size_t run_bytes, std::ptrdiff_t offset_bytes, Visit& visit)
{
    if (shape == nullptr) {
        visit(offset_bytes, run_bytes);
        return;
    }
    const auto items = [&](std::ptrdiff_t from, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            visit_shape(shape->item.get(), shape->item_bytes,
                        from + shape->stride_bytes * static_cast<std::ptrdiff_t>(i), visit);
    };
    switch (shape->kind) {
        case Shape::Kind::repeat:
            return items(offset_bytes, shape->count);
        case Shape::Kind::blocks:
            for (std::size_t i = 0; i + 1 < shape->blocks.size(); ++i) {
                const Shape::Block& block = shape->blocks[i];
                const std::size_t bytes = shape->blocks[i + 1].start - block.start;
                if (!shape->item && static_cast<std::ptrdiff_t>(shape->item_bytes) == shape->stride_bytes)
                    visit(offset_bytes + block.offset_bytes, bytes);
                else
                    items(offset_bytes + block.offset_bytes, bytes / shape->item_bytes);
            }
            return;
        case Shape::Kind::sequence:
            for (std::size_t i = 0; i + 1 < shape->parts.size(); ++i) {
                const Shape::Part& part = shape->parts[i];
                visit_shape(part.shape.get(), shape->parts[i + 1].start - part.start,
                            offset_bytes + part.offset_bytes, visit);
            }
            return;
    }
}

}  // namespace runs

/// Calls visit(offset in bytes from the base, size in bytes) for each run of `count` elements.
template <class Visit>
void for_each_run(const Typemap& type, std::size_t count, Visit&& visit)
{
    const Placed& element = type.placed();
    if (element.size_bytes == 0 || count == 0)
        return;
    if (type.is_contiguous()) {
        visit(element.offset_bytes, element.size_bytes * count);
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        runs::visit_shape(element.shape.get(), element.size_bytes,
                          element.offset_bytes + type.extent_bytes() * static_cast<std::ptrdiff_t>(i), visit);
}

}  // namespace tutti::datatype
