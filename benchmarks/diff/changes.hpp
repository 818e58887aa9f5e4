// Which rows of a benchmark changed from one file of results to another, beyond noise.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/diff/shift.hpp"
#include "benchmarks/record/result_record.hpp"
#include "benchmarks/record/row_name.hpp"

namespace tutti::bench {

/// The two files cannot be compared.
struct NotComparable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One library's rows of one benchmark on one number of ranks.
struct RowSeries {
    struct Value {
        std::vector<double> starts;         // the median of each start of the program
        bool wrong = false;                 // a check of the received bytes failed
        std::vector<double> trips_ns = {};  // where cores were at each start; as many as starts, or none
    };

    record::Quantity quantity;
    std::string library;  // name and version
    std::string binding;  // empty: not recorded
    std::vector<record::RowName> order{};
    std::map<record::RowName, Value> rows{};

    std::string name() const;  // "allreduce, 2 ranks"
    bool matches(const RowSeries& other) const;
};

/// A run is one start, whatever library it ran; a comparison has those of `library` ("tutti") for each case.
/// What several records have of one benchmark is one series.
std::vector<RowSeries> series_of(const std::vector<record::Record>& records, const std::string& library);

enum class Change { slower, faster, same, undecided, wrong, only_before, only_after };

struct RowChange {
    std::string name;  // "allreduce, 2 ranks, 65536"
    std::string unit;
    Change change;
    double before = 0.0;  // medians of the starts
    double after = 0.0;
    std::optional<Shift> shift{};  // of rows that both have
    std::size_t starts_before = 0;
    std::size_t starts_after = 0;
    std::size_t left_out = 0;  // starts of either side, in another mode of the machine than most of `before`
};

/// Row by row. Slower or faster is what has shifted by more than `threshold`, in parts of the smaller one,
/// with an interval that excludes no shift; the same what has an interval within the threshold, or excludes
/// none but shifted by less; undecided all else; wrong what has wrong bytes after. Throws NotComparable where
/// both have no benchmark in common on the same number of ranks, or the same one in other units.
std::vector<RowChange> changes(const std::vector<RowSeries>& before, const std::vector<RowSeries>& after,
                               double threshold);

/// What makes the figures of two files differ though the programs need not: another machine, build or
/// binding. A sentence each.
std::vector<std::string> differing_circumstances(const std::vector<record::Record>& before,
                                                 const std::vector<record::Record>& after);

}  // namespace tutti::bench
