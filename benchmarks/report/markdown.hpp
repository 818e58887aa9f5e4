// A report as Markdown, for a repository's documents.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/report/page.hpp"

namespace tutti::bench {

/// Refers to pictures as `folder`/NAME.svg, one a chart of report_charts(); an empty `folder`: no pictures.
std::string markdown_report(const ReportContent& content, const std::string& folder);

}  // namespace tutti::bench
