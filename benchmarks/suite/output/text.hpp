// A run as text. If OSU's suite has the benchmark, its columns come first, with its names, widths and order,
// and stdout has only its rows and the comments before them: programs that read OSU's output can read this.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/suite/output/row_report.hpp"

namespace tutti::bench {

class Text {
public:
    /// All must live longer.
    Text(const SuiteOptions& options, const Benchmark& benchmark, const Heading& heading)
        : options_(options), benchmark_(benchmark), heading_(heading)
    {
    }

    void header() const;
    void row(const Row& row);
    /// Goes to stderr: a last line that is not a row would confuse those programs.
    void remarks() const;

private:
    void title() const;
    void startup(const Row& row) const;
    void remember(const Row& row);
    bool shows(const Part& part) const noexcept { return options_.full || !part.only_full; }

    const SuiteOptions& options_;
    const Benchmark& benchmark_;
    const Heading& heading_;
    std::vector<std::string> wide_;      // rows that are not as narrow as asked
    std::vector<std::string> gave_up_;   // rows that began after barriers instead of at agreed times
    std::vector<std::string> together_;  // rows of iterations that were too short to be timed alone
    std::size_t values_ = 0;
    std::size_t outliers_ = 0;
    std::size_t late_ = 0;
    double slowest_ratio_ = 1.0;  // of an iteration to its row's median
};

}  // namespace tutti::bench
