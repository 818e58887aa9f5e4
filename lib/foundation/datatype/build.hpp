// The constructors of datatypes, as MPI has them.
//
// Counts are of elements of the old type; offsets and strides are in extents of it, with an h in the name in
// bytes. All throw ErrorCode::invalid_argument where a size, an offset or a bound exceeds the address space,
// or types are nested too deep.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::datatype {

/// One element of a basic type.
TypemapRef basic(DataType type);
/// Bytes of no type.
TypemapRef bytes(std::size_t count);
/// Blocks of such.
TypemapRef strided_bytes(std::size_t count, std::size_t block_bytes, std::ptrdiff_t stride_bytes);

TypemapRef contiguous(std::size_t count, const Typemap& of);
TypemapRef vector(std::size_t count, std::size_t block, std::ptrdiff_t stride, const Typemap& of);
TypemapRef hvector(std::size_t count, std::size_t block, std::ptrdiff_t stride_bytes, const Typemap& of);

/// Blocks of any counts at any offsets; that they are all of one count (indexed_block) is found.
TypemapRef indexed(std::vector<Block> blocks, const Typemap& of);
TypemapRef hindexed(std::vector<Block> blocks, const Typemap& of);

struct Member {
    std::ptrdiff_t offset_bytes;
    std::size_t count;
    const Typemap* type;
};
TypemapRef structure(std::span<const Member> members);

/// Which dimension's index changes from one element to the next: the last one's in C, the first one's in
/// Fortran.
enum class Order { c, fortran };
struct Dimension {
    std::size_t size;   // of the whole array
    std::size_t taken;  // elements of it
    std::size_t start;  // the first one that is taken
};
/// A part of an array, with the bounds of the whole. Throws too where a part is larger than the whole.
TypemapRef subarray(std::span<const Dimension> dimensions, Order order, const Typemap& of);

/// The same bytes, other bounds.
TypemapRef resized(std::ptrdiff_t lower_bound, std::ptrdiff_t extent_bytes, const Typemap& of);

}  // namespace tutti::datatype
