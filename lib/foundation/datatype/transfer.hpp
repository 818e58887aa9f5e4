// Copies between an object and the sequence of bytes that a datatype describes.
#pragma once

#include <cstddef>
#include <span>

#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::datatype {

/// Copies bytes [from, from + out.size()) of the byte sequence of `count` elements at `base`. A message may
/// be packed in pieces of any size and order: the place of a piece is computed, by bisection in lists of
/// blocks. Throws ErrorCode::invalid_argument when the piece goes past the end.
void pack(const Typemap& type, std::size_t count, const std::byte* base, std::size_t from,
          std::span<std::byte> out);
/// The reverse of pack(). No two bytes of the elements may overlap.
void unpack(const Typemap& type, std::size_t count, std::byte* base, std::size_t from,
            std::span<const std::byte> in);

}  // namespace tutti::datatype
