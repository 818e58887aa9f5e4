#include "lib/foundation/datatype/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/foundation/datatype/arithmetic.hpp"
#include "tutti/error.hpp"

namespace tutti::datatype {

namespace {

TypemapRef made(Description description)
{
    return TypemapRef(new Typemap(std::move(description)));
}

std::size_t alignment_of(DataType type) noexcept
{
    switch (type) {
        case DataType::complex64:
            return 4;
        case DataType::complex128:
            return 8;
        case DataType::long_double:
        case DataType::complex_long_double:
            return alignof(long double);
        default:
            return tutti::size_bytes(type);
    }
}

// An x87 or IEEE number of more than 64 bits has 128 in the portable form.
std::size_t usual_external_bytes(DataType type) noexcept
{
    return type == DataType::long_double           ? 16
           : type == DataType::complex_long_double ? 32
                                                   : tutti::size_bytes(type);
}

Description repeated(std::size_t count, std::ptrdiff_t stride_bytes, const Description& of)
{
    Description all;
    all.data = of.data.repeated(count, stride_bytes);
    all.marks = of.marks.repeated(count, stride_bytes);
    all.signature = of.signature.times(count);
    all.placed = make_repeat(count, stride_bytes, of.placed);
    all.alignment = all.data.any ? of.alignment : 1;
    return all;
}

Description bytes_together(std::size_t count)
{
    const std::ptrdiff_t end = sum(count, 0);
    return {{0, count, {}}, {count, count, count, DataType::uint8, {}}, {0, end, count != 0}, {}, 1};
}

Placed moved(Placed placed, std::ptrdiff_t offset_bytes)
{
    placed.offset_bytes = sum(placed.offset_bytes, offset_bytes);
    return placed;
}

void check_dimension(const Dimension& dimension)
{
    const auto& [size, taken, start] = dimension;
    if (taken > size || start > size - taken)
        throw Error(ErrorCode::invalid_argument, "layout",
                    fmt::format("a subarray takes {} elements from {} on of a dimension of {}; the part must "
                                "lie within the whole",
                                taken, start, size));
}

}  // namespace

TypemapRef basic(DataType type, std::size_t external_bytes)
{
    const std::size_t size = tutti::size_bytes(type);
    if (size == 0 || index_bytes(type) != 0)
        throw Error(ErrorCode::invalid_argument, "layout",
                    fmt::format("{} is no basic type; describe a value with its index as a structure",
                                static_cast<int>(type)));
    return made({{0, size, {}},
                 {1, size, external_bytes != 0 ? external_bytes : usual_external_bytes(type), type, {}},
                 {0, static_cast<std::ptrdiff_t>(size), true},
                 {},
                 alignment_of(type)});
}

TypemapRef number(DataType like, std::size_t size_bytes)
{
    const std::size_t parts = like == DataType::complex64 ? 2 : 1;
    return made({{0, size_bytes, {}},
                 {1, size_bytes, size_bytes, like, {}},
                 {0, static_cast<std::ptrdiff_t>(size_bytes), true},
                 {},
                 size_bytes / parts});
}

TypemapRef bytes(std::size_t count)
{
    return made(bytes_together(count));
}

TypemapRef contiguous(std::size_t count, const Typemap& of)
{
    return made(repeated(count, of.extent_bytes(), of.description()));
}

TypemapRef strided_bytes(std::size_t count, std::size_t block_bytes, std::ptrdiff_t stride_bytes)
{
    return made(repeated(count, stride_bytes, bytes_together(block_bytes)));
}

TypemapRef vector(std::size_t count, std::size_t block, std::ptrdiff_t stride, const Typemap& of)
{
    return hvector(count, block, product(stride, of.extent_bytes()), of);
}

TypemapRef hvector(std::size_t count, std::size_t block, std::ptrdiff_t stride_bytes, const Typemap& of)
{
    return made(repeated(count, stride_bytes, repeated(block, of.extent_bytes(), of.description())));
}

TypemapRef indexed(std::vector<Block> blocks, const Typemap& of)
{
    for (Block& block : blocks)
        block.offset = product(block.offset, of.extent_bytes());
    return hindexed(std::move(blocks), of);
}

TypemapRef hindexed(std::vector<Block> blocks, const Typemap& of)
{
    Description all;
    std::size_t count = 0;
    for (const Block& block : blocks) {
        const Description& item = of.description();
        all.data.include(item.data.repeated(block.count, of.extent_bytes()).moved(block.offset));
        all.marks.include(item.marks.repeated(block.count, of.extent_bytes()).moved(block.offset));
        count = size_sum(count, block.count);
    }
    all.signature = of.signature().times(count);
    all.placed = make_blocks(std::move(blocks), of.extent_bytes(), of.placed());
    all.alignment = all.data.any ? of.alignment() : 1;
    return made(std::move(all));
}

TypemapRef structure(std::span<const Member> members)
{
    Description all;
    std::vector<Placed> parts;
    std::vector<Signature> signatures;
    for (const auto& [offset_bytes, count, type] : members) {
        Description part = repeated(count, type->extent_bytes(), type->description());
        all.data.include(part.data.moved(offset_bytes));
        all.marks.include(part.marks.moved(offset_bytes));
        all.alignment = std::max(all.alignment, part.alignment);
        signatures.push_back(std::move(part.signature));
        if (part.data.any)
            parts.push_back(moved(std::move(part.placed), offset_bytes));
    }
    all.signature = Signature::sequence(std::move(signatures));
    all.placed = make_sequence(std::move(parts));
    return made(std::move(all));
}

TypemapRef subarray(std::span<const Dimension> dimensions, Order order, const Typemap& of)
{
    Description part = of.description();
    std::ptrdiff_t stride_bytes = of.extent_bytes();
    std::ptrdiff_t offset_bytes = 0;
    const auto add = [&](const Dimension& dimension) {
        check_dimension(dimension);
        part = repeated(dimension.taken, stride_bytes, part);
        offset_bytes = sum(offset_bytes, product(dimension.start, stride_bytes));
        stride_bytes = product(dimension.size, stride_bytes);
    };
    if (order == Order::fortran)
        std::ranges::for_each(dimensions, add);
    else
        std::for_each(dimensions.rbegin(), dimensions.rend(), add);
    part.data = part.data.moved(offset_bytes);
    if (part.data.any)
        part.placed = moved(std::move(part.placed), offset_bytes);
    part.marks = {0, stride_bytes, true};
    return made(std::move(part));
}

TypemapRef resized(std::ptrdiff_t lower_bound, std::ptrdiff_t extent_bytes, const Typemap& of)
{
    Description same = of.description();
    same.marks = {lower_bound, sum(lower_bound, extent_bytes), true};
    return made(std::move(same));
}

}  // namespace tutti::datatype
