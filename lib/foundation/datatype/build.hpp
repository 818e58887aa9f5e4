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

/// One element of a basic type. In the portable form (external.hpp) it has external_bytes; 0: as many as in
/// memory, and 16 for long double.
TypemapRef basic(DataType type, std::size_t external_bytes = 0);
/// One element of a number that no operator knows: as `like`, but of size_bytes bytes, in the portable form
/// too.
TypemapRef number(DataType like, std::size_t size_bytes);
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

/// How the elements of a dimension are distributed over `processes` ranks of a grid: all on one; a block on
/// each, of `block` elements (0: as equal as possible); or blocks of `block` elements (0: one) in turn.
enum class Distribution { none, block, cyclic };
struct DistributedDimension {
    std::size_t size;
    Distribution distribution;
    std::size_t block;
    std::size_t processes;
};
/// The part of an array that the rank with this place in the grid has, with the bounds of the whole. Places
/// are in C's order for both orders of the array. Also throws if a dimension cannot be distributed so, or the
/// grid has no such place.
TypemapRef distributed_array(std::span<const DistributedDimension> dimensions, std::size_t place, Order order,
                             const Typemap& of);

/// `of` with other bounds.
TypemapRef resized(std::ptrdiff_t lower_bound, std::ptrdiff_t extent_bytes, const Typemap& of);

}  // namespace tutti::datatype
