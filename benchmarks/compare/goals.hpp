// Ratios to other libraries that Tutti promises.
#pragma once

#include <optional>
#include <string>

#include "benchmarks/compare/comparison.hpp"

namespace tutti::bench {

/// A promise for the rows from `min_key` to `max_key` (sizes, depths; 0 where rows have none).
struct Goal {
    double min_key;
    double max_key;
    double bound;
    bool absolute = false;  // the bound is for Tutti's value itself, not for the ratio to the better peer
};

/// The goal for a row of the case, if there is one.
std::optional<Goal> goal_of(const Case& which, std::optional<double> key);

/// Whether the promise is kept. `ratio` is Tutti's value to the better peer's (empty without peers).
bool meets(const Goal& goal, Better better, double value, std::optional<double> ratio);

/// For people to read: "<= 0.70".
std::string words(const Goal& goal, const record::Quantity& quantity);

}  // namespace tutti::bench
