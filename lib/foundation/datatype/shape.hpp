// Where the bytes of an element lie, in the order of transfer: a tree of few levels.
//
// The functions below normalise: bytes that touch become one run, regular repetitions become a count and a
// stride, and levels that fit together become one. So vectors, subarrays and their nestings take the same
// memory for any counts. No other code makes a Shape.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/foundation/base/counted.hpp"

namespace tutti::datatype {

struct Shape;
using ShapeRef = base::Ref<const Shape>;

/// Bytes at an offset.
struct Placed {
    std::ptrdiff_t offset_bytes = 0;  // of the first byte in the transfer
    std::size_t size_bytes = 0;       // bytes in the transfer
    ShapeRef shape;                   // null: they are contiguous

    bool is_one_run() const noexcept { return !shape; }
};

/// Immutable. It has at least one byte; the first byte of the transfer lies at the shape's origin. So the
/// origin of each part is a byte of the object, and no offset computed on the way down leaves the object.
struct Shape final : base::Counted<Shape> {
    enum class Kind : unsigned char {
        repeat,   // items at a distance of stride_bytes
        blocks,   // each like a repeat, with any count and place
        sequence  // other shapes at any place
    };
    // For lists: an entry's place, and the bytes before it in the transfer. The last entry is empty.
    struct Block {
        std::ptrdiff_t offset_bytes;
        std::size_t start;
    };
    struct Part {
        std::ptrdiff_t offset_bytes;
        std::size_t start;
        ShapeRef shape;  // null: the bytes are contiguous
    };

    Kind kind = Kind::repeat;
    unsigned levels = 1;
    std::size_t size_bytes = 0;

    // An item: a shape, or if null, item_bytes contiguous bytes. Blocks of bytes have items of one byte.
    ShapeRef item;
    std::size_t item_bytes = 0;
    std::ptrdiff_t stride_bytes = 0;
    std::size_t count = 0;  // of a repeat

    std::vector<Block> blocks;
    std::size_t block_bytes = 0;  // for blocks of bytes of one size, else 0
    std::vector<Part> parts;
};

/// `count` items in a row from an offset on.
struct Block {
    std::ptrdiff_t offset;  // in bytes, unless another unit is given
    std::size_t count;
};

// All throw ErrorCode::invalid_argument when a size or an offset exceeds the address space, or there are more
// than kMostLevels levels.
inline constexpr unsigned kMostLevels = 512;

/// `count` items at a distance of stride_bytes.
Placed make_repeat(std::size_t count, std::ptrdiff_t stride_bytes, const Placed& item);
/// Blocks of items; the items have a distance of stride_bytes.
Placed make_blocks(std::vector<Block> blocks, std::ptrdiff_t stride_bytes, Placed item);
Placed make_sequence(std::vector<Placed> parts);

}  // namespace tutti::datatype
