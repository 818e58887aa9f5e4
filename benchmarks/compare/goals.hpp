// How Tutti is to stand beside the best of all peers.
#pragma once

#include <optional>
#include <string>

#include "benchmarks/compare/comparison.hpp"

namespace tutti::bench {

/// A promise for the rows from `min_key` to `max_key` (sizes, depths; 0 where rows have none).
struct Goal {
    enum class Kind {
        ratio,       // to the best peer, at most `bound` or at least
        value,       // Tutti's own value, at most `bound`
        not_behind,  // not slower than the best peer, beyond noise
    };

    double min_key;
    double max_key;
    double bound = 1.0;
    Kind kind = Kind::ratio;
};

/// The goal for a row of the case, if there is one; `allocated`: for buffers of tutti::allocate.
std::optional<Goal> goal_of(const Case& which, std::optional<double> key, bool allocated = false);

/// Whether the promise is kept; nothing where that cannot be said, as of a ratio without a peer.
std::optional<bool> meets(const Goal& goal, Better better, double value, std::optional<double> ratio,
                          std::optional<Verdict> verdict);

/// For people to read: "<= 0.70".
std::string words(const Goal& goal, const record::Quantity& quantity);

/// The part by which a bandwidth may fall from one size to the next larger.
inline constexpr double kMostFall = 0.10;

/// Of the ratios of all collectives out of ordinary memory, where each rank has a core.
inline constexpr double kMedianOfCollectives = 0.75;

/// Whether the row counts for it.
bool counts_for_median(const Case& which, std::optional<double> key);

}  // namespace tutti::bench
