// Identifies a row of a benchmark in any of its files.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::bench::record {

struct RowName {
    std::optional<double> key;  // the size, or what the benchmark has instead
    std::vector<std::string> labels;

    auto operator<=>(const RowName&) const = default;
};

}  // namespace tutti::bench::record
