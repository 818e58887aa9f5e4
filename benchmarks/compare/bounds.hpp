// Which limit of the machine bounds which benchmark, and the best value that a row could reach.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/compare/comparison.hpp"

namespace tutti::bench {

/// What `tutti-bench limits --json` wrote. Throws std::runtime_error that names the file and the field.
std::vector<record::Limit> read_limits(const std::string& file);

struct Bound {
    std::string name;  // "memory copy", "combining", "cache line trip + memory copy"
    double value;      // in the row's unit
};

/// Whether a limit is known for the benchmark. There is none if ranks share cores (a switch between them
/// costs more than any limit) or run on several hosts.
bool may_be_bounded(const Case& which);

/// Empty if there is no limit, or if it was not measured.
std::optional<Bound> bound_of(const Case& which, std::optional<double> size_bytes,
                              const std::vector<record::Limit>& limits);

/// The share of the limit that is reached: 1 at the limit.
double share_of(const Bound& bound, double value, Better better);

}  // namespace tutti::bench
