#include "benchmarks/suite/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "benchmarks/environment/environment.hpp"
#include "benchmarks/suite/result_file.hpp"

namespace tutti::bench {

namespace {

constexpr int kKeyWidth = 10;
constexpr int kValueWidth = 20;
constexpr int kRatioWidth = 12;
constexpr int kPartWidth = 15;
constexpr int kLabelWidth = 9;

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
            {"iterations", summary.count},
            {"percentiles",
             {{"50", summary.p50}, {"90", summary.p90}, {"99", summary.p99}, {"99.9", summary.p999}}},
            {"outliers", summary.outliers},
            {"late", row.late},
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
    row.late = series.late();
    row.narrow = series.narrow;
    std::vector<double> ranks = series.rank_medians();
    std::transform(ranks.begin(), ranks.end(), ranks.begin(), value);
    if (!ranks.empty()) {
        const auto [min, max] = std::minmax_element(ranks.begin(), ranks.end());
        row.rank_min = *min;
        row.rank_max = *max;
    }
    return row;
}

Report::Report(const Options& options, const Benchmark& benchmark, Heading heading)
    : options_(options),
      benchmark_(benchmark),
      heading_(std::move(heading)),
      document_(std::make_unique<nlohmann::json>())
{
    if (heading_.title.empty())
        heading_.title = benchmark.title;
    // Tried now and written row by row: hours of measuring must not end in a typing error.
    check_writable("--json", options_.json_file);
    check_writable("--csv", options_.csv_file);
    nlohmann::json facts = environment();
    facts["binding"] = heading_.placement.cpus;
    *document_ = {{"format", "tutti-bench-run"},
                  {"version", 1},
                  {"benchmark", options_.benchmark},
                  {"title", heading_.title},
                  {"library", heading_.library},
                  {"ranks", heading_.placement.cpus.size()},
                  {"hosts", heading_.placement.hosts},
                  {"command", options_.command},
                  {"memory", options_.memory},
                  {"key", benchmark.key},
                  {"value", benchmark.value},
                  {"unit", benchmark.unit},
                  {"better", to_string(benchmark.better)},
                  {"labels", heading_.labels},
                  {"parts", heading_.parts},
                  {"start", heading_.start},
                  {"own_cost_ns", heading_.left_over_ns},
                  {"environment", std::move(facts)},
                  {"rows", nlohmann::json::array()}};
    csv_ = kCsvHeader;
    print_header();
}

Report::~Report() = default;

void Report::print_header() const
{
    const std::size_t ranks = heading_.placement.cpus.size();
    const int hosts = heading_.placement.hosts;
    fmt::print("# {} {}, {} rank{}{}\n", heading_.library, heading_.title, ranks, ranks == 1 ? "" : "s",
               hosts > 1 ? fmt::format(" on {} hosts", hosts) : "");
    fmt::print(
        "# Median; iterations begin {}; own cost of {:.0f} ns an iteration taken off, {:.1f} ns left\n",
        heading_.start == "free"      ? "one after the other"
        : heading_.start == "barrier" ? "after a barrier"
                                      : "at times agreed upon (clock)",
        heading_.taken_off_ns, heading_.left_over_ns);
    const std::string value = fmt::format("{} ({})", benchmark_.value, benchmark_.unit);
    const auto in_unit = [this](const char* name) { return fmt::format("{} ({})", name, benchmark_.unit); };
    if (*benchmark_.key == '\0')
        fmt::print("# {:>{}}", value, kValueWidth - 2);
    else
        fmt::print("# {:<{}}{:>{}}", benchmark_.key, kKeyWidth - 2, value, kValueWidth);
    for (const std::string& part : heading_.parts)
        fmt::print("{:>{}}", part, kPartWidth);
    if (options_.full)
        fmt::print("{:>{}}{:>{}}{:>12}", in_unit("Min Latency"), kValueWidth, in_unit("Max Latency"),
                   kValueWidth, "Iterations");
    if (options_.tails) {
        for (const char* name : {"P50 Tail Lat", "P90 Tail Lat", "P99 Tail Lat", "P99.9 Tail Lat"})
            fmt::print("{:>{}}", in_unit(name), kValueWidth);
    }
    if (options_.interval)
        fmt::print("{:>{}}{:>{}}{:>12}", "95% Low", kPartWidth, "95% High", kPartWidth, "Outliers");
    if (options_.validate)
        fmt::print("{:>12}", "Validation");
    if (!heading_.ratio.empty())
        fmt::print("{:>{}}", heading_.ratio, kRatioWidth);
    for (const std::string& label : heading_.labels)
        fmt::print("  {:<{}}", label, kLabelWidth);
    fmt::print("\n");
    std::fflush(stdout);
}

void Report::print(const Row& row) const
{
    const Summary& summary = row.summary;
    const auto number = [this](double value, int width) {
        fmt::print("{:>{}.{}f}", value, width, benchmark_.decimals);
    };
    if (row.key)
        fmt::print("{:<{}}", *row.key, kKeyWidth);
    number(summary.median, kValueWidth);
    for (const double part : row.parts)
        number(part, kPartWidth);
    if (options_.full) {
        number(row.rank_min.value_or(summary.median), kValueWidth);
        number(row.rank_max.value_or(summary.median), kValueWidth);
        fmt::print("{:>12}", summary.count);
    }
    if (options_.tails) {
        for (const double value : {summary.p50, summary.p90, summary.p99, summary.p999})
            number(value, kValueWidth);
    }
    if (options_.interval) {
        number(summary.interval.low, kPartWidth);
        number(summary.interval.high, kPartWidth);
        fmt::print("{:>12}", summary.outliers);
    }
    if (row.valid)
        fmt::print("{:>12}", *row.valid ? "Pass" : "Fail");
    if (row.reference)
        fmt::print("{:>{}.2f}", summary.median / *row.reference, kRatioWidth);
    for (const std::string& label : row.labels)
        fmt::print("  {:<{}}", label, kLabelWidth);
    fmt::print("\n");
    std::fflush(stdout);
}

void Report::remember(const Row& row)
{
    const Summary& summary = row.summary;
    const std::string key = row.key ? fmt::format("{}", *row.key) : "";
    if (!row.narrow && !options_.budget.iterations)
        wide_.push_back(fmt::format("{} (+-{:.1f} %)", key.empty() ? "the row" : key,
                                    100.0 * summary.interval.relative_half_width(summary.median)));
    iterations_ += summary.count;
    outliers_ += summary.outliers;
    late_ += row.late;
    if (summary.median > 0.0)
        slowest_ratio_ = std::max(slowest_ratio_, benchmark_.better == Better::lower
                                                      ? summary.max / summary.median
                                                      : summary.median / std::max(summary.min, 1e-300));
    csv_ += fmt::format(
        "{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.4f},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},"
        "{:.9g},{},{},{},{}\n",
        options_.benchmark, heading_.library, heading_.placement.cpus.size(), key, fmt::join(row.labels, " "),
        benchmark_.unit, summary.median, summary.interval.low, summary.interval.high,
        summary.interval.confidence, summary.mean, summary.min, summary.max, summary.p50, summary.p90,
        summary.p99, summary.p999, summary.count, summary.outliers, row.late,
        !row.valid   ? ""
        : *row.valid ? "true"
                     : "false");
    (*document_)["rows"].push_back(as_json(row));
}

void Report::row(const Row& row)
{
    print(row);
    remember(row);
    failed_ = failed_ || !row.valid.value_or(true);
    write_files();  // what has been measured survives the end of a run that takes too long
}

void Report::write_files() const
{
    write_result("--json", options_.json_file, options_.json_file.empty() ? "" : document_->dump(2) + "\n");
    write_result("--csv", options_.csv_file, csv_);
}

void Report::finish()
{
    if (outliers_ + late_ > 0)
        fmt::print(
            "# Of {} iterations {} were outliers (counted in all figures; the slowest took {:.0f} times its "
            "row's median){}\n",
            iterations_ + late_, outliers_, slowest_ratio_,
            late_ == 0 ? "" : fmt::format(", {} began late (not counted)", late_));
    if (!wide_.empty())
        fmt::print("# Not known to {:.1f} % within {} s: {}\n", 100.0 * options_.budget.precision,
                   options_.budget.seconds, fmt::join(wide_, ", "));
    std::fflush(stdout);
    write_files();
}

}  // namespace tutti::bench
