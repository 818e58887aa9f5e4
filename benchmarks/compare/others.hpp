// Whether something else ran while figures were taken.
#pragma once

#include <chrono>

namespace tutti::bench {

/// Watches the machine's cores from its making on.
class Others {
public:
    Others();

    /// The part of all cores' time that went to programs which this process did not start, or that the
    /// machine's host took from it: 0 to 1.
    double share() const;

private:
    std::chrono::steady_clock::time_point begin_;
    double busy_seconds_;
};

}  // namespace tutti::bench
