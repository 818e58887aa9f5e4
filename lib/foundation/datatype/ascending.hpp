// Whether the bytes of an object lie in the order of their transfer.
#pragma once

#include <cstddef>
#include <optional>

#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::datatype {

/// How far the bytes of an element reach, from its first byte on; none if one lies in front of another that comes
/// earlier, or on it.
std::optional<std::ptrdiff_t> reach_if_ascending(const Typemap& type) noexcept;

}  // namespace tutti::datatype
