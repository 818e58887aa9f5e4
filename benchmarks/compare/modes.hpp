// Keeps runs to one mode of the machine: on virtual machines cores move, and the way between them changes by
// factors, for seconds or minutes.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>

namespace tutti::bench {

/// Whether a trip of a cache line between cores is of the same mode as another: within a factor of 1.5.
inline bool is_same_mode(double trip_ns, double other_ns)
{
    return std::max(trip_ns, other_ns) <= 1.5 * std::min(trip_ns, other_ns);
}

class Modes {
public:
    /// The trip now, in ns; nothing where it cannot be measured.
    using Probe = std::function<std::optional<double>()>;

    /// The usual mode is that at the beginning: the median of five. All waiting takes `patience_seconds` at
    /// most.
    Modes(Probe probe, double patience_seconds);

    std::optional<double> usual_ns() const { return usual_ns_; }
    /// True where nothing is known.
    bool is_usual(std::optional<double> trip_ns) const;
    /// Waits until the machine is in the usual mode again, while patience lasts. The last trip.
    std::optional<double> hold();
    std::optional<double> now() const { return probe_(); }

private:
    Probe probe_;
    double patience_seconds_;
    std::optional<double> usual_ns_;
};

}  // namespace tutti::bench
