#include "lib/foundation/datatype/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lib/foundation/datatype/arithmetic.hpp"
#include "tutti/error.hpp"

namespace tutti::datatype {

namespace {

using Kind = Shape::Kind;

unsigned levels_above(unsigned levels)
{
    if (levels == kMostLevels)
        throw Error(ErrorCode::invalid_argument, "layout",
                    fmt::format("it is nested more than {} levels deep; describe it with fewer nested types",
                                kMostLevels));
    return levels + 1;
}

unsigned levels_of(const Shape* shape) noexcept
{
    return shape == nullptr ? 0 : shape->levels;
}

void set_item(Shape& shape, std::ptrdiff_t stride_bytes, const Placed& item)
{
    shape.stride_bytes = stride_bytes;
    shape.item_bytes = item.size_bytes;
    shape.item = item.shape;
    shape.levels = levels_above(levels_of(item.shape.get()));
}

// Whether two shapes of one size are the same; lists are not compared.
bool same(const Shape* a, const Shape* b) noexcept
{
    while (a != b) {
        if (a == nullptr || b == nullptr || a->kind != Kind::repeat || b->kind != Kind::repeat ||
            a->item_bytes != b->item_bytes || a->stride_bytes != b->stride_bytes)
            return false;
        a = a->item.get();
        b = b->item.get();
    }
    return true;
}

// Whether all have one size and one distance.
bool is_regular(const std::vector<Block>& blocks) noexcept
{
    // Unsigned, as the distance of two offsets may not fit in an offset.
    const auto step = [&](std::size_t i) {
        return static_cast<std::size_t>(blocks[i].offset) - static_cast<std::size_t>(blocks[i - 1].offset);
    };
    for (std::size_t i = 1; i < blocks.size(); ++i)
        if (blocks[i].count != blocks[0].count || step(i) != step(1))
            return false;
    return true;
}

// Blocks without empty ones. Joins neighbours that touch.
void join_touching(std::vector<Block>& blocks, std::ptrdiff_t stride_bytes)
{
    std::size_t kept = 0;
    std::ptrdiff_t end_bytes = 0;  // of the previous block
    for (const Block& block : blocks) {
        if (kept != 0 && block.offset == end_bytes)
            blocks[kept - 1].count = size_sum(blocks[kept - 1].count, block.count);
        else
            blocks[kept++] = block;
        end_bytes = sum(block.offset, product(block.count, stride_bytes));
    }
    blocks.resize(kept);
}

// Blocks in their shortest form; the first one lies at the origin.
Placed new_blocks(const std::vector<Block>& blocks, std::ptrdiff_t stride_bytes, const Placed& item)
{
    auto* const shape = new Shape;
    Placed made{item.offset_bytes, 0, ShapeRef(shape)};
    shape->kind = Kind::blocks;
    set_item(*shape, stride_bytes, item);
    shape->blocks.reserve(blocks.size() + 1);
    bool is_even = item.is_one_run() && item.size_bytes == 1 && stride_bytes == 1;
    for (const Block& block : blocks) {
        shape->blocks.push_back({block.offset, made.size_bytes});
        made.size_bytes = size_sum(made.size_bytes, size_product(block.count, item.size_bytes));
        is_even = is_even && block.count == blocks[0].count;
    }
    shape->blocks.push_back({0, made.size_bytes});
    shape->block_bytes = is_even ? blocks[0].count : 0;
    shape->size_bytes = made.size_bytes;
    return made;
}

// Parts that are not all alike, or not all runs. Consecutive runs that touch are joined.
Placed new_sequence(const std::vector<Placed>& parts)
{
    auto* const shape = new Shape;
    Placed made{parts[0].offset_bytes, 0, ShapeRef(shape)};
    shape->kind = Kind::sequence;
    shape->parts.reserve(parts.size() + 1);
    unsigned levels = 0;
    const Placed* before = nullptr;
    for (const Placed& part : parts) {
        // A run that continues the previous one is the same run.
        const bool goes_on = before != nullptr && before->is_one_run() && part.is_one_run() &&
                             sum(before->offset_bytes, before->size_bytes) == part.offset_bytes;
        if (!goes_on)
            shape->parts.push_back(
                {difference(part.offset_bytes, made.offset_bytes), made.size_bytes, part.shape});
        levels = std::max(levels, levels_of(part.shape.get()));
        made.size_bytes = size_sum(made.size_bytes, part.size_bytes);
        before = &part;
    }
    shape->parts.push_back({0, made.size_bytes, {}});
    shape->levels = levels_above(levels);
    shape->size_bytes = made.size_bytes;
    return made;
}

}  // namespace

void throw_too_large()
{
    throw Error(ErrorCode::invalid_argument, "layout",
                "its blocks exceed the address space; check counts, lengths and strides for overflow");
}

Placed make_repeat(std::size_t count, std::ptrdiff_t stride_bytes, const Placed& item)
{
    if (count == 0 || item.size_bytes == 0)
        return {};
    if (count == 1)
        return item;
    Placed made{item.offset_bytes, size_product(count, item.size_bytes), {}};
    sum(item.offset_bytes, product(count - 1, stride_bytes));
    if (item.is_one_run() && std::cmp_equal(item.size_bytes, stride_bytes))
        return made;

    auto* const shape = new Shape;
    made.shape = ShapeRef(shape);
    shape->size_bytes = made.size_bytes;
    const Shape* const inner = item.shape.get();
    if (inner != nullptr && inner->kind == Kind::repeat &&
        product(inner->count, inner->stride_bytes) == stride_bytes) {
        // The next item begins where a further item of the inner repeat would begin.
        set_item(*shape, inner->stride_bytes, {0, inner->item_bytes, inner->item});
        shape->count = count * inner->count;
    } else {
        set_item(*shape, stride_bytes, item);
        shape->count = count;
    }
    return made;
}

Placed make_blocks(std::vector<Block> blocks, std::ptrdiff_t stride_bytes, Placed item)
{
    std::erase_if(blocks, [](const Block& block) { return block.count == 0; });
    if (item.size_bytes == 0 || blocks.empty())
        return {};
    // Items that touch, or are alone in their blocks, are blocks of bytes.
    if (item.is_one_run() &&
        (std::cmp_equal(item.size_bytes, stride_bytes) ||
         std::ranges::all_of(blocks, [](const Block& block) { return block.count == 1; }))) {
        for (Block& block : blocks)
            block.count = size_product(block.count, item.size_bytes);
        item.size_bytes = 1;
        stride_bytes = 1;
    }
    join_touching(blocks, stride_bytes);

    const std::ptrdiff_t first = blocks[0].offset;
    item.offset_bytes = sum(item.offset_bytes, first);
    for (Block& block : blocks)
        block.offset = difference(block.offset, first);
    if (!is_regular(blocks))
        return new_blocks(blocks, stride_bytes, item);
    return make_repeat(blocks.size(), blocks.size() == 1 ? 0 : blocks[1].offset,
                       make_repeat(blocks[0].count, stride_bytes, item));
}

Placed make_sequence(std::vector<Placed> parts)
{
    std::erase_if(parts, [](const Placed& part) { return part.size_bytes == 0; });
    if (parts.empty())
        return {};
    if (parts.size() == 1)
        return parts[0];
    const bool are_runs = std::ranges::all_of(parts, &Placed::is_one_run);
    if (!are_runs && !std::ranges::all_of(parts, [&](const Placed& part) {
            return part.size_bytes == parts[0].size_bytes && same(part.shape.get(), parts[0].shape.get());
        }))
        return new_sequence(parts);
    std::vector<Block> blocks;
    blocks.reserve(parts.size());
    for (const Placed& part : parts)
        blocks.push_back({part.offset_bytes, are_runs ? part.size_bytes : 1});
    if (are_runs)
        return make_blocks(std::move(blocks), 1, {0, 1, {}});
    const std::ptrdiff_t step = difference(blocks[1].offset, blocks[0].offset);
    return make_blocks(std::move(blocks), step, {0, parts[0].size_bytes, parts[0].shape});
}

}  // namespace tutti::datatype
