// The figures of a topic as tables, before they are written as HTML or Markdown.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/plot/topic.hpp"

namespace tutti::bench {

enum class Tone { plain, good, bad };

struct Cell {
    std::string text{};
    std::string detail{};  // smaller: an interval, a name
    Tone tone = Tone::plain;
};

struct ReportTable {
    std::string caption;
    std::vector<std::string> columns;  // of which the first `names` name the row
    std::size_t names = 0;
    std::vector<std::vector<Cell>> rows;  // "" where nothing was measured
    std::vector<std::string> notes;       // what a mark in a cell means, what failed
};

/// One table of a case, one a run.
std::vector<ReportTable> tables_of(const Topic& topic);
/// What the machine allows: a column a limit, a row a size.
ReportTable limits_table(const std::vector<record::Limit>& limits);

/// "0.49-0.51", with a dash as long as that of intervals is.
std::string interval_text(const record::Range& interval);
/// Of a row with a peer.
std::string verdict_in_words(const std::string& verdict);
/// How good a verdict is.
Tone tone_of(const std::string& verdict);

/// The same with the ratio of what both cost: of rates, the peer's figure by Tutti's. Below 1 Tutti is
/// better. None where a rate is zero.
record::Beside of_costs(const record::Beside& beside, const record::Quantity& quantity);

}  // namespace tutti::bench
