// Rows as users of OSU's benchmarks and their parsers know them, and the same as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "benchmarks/suite/options.hpp"

namespace tutti::bench {

/// One repetition: the value, and for collectives the extremes over the ranks.
struct Sample {
    double value = 0.0;
    double min = 0.0;
    double max = 0.0;

    static Sample single(double value) { return {value, value, value}; }
};

/// What the columns are called and how many decimals a value gets.
struct Columns {
    std::string title;  // "Latency Test"
    std::string key;    // "Size"; empty: a row is one value
    std::string value;  // "Latency"
    std::string unit;   // "us"
    int decimals = 3;
};

/// Prints to stdout as results come in. Made on rank 0 only.
class Report {
public:
    /// Prints the header. Throws std::runtime_error when the JSON file cannot be written, before anything has
    /// been measured.
    Report(const Options& options, Columns columns, std::string_view library, int ranks);

    ~Report();

    /// `key` is the first column (without one, the row is the value alone); `valid` is empty when not
    /// checked.
    void row(std::optional<double> key, std::span<const Sample> repetitions, int iterations,
             std::optional<bool> valid = {});
    /// Writes the JSON file, if one was asked for.
    void finish();
    /// Whether a checked row was wrong.
    bool failed() const noexcept { return failed_; }

private:
    const Options& options_;
    Columns columns_;
    std::unique_ptr<nlohmann::json> document_;  // incomplete here: the header is a heavy one
    bool failed_ = false;
};

}  // namespace tutti::bench
