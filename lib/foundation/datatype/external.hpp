// The portable form of data, which all machines read alike (MPI's external32): big-endian numbers of fixed
// sizes, without gaps.
#pragma once

#include <cstddef>
#include <span>

#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::datatype {

/// Bytes of `count` elements. Throws ErrorCode::invalid_argument when they exceed the address space.
std::size_t external_bytes(const Typemap& type, std::size_t count);

/// Writes `count` elements at `base` to `out`, which has room for external_bytes() at least. Integers that
/// are longer than in the portable form lose their upper bytes.
void pack_external(const Typemap& type, std::size_t count, const std::byte* base, std::span<std::byte> out);

/// The reverse. No two bytes of the elements may overlap. Of a 128-bit floating-point number the bits that a
/// long double of this machine lacks are cut off. `in` may end early: the whole numbers that it has are
/// written. Returns the bytes of the elements that these are.
std::size_t unpack_external(const Typemap& type, std::size_t count, std::byte* base,
                            std::span<const std::byte> in);

}  // namespace tutti::datatype
