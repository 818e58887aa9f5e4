// Rows as users of OSU's benchmarks and their parsers know them, and the same as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/suite/options.hpp"

namespace tutti::bench {

/// One repetition: the value, and for collectives the extremes over the ranks.
struct Sample {
    double value = 0.0;
    double min = 0.0;
    double max = 0.0;

    static Sample single(double value) { return {value, value, value}; }
};

/// The median of the samples' values.
double median_value(std::span<const Sample> samples);

/// What the columns are called and how many decimals a value gets.
struct Columns {
    std::string title;  // "Latency Test"
    std::string key;    // "Size"; empty: a row is one value
    std::string value;  // "Latency"
    std::string unit;   // "us"
    int decimals = 3;
    std::string ratio = {};                // "Of copy": value / Context::reference
    std::vector<std::string> labels = {};  // "Operator", "Type": last in the row
    std::vector<std::string> parts = {};   // "Compute", "Wait": further figures, behind the value
};

/// What some benchmarks say of a row beside its key and value.
struct Context {
    std::optional<double> reference;  // as Columns::ratio
    std::vector<std::string> labels;  // one for each of Columns::labels
    std::vector<double> parts = {};   // likewise
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
             std::optional<bool> valid = {}, const Context& context = {});
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
