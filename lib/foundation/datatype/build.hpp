// The constructors of datatypes, as in MPI.
//
// Counts are elements of the old type; offsets and strides are in its extents, or in bytes if the name has an
// h. All throw ErrorCode::invalid_argument when a size, an offset or a bound exceeds the address space, or
// types are nested too deep.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::datatype {

/// One element of a basic type.
TypemapRef basic(DataType type);
/// Bytes without a type.
TypemapRef bytes(std::size_t count);
/// Blocks of such bytes.
TypemapRef strided_bytes(std::size_t count, std::size_t block_bytes, std::ptrdiff_t stride_bytes);

TypemapRef contiguous(std::size_t count, const Typemap& of);
TypemapRef vector(std::size_t count, std::size_t block, std::ptrdiff_t stride, const Typemap& of);
TypemapRef hvector(std::size_t count, std::size_t block, std::ptrdiff_t stride_bytes, const Typemap& of);

/// Blocks of any counts at any offsets. Blocks of one count (indexed_block) are recognised.
TypemapRef indexed(std::vector<Block> blocks, const Typemap& of);
TypemapRef hindexed(std::vector<Block> blocks, const Typemap& of);

struct Member {
    std::ptrdiff_t offset_bytes;
    std::size_t count;
    const Typemap* type;
};
TypemapRef structure(std::span<const Member> members);

/// The dimension whose index changes from one element to the next: the last one in C, the first one in
/// Fortran.
enum class Order { c, fortran };
struct Dimension {
    std::size_t size;   // of the whole array
    std::size_t taken;  // number of elements in the part
    std::size_t start;  // the first element of the part
};
/// A part of an array, with the bounds of the whole. Also throws when a part is larger than the whole.
TypemapRef subarray(std::span<const Dimension> dimensions, Order order, const Typemap& of);

/// The same bytes with other bounds.
TypemapRef resized(std::ptrdiff_t lower_bound, std::ptrdiff_t extent_bytes, const Typemap& of);

}  // namespace tutti::datatype
