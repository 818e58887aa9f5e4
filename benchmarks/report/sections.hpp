// What a report says, whether as HTML or as Markdown.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/plot/topic.hpp"
#include "benchmarks/report/facts.hpp"

namespace tutti::bench {

/// What the figures of comparisons suffer from, to be known before any of them: load, rows beyond the limit,
/// runs in another mode of the machine. A sentence each, none where there is no comparison.
std::vector<std::string> admissions(const std::vector<record::Record>& records);

/// How to read a report with comparisons, with runs, or with both: a paragraph each.
std::vector<std::string> reading_help(const std::vector<record::Record>& records);

/// An environment, the names of the files that were made in it, and the commands that made them.
struct Origin {
    std::vector<std::string> files;  // without folders: reports are published
    std::vector<std::string> commands;
    Facts facts;
};

/// Files of the same machine and build share an origin, which shows the date, load and binding of the first.
std::vector<Origin> origins_of(const std::vector<record::Record>& records);

/// Topics of one group: "point-to-point".
struct TopicGroup {
    std::string name;
    std::vector<const Topic*> topics;
};

std::vector<TopicGroup> groups_of(const std::vector<Topic>& topics);

/// "Allreduce Latency Test, 8 ranks".
std::string heading_of(const Topic& topic);

}  // namespace tutti::bench
