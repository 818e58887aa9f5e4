// The value of -m.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tutti::bench {

/// In bytes. A missing end is the benchmark's own.
struct SizeRange {
    std::optional<std::size_t> min;
    std::optional<std::size_t> max;
};

/// MIN:MAX, MAX or MIN:. Throws CLI::ValidationError.
SizeRange parse_range(const std::string& text);

}  // namespace tutti::bench
