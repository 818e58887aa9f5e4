// Elements that are written to every second place, by masked stores where the processor has them.
#pragma once

#include <cstddef>

namespace tutti::datatype {

/// Copies the first of `count` elements of `element_bytes` from `wire` to every second place from `object`
/// on, and returns how many it has copied; maybe none. It writes no byte between them.
std::size_t spread_every_second(std::byte* object, const std::byte* wire, std::size_t element_bytes,
                                std::size_t count) noexcept;

}  // namespace tutti::datatype
