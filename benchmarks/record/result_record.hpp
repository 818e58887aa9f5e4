// What the files hold that tutti-bench writes with --json: a run of one benchmark, or a comparison of
// libraries. benchmarks/README.md says what the fields mean; optional figures are those that a benchmark need
// not have.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tutti::bench::record {

struct Range {
    double low = 0.0;
    double high = 0.0;
};

/// A benchmark's figures have one meaning and unit, whether in a run or in a comparison.
struct Quantity {
    std::string benchmark;
    std::string title;
    std::string key;    // "Size"; empty: rows have no key
    std::string value;  // "Avg Latency"
    std::string unit;
    bool lower_is_better = true;
    std::vector<std::string> labels;  // names of each row's labels
    int ranks = 0;
    int hosts = 1;
};

struct RunRow {
    std::optional<double> key;
    std::vector<std::string> labels;
    std::vector<double> parts;
    double median = 0.0;
    Range interval;
    bool gave_up_clock = false;  // began after barriers instead of at agreed times
    std::optional<bool> narrow;  // whether the interval is as narrow as was asked
    std::optional<double> mean;
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> iterations;
    std::map<std::string, double> percentiles;
    std::optional<double> outliers;
    std::optional<bool> valid;
};

/// What the file says of the machine; null where it says nothing. Incomplete here: the header is a heavy one.
using Environment = std::shared_ptr<const nlohmann::json>;

struct Run {
    std::string file;
    Quantity quantity;
    std::string library;
    std::vector<std::string> command;
    std::string start;  // how iterations begin together
    std::optional<double> own_cost_ns;
    std::vector<std::string> parts;
    Environment environment;
    std::vector<RunRow> rows;
};

struct Limit {
    std::string name;
    std::string unit;
    std::optional<double> key;
    double value = 0.0;
};

struct Measured {
    double median = 0.0;
    Range interval;
    std::vector<double> runs{};  // of a comparison: the median of each
    std::vector<double>
        trips_ns{};  // a cache line's way between cores at each; none where it was not watched
};

/// How Tutti stands beside the best peer, and the machine's limit.
struct Beside {
    std::optional<double> ratio;
    std::optional<Range> ratio_interval;
    std::string verdict;  // "faster", "same", "slower"; empty without peer
    std::optional<double> share;
};

struct CaseRow : Beside {
    std::optional<double> key;
    std::vector<std::string> labels;
    std::map<std::string, Measured> libraries;
    std::string better_peer;  // empty: none
    std::optional<double> limit;
    std::string limit_name;
    std::optional<Beside> allocated;  // Tutti with buffers of tutti::allocate
};

struct Failure {
    std::string library;
    std::string message;
};

struct Case {
    Quantity quantity;
    std::string group;
    std::string binding;
    std::string memory;  // of the buffers: "malloc", "library"; empty where nothing is said
    bool touched = false;
    std::optional<double> others_share;  // of the cores' time, that went to other programs
    std::vector<std::string> libraries;  // in the order of the columns
    std::map<std::string, std::string> library_names;
    std::vector<Failure> failures;
    std::vector<CaseRow> rows;
};

struct Comparison {
    std::string file;
    std::vector<std::string> command;
    Environment environment;
    std::optional<double> repetitions;
    std::vector<Limit> limits;
    std::vector<Case> cases;
};

using Record = std::variant<Run, Comparison>;

/// Throws std::runtime_error that names the file and the field that is missing or wrong.
Record read(const std::string& file);
/// A file of --json's, a text of OSU's or IMB's (foreign_text.hpp), or the files of a folder that end in
/// .json or .txt, by name. Throws likewise.
std::vector<Record> read_all(const std::string& path);
/// The same of a document that was read from `file`.
Record parse(const nlohmann::json& document, const std::string& file);

}  // namespace tutti::bench::record
