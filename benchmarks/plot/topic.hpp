// A topic of a report: a case of a comparison, or all runs of one benchmark.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/record/result_record.hpp"

namespace tutti::bench {

struct FiguresRow {
    std::optional<double> key;
    std::vector<std::string> labels;
    record::Measured measured;
};

/// One library's, or one run's, figures.
struct Figures {
    std::string name;     // "Tutti 0.1.0", with what tells it from others of the topic
    std::string library;  // "tutti": the same library is drawn alike in all pictures
    std::vector<FiguresRow> rows;
};

struct LimitRow {
    std::string name;
    std::optional<double> key;
    double value = 0.0;
};

/// Refers to the records that it was made from: they must live longer.
struct Topic {
    std::string name;   // for files and links: "allreduce-8"; no two topics have the same
    std::string title;  // "Allreduce Latency Test"
    std::string job;    // "8 ranks, bound to cores"
    record::Quantity quantity;
    std::vector<Figures> series;
    std::vector<LimitRow> limits;
    const record::Case* which = nullptr;             // of a comparison
    const record::Comparison* comparison = nullptr;  // which it is in
    std::vector<const record::Run*> runs;            // without a comparison, in the order of `series`
};

/// Cases in the order of their files, then runs by benchmark. Runs of one benchmark in the same unit are one
/// topic, and their series are told apart by library, ranks and, where these are the same, the files' names.
std::vector<Topic> topics_of(const std::vector<record::Record>& records);

}  // namespace tutti::bench
