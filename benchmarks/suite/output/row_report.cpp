#include "benchmarks/suite/output/row_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "benchmarks/environment/measured_machine.hpp"
#include "benchmarks/suite/output/result_file.hpp"
#include "benchmarks/suite/output/text.hpp"

namespace tutti::bench {

namespace {

nlohmann::json or_null(const auto& value)
{
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json as_json(const Row& row)
{
    const Summary& summary = row.summary;
    return {{"key", or_null(row.key)},
            {"labels", row.labels},
            {"parts", row.parts},
            {"median", summary.median},
            {"low", summary.interval.low},
            {"high", summary.interval.high},
            {"confidence", summary.interval.confidence},
            {"narrow", row.narrow},
            {"mean", summary.mean},
            {"min", summary.min},
            {"max", summary.max},
            {"iterations", row.iterations},
            {"values", summary.count},
            {"together", row.together},
            {"percentiles",
             {{"50", summary.p50}, {"90", summary.p90}, {"99", summary.p99}, {"99.9", summary.p999}}},
            {"outliers", summary.outliers},
            {"late", row.late},
            {"gave_up_clock", row.gave_up},
            {"rank_min", or_null(row.rank_min)},
            {"rank_max", or_null(row.rank_max)},
            {"reference", or_null(row.reference)},
            {"valid", or_null(row.valid)}};
}

constexpr const char* kCsvHeader =
    "benchmark,library,ranks,key,label,unit,median,low,high,confidence,mean,min,max,p50,p90,p99,p99.9,"
    "iterations,"
    "outliers,late,valid\n";

}  // namespace

Row row_of(std::optional<double> key, const Series& series, const std::function<double(double)>& value)
{
    std::vector<double> values = series.values();
    std::transform(values.begin(), values.end(), values.begin(), value);
    Row row{key, summarise(std::move(values))};
    row.iterations = series.iterations();
    row.together = series.together;
    row.late = series.late();
    row.gave_up = series.gave_up;
    row.narrow = series.narrow;
    std::vector<double> ranks = series.rank_medians();
    std::transform(ranks.begin(), ranks.end(), ranks.begin(), value);
    if (!ranks.empty()) {
        const auto [min, max] = std::minmax_element(ranks.begin(), ranks.end());
        // The figure of a row is of the slowest rank at each iteration: it may lie beyond every rank's own
        // median.
        row.rank_min = std::min(*min, row.summary.median);
        row.rank_max = std::max(*max, row.summary.median);
        row.rank_mean = std::accumulate(ranks.begin(), ranks.end(), 0.0) / static_cast<double>(ranks.size());
    }
    return row;
}

RowReport::RowReport(const SuiteOptions& options, const Benchmark& benchmark, Heading heading)
    : options_(options),
      benchmark_(benchmark),
      heading_(std::move(heading)),
      document_(std::make_unique<nlohmann::json>())
{
    if (heading_.title.empty())
        heading_.title = benchmark.title;
    // Checked now and written row by row: a typing error must not waste hours of measuring.
    check_writable("--json", options_.json_file);
    check_writable("--csv", options_.csv_file);
    nlohmann::json facts = environment();
    facts["binding"] = heading_.placement.cpus;
    nlohmann::json parts = nlohmann::json::array();
    for (const Part& part : heading_.parts)
        parts.push_back(part.name);
    *document_ = {{"format", "tutti-bench-run"},
                  {"version", 1},
                  {"benchmark", options_.benchmark},
                  {"title", heading_.title},
                  {"library", heading_.library},
                  {"ranks", heading_.placement.cpus.size()},
                  {"hosts", heading_.placement.hosts},
                  {"command", options_.command},
                  {"memory", options_.memory},
                  {"touched", options_.touch},
                  {"key", benchmark.key},
                  {"value", benchmark.value},
                  {"unit", benchmark.unit},
                  {"better", to_string(benchmark.better)},
                  {"labels", heading_.labels},
                  {"parts", std::move(parts)},
                  {"start", heading_.start},
                  {"own_cost_ns", heading_.left_over_ns},
                  {"environment", std::move(facts)},
                  {"rows", nlohmann::json::array()}};
    csv_ = kCsvHeader;
    text_ = std::make_unique<Text>(options_, benchmark_, heading_);
    text_->header();
}

RowReport::~RowReport() = default;

void RowReport::remember(const Row& row)
{
    const Summary& summary = row.summary;
    const std::string key = row.key ? fmt::format("{}", *row.key) : "";
    csv_ += fmt::format(
        "{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.4f},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},"
        "{:.9g},{},{},{},{}\n",
        options_.benchmark, heading_.library, heading_.placement.cpus.size(), key, fmt::join(row.labels, " "),
        benchmark_.unit, summary.median, summary.interval.low, summary.interval.high,
        summary.interval.confidence, summary.mean, summary.min, summary.max, summary.p50, summary.p90,
        summary.p99, summary.p999, row.iterations, summary.outliers, row.late,
        !row.valid   ? ""
        : *row.valid ? "true"
                     : "false");
    (*document_)["rows"].push_back(as_json(row));
}

void RowReport::row(const Row& row)
{
    text_->row(row);
    remember(row);
    failed_ = failed_ || !row.valid.value_or(true);
    write_files();  // the results so far survive if the run is stopped
}

void RowReport::write_files() const
{
    write_result("--json", options_.json_file, options_.json_file.empty() ? "" : document_->dump(2) + "\n");
    write_result("--csv", options_.csv_file, csv_);
}

void RowReport::finish()
{
    text_->remarks();
    write_files();
}

}  // namespace tutti::bench
