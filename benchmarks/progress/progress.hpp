// How far a long run is: one line on a terminal, be it that of the launcher, that is written over and gone at
// the end. In any other pipe or a file, nothing.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tutti::bench {

/// "[3/12] what, about 2 min left", no longer than `columns`. The time left is foretold from the steps done
/// so far, and left out as long as there is none.
std::string progress_line(std::string_view what, int step, int steps, double seconds_so_far, int columns);

/// For one thread, and one at a time on a terminal. What else is written to the terminal must come after
/// erase().
class ProgressLine {
public:
    /// `stream` stays the caller's and must live longer.
    explicit ProgressLine(int steps, std::FILE* stream = stderr);
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine();

    /// The next step begins.
    void next(std::string_view what);
    /// Takes the line away until the next step.
    void erase();

private:
    std::FILE* stream_;  // null: no terminal
    int steps_;
    int step_ = 0;
    std::int64_t start_ns_;
    bool shown_ = false;
};

}  // namespace tutti::bench
