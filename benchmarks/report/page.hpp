// A report as one HTML page that needs no other file and no script.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/plot/chart.hpp"

namespace tutti::bench {

/// What a report is made of. The topics refer to the records.
struct ReportContent {
    std::string title;
    const std::vector<record::Record>& records;
    const std::vector<Topic>& topics;
};

/// The picture of a chart as gnuplot's SVG; empty: no pictures.
using DrawSvg = std::function<std::string(const Chart&)>;

/// All texts of files are escaped.
std::string html_report(const ReportContent& content, const DrawSvg& draw);

/// What a report draws: a single row is shown better by its table.
std::vector<Chart> report_charts(const Topic& topic);

}  // namespace tutti::bench
