// Rows in the format of OSU's benchmarks and their parsers, as JSON and as CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/suite/command_line/benchmark_catalogue.hpp"
#include "benchmarks/suite/command_line/suite_options.hpp"
#include "benchmarks/suite/library/placement.hpp"
#include "benchmarks/suite/measure/combine.hpp"

namespace tutti::bench {

/// A further figure of every row.
struct Part {
    std::string name;        // as it stands over its column: "Compute(us)"
    bool only_full = false;  // in the text only where the command line asks for all
};

/// The header of a run, before its rows.
struct Heading {
    std::string title = {};  // empty: the benchmark's own
    std::string library = {};
    JobPlacement placement = {};
    std::string start = {};     // how iterations begin together: "free", "barrier", "clock"
    double taken_off_ns = 0.0;  // the engine's cost of an iteration, which the figures do not contain
    double left_over_ns = 0.0;  // what an iteration of nothing still shows
    std::vector<std::string> labels = {};  // "Operator", "Type": last in a row
    std::vector<Part> parts = {};          // further figures, behind the value
    std::string ratio = {};                // "Of limit": the value's to Row::reference
    std::vector<std::string> notes = {};   // further lines of comment
};

struct Row {
    std::optional<double> key;  // size, depth; without one the row is its value alone
    Summary summary;            // in the benchmark's unit
    std::optional<double> rank_min = {};
    std::optional<double> rank_max = {};
    std::optional<double> rank_mean = {};
    std::size_t iterations = 0;  // more than values where several are timed together
    int together = 1;            // as Series::together
    std::size_t late = 0;
    bool gave_up = false;  // as Series::gave_up
    bool narrow = true;
    std::optional<bool> valid = {};  // empty: not checked
    std::vector<std::string> labels = {};
    std::vector<double> parts = {};
    std::optional<double> reference = {};
};

/// The row of a series of microseconds; `value` converts them to the shown unit.
Row row_of(std::optional<double> key, const Series& series, const std::function<double(double)>& value);

class Text;

/// Prints results to stdout as they arrive. Made on rank 0 only.
class RowReport {
public:
    /// Prints the header. Throws std::runtime_error if the JSON or CSV file cannot be written, before any
    /// measurement.
    RowReport(const SuiteOptions& options, const Benchmark& benchmark, Heading heading);
    ~RowReport();

    /// Also writes the requested files with the rows so far. Throws std::runtime_error.
    void row(const Row& row);
    /// Prints notes about the rows, and writes the files.
    void finish();
    /// Whether a checked row was wrong.
    bool failed() const noexcept { return failed_; }

private:
    void remember(const Row& row);
    void write_files() const;

    const SuiteOptions& options_;
    const Benchmark& benchmark_;
    Heading heading_;
    std::unique_ptr<Text> text_;
    std::unique_ptr<nlohmann::json> document_;  // incomplete here: the header is a heavy one
    std::string csv_;
    bool failed_ = false;
};

}  // namespace tutti::bench
