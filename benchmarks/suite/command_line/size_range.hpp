// The value of -m.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tutti::bench {

/// Sizes in bytes. A missing end is the benchmark's own.
struct SizeRange {
    std::optional<std::size_t> min;
    std::optional<std::size_t> max;
};

/// "64K", "1M": in the largest unit that makes it a whole number; 1000 stays "1000".
std::string short_size(double bytes);

/// MIN:MAX, MAX or MIN:, in bytes, or with K, M or G behind: powers of 1024. Throws CLI::ValidationError.
SizeRange parse_range(const std::string& text);

}  // namespace tutti::bench
