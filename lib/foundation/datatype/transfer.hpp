// Copies what a datatype describes: between an object and the sequence of bytes that travels.
#pragma once

#include <cstddef>
#include <span>

#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::datatype {

/// Copies bytes [from, from + out.size()) of the travelling sequence of `count` elements out of the object at
/// `base`. A message may be packed in pieces of any size, in any order: the place where a piece begins is
/// computed, with a bisection in lists of blocks. Throws ErrorCode::invalid_argument when the piece goes past
/// the end.
void pack(const Typemap& type, std::size_t count, const std::byte* base, std::size_t from,
          std::span<std::byte> out);
/// The reverse of pack(). No two bytes of the elements may be in one place.
void unpack(const Typemap& type, std::size_t count, std::byte* base, std::size_t from,
            std::span<const std::byte> in);

}  // namespace tutti::datatype
