// Where the bytes of an element lie, in the order in which they travel: a tree of few levels.
//
// The makers below normalise: what touches becomes one run, what repeats regularly is described by a count
// and a stride, levels that fit into each other become one. So a vector, a subarray and their nestings take
// the same memory for any counts. No other code makes a Shape.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/foundation/base/counted.hpp"

namespace tutti::datatype {

struct Shape;
using ShapeRef = base::Ref<const Shape>;

/// Bytes somewhere.
struct Placed {
    std::ptrdiff_t offset_bytes = 0;  // of the first byte that travels
    std::size_t size_bytes = 0;       // that travel
    ShapeRef shape;                   // none: they lie together

    bool is_one_run() const noexcept { return !shape; }
};

/// Immutable. The first byte that travels lies at the shape's origin, and at least one does. So the origin of
/// each part is a byte of the object, and no offset computed on the way down leaves the object.
struct Shape final : base::Counted<Shape> {
    enum class Kind : unsigned char {
        repeat,   // items, from one to the next stride_bytes
        blocks,   // each as repeat, of any count, anywhere
        sequence  // other shapes, anywhere
    };
    // Of lists: where an entry lies, and how many bytes travel before it. The last entry is empty.
    struct Block {
        std::ptrdiff_t offset_bytes;
        std::size_t start;
    };
    struct Part {
        std::ptrdiff_t offset_bytes;
        std::size_t start;
        ShapeRef shape;  // none: the bytes lie together
    };

    Kind kind = Kind::repeat;
    unsigned levels = 1;
    std::size_t size_bytes = 0;

    // An item: a shape, or, where there is none, item_bytes together. Blocks of bytes have items of one byte.
    ShapeRef item;
    std::size_t item_bytes = 0;
    std::ptrdiff_t stride_bytes = 0;
    std::size_t count = 0;  // of a repeat

    std::vector<Block> blocks;
    std::size_t block_bytes = 0;  // of blocks of bytes that are all of one size, else 0
    std::vector<Part> parts;
};

/// `count` items in a row that start somewhere.
struct Block {
    std::ptrdiff_t offset;  // in bytes, unless another unit is said
    std::size_t count;
};

// All throw ErrorCode::invalid_argument where a size or an offset exceeds the address space, or there are
// more than kMostLevels levels.
inline constexpr unsigned kMostLevels = 512;

/// `count` items, from one to the next stride_bytes.
Placed make_repeat(std::size_t count, std::ptrdiff_t stride_bytes, const Placed& item);
/// Blocks of items, from one item to the next stride_bytes.
Placed make_blocks(std::vector<Block> blocks, std::ptrdiff_t stride_bytes, Placed item);
Placed make_sequence(std::vector<Placed> parts);

}  // namespace tutti::datatype
