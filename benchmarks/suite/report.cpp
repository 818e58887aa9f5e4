#include "benchmarks/suite/report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "benchmarks/suite/statistics.hpp"

namespace tutti::bench {

namespace {

constexpr int kKeyWidth = 10;
constexpr int kValueWidth = 20;
constexpr int kRatioWidth = 12;
constexpr int kPartWidth = 15;
constexpr int kLabelWidth = 9;

// One member of all samples.
std::vector<double> pick(std::span<const Sample> samples, double Sample::*member)
{
    std::vector<double> values;
    for (const Sample& sample : samples)
        values.push_back(sample.*member);
    return values;
}

std::ofstream open_for_writing(const std::string& file)
{
    std::ofstream stream(file);
    if (!stream)
        throw std::runtime_error(fmt::format("--json: cannot write '{}': {}", file, std::strerror(errno)));
    return stream;
}

}  // namespace

double median_value(std::span<const Sample> samples)
{
    return median(pick(samples, &Sample::value));
}

Report::Report(const Options& options, Columns columns, std::string_view library, int ranks)
    : options_(options), columns_(std::move(columns)), document_(std::make_unique<nlohmann::json>())
{
    if (!options_.json_file.empty())
        // Tried now and written at the end: hours of measuring must not end in a typing error.
        open_for_writing(options_.json_file);
    *document_ = {{"benchmark", options_.benchmark},   {"library", library},    {"ranks", ranks},
                  {"memory", options_.memory},         {"unit", columns_.unit}, {"mode", nullptr},
                  {"results", nlohmann::json::array()}};
    if (options_.benchmark == "matching")
        (*document_)["mode"] = options_.mode;

    fmt::print("# {} {}, {} rank{}\n", library, columns_.title, ranks, ranks == 1 ? "" : "s");
    if (options_.repetitions > 1)
        fmt::print("# Median of {} repetitions\n", options_.repetitions);
    const std::string value = fmt::format("{} ({})", columns_.value, columns_.unit);
    if (columns_.key.empty())
        fmt::print("# {:>{}}", value, kValueWidth - 2);
    else
        fmt::print("# {:<{}}{:>{}}", columns_.key, kKeyWidth - 2, value, kValueWidth);
    for (const std::string& part : columns_.parts)
        fmt::print("{:>{}}", part, kPartWidth);
    if (options_.full)
        fmt::print("{:>{}}{:>{}}{:>12}", "Min", kValueWidth, "Max", kValueWidth, "Iterations");
    if (options_.validate)
        fmt::print("{:>12}", "Validation");
    if (!columns_.ratio.empty())
        fmt::print("{:>{}}", columns_.ratio, kRatioWidth);
    for (const std::string& label : columns_.labels)
        fmt::print("  {:<{}}", label, kLabelWidth);
    fmt::print("\n");
    std::fflush(stdout);
}

Report::~Report() = default;

void Report::row(std::optional<double> key, std::span<const Sample> repetitions, int iterations,
                 std::optional<bool> valid, const Context& context)
{
    const std::vector<double> values = pick(repetitions, &Sample::value);
    const double min = median(pick(repetitions, &Sample::min));
    const double max = median(pick(repetitions, &Sample::max));
    if (key)
        fmt::print("{:<{}}", *key, kKeyWidth);
    fmt::print("{:>{}.{}f}", median(values), kValueWidth, columns_.decimals);
    for (const double part : context.parts)
        fmt::print("{:>{}.{}f}", part, kPartWidth, columns_.decimals);
    if (options_.full)
        fmt::print("{:>{}.{}f}{:>{}.{}f}{:>12}", min, kValueWidth, columns_.decimals, max, kValueWidth,
                   columns_.decimals, iterations);
    if (valid)
        fmt::print("{:>12}", *valid ? "Pass" : "Fail");
    if (context.reference)
        fmt::print("{:>{}.2f}", median(values) / *context.reference, kRatioWidth);
    for (const std::string& label : context.labels)
        fmt::print("  {:<{}}", label, kLabelWidth);
    fmt::print("\n");
    std::fflush(stdout);

    nlohmann::json result = {{"value", median(values)},
                             {"repetitions", values},
                             {"min_over_ranks", min},
                             {"max_over_ranks", max},
                             {"iterations", iterations}};
    if (key && columns_.key == "Size")
        result["size_bytes"] = static_cast<std::size_t>(*key);
    else if (key)
        result["key"] = *key;
    if (valid)
        result["valid"] = *valid;
    if (context.reference)
        result["reference"] = *context.reference;
    for (std::size_t i = 0; i < context.labels.size(); ++i)
        result["labels"][columns_.labels[i]] = context.labels[i];
    for (std::size_t i = 0; i < context.parts.size(); ++i)
        result["parts"][columns_.parts[i]] = context.parts[i];
    failed_ = failed_ || !valid.value_or(true);
    (*document_)["results"].push_back(std::move(result));
}

void Report::finish()
{
    if (options_.json_file.empty())
        return;
    std::ofstream stream = open_for_writing(options_.json_file);
    stream << document_->dump(2) << '\n';
    if (!stream.flush())
        throw std::runtime_error(
            fmt::format("--json: writing '{}' failed: {}", options_.json_file, std::strerror(errno)));
}

}  // namespace tutti::bench
