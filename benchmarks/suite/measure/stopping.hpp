// Decides when to stop measuring: after the requested iterations, or once the median is precise enough.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tutti::bench {

struct Budget {
    std::optional<int> iterations;  // exactly so many; otherwise until `precision` is reached
    std::optional<int> warmup;      // exactly so many untimed ones; otherwise a small part of the time
    double precision = 0.01;        // half the width of the median's 95 % interval, in parts of the median
    double seconds = 1.0;           // the time box of a row: what is not narrow by then is shown as it is
    bool each_alone = false;        // no two iterations are timed as one, however short they are
};

/// How many consecutive iterations are timed as one, so that reading the clock takes a hundredth of their
/// time at most: 1 for long ones.
int iterations_a_reading(double reading_us, double iteration_us);

/// How often a loop runs that is timed as a whole.
struct LoopCount {
    int iterations;
    int warmup;
};

inline constexpr int kLeastRounds = 5;  // of such a loop

/// The iterations of the round with this number. Iterations that were asked for are dealt over as many rounds
/// as there are at least, after the untimed ones of the first; otherwise each is as usual.
LoopCount loop_of_round(const Budget& budget, LoopCount usual, int round);

/// Decides after each batch, at rank 0.
class Stopping {
public:
    /// `at_least`: iterations before the interval is trusted; `at_most`: in one batch.
    Stopping(const Budget& how, int at_least, int at_most = 10'000)
        : how_(how), at_least_(at_least), at_most_(at_most)
    {
    }

    /// How many iterations the next batch has; 0: enough. `values` are all so far, those of earlier calls and
    /// then new ones; `elapsed_s` is the time since the row began, warm-up not included.
    int next_batch(std::span<const double> values, double elapsed_s);
    /// Whether the interval was as narrow as requested at the last look.
    bool narrow() const noexcept { return narrow_; }

private:
    const Budget& how_;
    int at_least_;
    int at_most_;
    int measured_ = 0;  // also those without a result
    bool narrow_ = false;
    std::vector<double> values_;  // all that were given, in any order
};

}  // namespace tutti::bench
