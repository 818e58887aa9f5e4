// Which rows of a benchmark changed from one file of results to another, beyond noise.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/record/record.hpp"
#include "benchmarks/record/row_name.hpp"

namespace tutti::bench {

/// The two files cannot be compared.
struct NotComparable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One library's rows of one benchmark on one number of ranks.
struct RowSeries {
    struct Value {
        double median;
        record::Interval interval;
        bool wrong = false;  // a check of the received bytes failed
    };

    record::Quantity quantity;
    std::string library;  // name and version
    std::string binding;  // empty: not recorded
    std::vector<record::RowName> order{};
    std::map<record::RowName, Value> rows{};

    std::string name() const;  // "allreduce, 2 ranks"
    bool matches(const RowSeries& other) const;
};

/// A run is one series, whatever library it ran; a comparison has one of `library` ("tutti") for each case.
std::vector<RowSeries> series_of(const record::Record& record, const std::string& library);

enum class Change { slower, faster, same, wrong, only_before, only_after };

struct RowChange {
    std::string name;  // "allreduce, 2 ranks, 65536"
    std::string unit;
    Change change;
    double before = 0.0;
    double after = 0.0;
};

/// Row by row. Slower or faster is what has intervals apart and medians that differ by more than `threshold`,
/// in parts of the smaller one; wrong what has wrong bytes after. Throws NotComparable where both have no
/// benchmark in common on the same number of ranks, or the same one in other units.
std::vector<RowChange> changes(const std::vector<RowSeries>& before, const std::vector<RowSeries>& after,
                               double threshold);

/// What makes the figures of two files differ though the programs need not: another machine, build or
/// binding. A sentence each.
std::vector<std::string> differing_circumstances(const record::Record& before, const record::Record& after);

}  // namespace tutti::bench
