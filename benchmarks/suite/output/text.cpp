#include "benchmarks/suite/output/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "benchmarks/suite/command_line/osu.hpp"

namespace tutti::bench {

namespace {

constexpr int kKeyWidth = 10;
constexpr int kWidth = 18;
constexpr int kIterationsWidth = 12;
constexpr int kRatioWidth = 12;
constexpr int kBoundWidth = 15;
constexpr int kLabelWidth = 9;
constexpr int kLoneWidth = 17;  // of the value where it begins the row

const char* way_to_begin(const std::string& start)
{
    return start == "free"      ? "one after the other"
           : start == "barrier" ? "after a barrier"
                                : "at times agreed upon (clock)";
}

}  // namespace

void Text::title() const
{
    const std::size_t ranks = heading_.placement.cpus.size();
    const int hosts = heading_.placement.hosts;
    const std::string job = fmt::format("{} rank{}{}", ranks, ranks == 1 ? "" : "s",
                                        hosts > 1 ? fmt::format(" on {} hosts", hosts) : "");
    if (is_of_osu(benchmark_))
        fmt::print("# OSU {}{} v{} format, by {}: {}\n", is_one_sided(benchmark_) ? "" : "MPI ",
                   benchmark_.title, kOsuVersion, heading_.library, job);
    else
        fmt::print("# {} {}, {}\n", heading_.library, heading_.title, job);
}

void Text::header() const
{
    title();
    if (benchmark_.group == Group::startup)
        return;
    fmt::print(
        "# Median; iterations begin {}; own cost of {:.0f} ns a reading of the clock taken off, {:.1f} ns "
        "left\n",
        way_to_begin(heading_.start), heading_.taken_off_ns, heading_.left_over_ns);
    for (const std::string& note : heading_.notes)
        fmt::print("# {}\n", note);
    if (is_of_osu(benchmark_))
        fmt::print("# Datatype: {}.\n", mpi_name(options_.element()));
    const std::string value = value_column(benchmark_);
    if (*benchmark_.key == '\0')
        fmt::print("# {}", value);
    else
        fmt::print("# {:<{}}{:>{}}", benchmark_.key, kKeyWidth - 2, value, kWidth);
    for (const Part& part : heading_.parts) {
        if (shows(part))
            fmt::print("{:>{}}", part.name, kWidth);
    }
    if (options_.full && heading_.parts.empty())
        fmt::print("{:>{}}{:>{}}{:>{}}", fmt::format("Min Latency({})", benchmark_.unit), kWidth,
                   fmt::format("Max Latency({})", benchmark_.unit), kWidth, "Iterations", kIterationsWidth);
    if (options_.validate)
        fmt::print("{:>{}}", "Validation", kWidth);
    for (const double percent : options_.tails)
        fmt::print("{:>{}}", tail_column(benchmark_, percent), kWidth);
    if (options_.interval)
        fmt::print("{:>{}}{:>{}}{:>12}", "95% Low", kBoundWidth, "95% High", kBoundWidth, "Outliers");
    if (!heading_.ratio.empty())
        fmt::print("{:>{}}", heading_.ratio, kRatioWidth);
    for (const std::string& label : heading_.labels)
        fmt::print("  {:<{}}", label, kLabelWidth);
    fmt::print("\n");
    std::fflush(stdout);
}

void Text::row(const Row& row)
{
    remember(row);
    if (benchmark_.group == Group::startup)
        return startup(row);
    const Summary& summary = row.summary;
    const auto number = [this](double value, int width) {
        fmt::print("{:>{}.{}f}", value, width, benchmark_.decimals);
    };
    if (row.key)
        fmt::print("{:<{}}", *row.key, kKeyWidth);
    number(summary.median, row.key ? kWidth : kLoneWidth);
    for (std::size_t i = 0; i < row.parts.size(); ++i) {
        if (shows(heading_.parts.at(i)))
            number(row.parts[i], kWidth);
    }
    if (options_.full && heading_.parts.empty()) {
        number(row.rank_min.value_or(summary.median), kWidth);
        number(row.rank_max.value_or(summary.median), kWidth);
        fmt::print("{:>{}}", row.iterations, kIterationsWidth);
    }
    if (row.valid)
        fmt::print("{:>{}}", *row.valid ? "Pass" : "Fail", kWidth);
    else if (options_.validate)
        fmt::print("{:>{}}", "-", kWidth);
    for (const double percent : options_.tails)
        number(percentile(summary.ascending, static_cast<int>(10.0 * percent + 0.5)), kWidth);
    if (options_.interval) {
        number(summary.interval.low, kBoundWidth);
        number(summary.interval.high, kBoundWidth);
        fmt::print("{:>12}", summary.outliers);
    }
    if (row.reference)
        fmt::print("{:>{}.2f}", summary.median / *row.reference, kRatioWidth);
    for (const std::string& label : row.labels)
        fmt::print("  {:<{}}", label, kLabelWidth);
    fmt::print("\n");
    std::fflush(stdout);
}

// OSU's two startup benchmarks have no columns, and whole milliseconds.
void Text::startup(const Row& row) const
{
    const std::size_t ranks = heading_.placement.cpus.size();
    const double min = row.rank_min.value_or(row.summary.median);
    const double max = row.rank_max.value_or(row.summary.median);
    const double mean = row.rank_mean.value_or(row.summary.median);
    fmt::print("# {}: {:.3f} ms for the first rank, {:.3f} ms for the last, {:.3f} ms on average\n",
               benchmark_.value, min, max, mean);
    if (std::string_view(benchmark_.name) == "hello")
        fmt::print("This is a test with {} processes\n", ranks);
    else
        fmt::print("nprocs: {}, min: {:.0f} ms, max: {:.0f} ms, avg: {:.0f} ms\n", ranks, min, max, mean);
    std::fflush(stdout);
}

void Text::remember(const Row& row)
{
    const Summary& summary = row.summary;
    if (!row.narrow && !options_.budget.iterations)
        wide_.push_back(fmt::format("{} (+-{:.1f} %)", row.key ? fmt::format("{}", *row.key) : "the row",
                                    100.0 * summary.interval.relative_half_width(summary.median)));
    values_ += summary.count;
    if (row.together > 1)
        together_.push_back(
            fmt::format("{} ({})", row.key ? fmt::format("{}", *row.key) : "the row", row.together));
    if (row.gave_up)
        gave_up_.push_back(row.key ? fmt::format("{}", *row.key) : "the row");
    outliers_ += summary.outliers;
    late_ += row.late;
    if (summary.median > 0.0)
        slowest_ratio_ = std::max(slowest_ratio_, benchmark_.better == Better::lower
                                                      ? summary.max / summary.median
                                                      : summary.median / std::max(summary.min, 1e-300));
}

void Text::remarks() const
{
    if (outliers_ + late_ > 0)
        fmt::print(
            stderr,
            "# Of {} iterations {} were outliers (counted in all figures; the slowest took {:.0f} times its "
            "row's median){}\n",
            values_ + late_, outliers_, slowest_ratio_,
            late_ == 0 ? "" : fmt::format(", {} began late (not counted)", late_));
    if (!together_.empty())
        fmt::print(
            stderr,
            "# So many iterations were timed together, for a reading of the clock to take 1 % of their "
            "time: {}\n",
            fmt::join(together_, ", "));
    if (!gave_up_.empty())
        fmt::print(stderr,
                   "# Began after barriers, as something kept ranks from their cores at agreed times: {}\n",
                   fmt::join(gave_up_, ", "));
    if (!wide_.empty())
        fmt::print(stderr, "# Not known to {:.1f} % within {} s: {}\n", 100.0 * options_.budget.precision,
                   options_.budget.seconds, fmt::join(wide_, ", "));
}

}  // namespace tutti::bench
