// Whether the runs of bytes of an object lie in the order of their transfer.
#pragma once

#include <cstddef>
#include <optional>

#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::datatype {

/// How an element's runs of bytes lie behind each other. Distances are from its first byte on.
struct Ascent {
    std::ptrdiff_t last_run = 0;  // where the last run begins
    std::ptrdiff_t reach = 0;     // where the last byte ends
    bool overlaps = false;        // a run begins within one that comes earlier
};

/// None if a run begins in front of another one that comes earlier.
std::optional<Ascent> ascent_of(const Typemap& type) noexcept;

}  // namespace tutti::datatype
