#include "benchmarks/record/result_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "benchmarks/record/fields.hpp"
#include "benchmarks/record/foreign_text.hpp"

namespace tutti::bench::record {

namespace {

constexpr int kVersion = 1;

bool lower_is_better(const Place& place)
{
    const std::string better = place["better"].text();
    if (better != "lower" && better != "higher")
        place["better"].complain(fmt::format("is '{}'; it must be 'lower' or 'higher'", better));
    return better == "lower";
}

Quantity quantity(const Place& place)
{
    return {.benchmark = place["benchmark"].text(),
            .title = place["title"].text(),
            .key = place.text_if_any("key"),
            .value = place["value"].text(),
            .unit = place["unit"].text(),
            .lower_is_better = lower_is_better(place),
            .labels = place.texts_if_any("labels"),
            .ranks = place["ranks"].integer(),
            .hosts = place.has("hosts") ? place["hosts"].integer() : 1};
}

// Figures of another kind come from a file that somebody edited, or that something else wrote.
Measured measured(const Place& place)
{
    Measured found{place["median"].number(), {place["low"].number(), place["high"].number()}, {}};
    if (place.has("runs"))
        found.runs = place["runs"].numbers();
    if (found.runs.empty())
        found.runs = {found.median};
    if (place.has("trips_ns"))
        found.trips_ns = place["trips_ns"].numbers();
    if (found.median < 0)
        place["median"].complain(fmt::format("is {:g}; a median must not be negative", found.median));
    if (found.median < found.interval.low || found.median > found.interval.high)
        place["median"].complain(fmt::format("is {:g}, outside its interval from {:g} to {:g}", found.median,
                                             found.interval.low, found.interval.high));
    return found;
}

// As many as there are names for.
std::vector<std::string> labels_of(const Place& row, const Quantity& quantity)
{
    std::vector<std::string> labels = row.texts_if_any("labels");
    if (labels.size() != quantity.labels.size())
        row.complain(fmt::format("has {} labels where {} are named", labels.size(), quantity.labels.size()));
    return labels;
}

RunRow run_row(const Place& place, const Run& run)
{
    const Measured figures = measured(place);
    RunRow row{.key = place.number_if_any("key"),
               .labels = labels_of(place, run.quantity),
               .parts = place.has("parts") ? place["parts"].numbers() : std::vector<double>{},
               .median = figures.median,
               .interval = figures.interval,
               .gave_up_clock = place.boolean_if_any("gave_up_clock").value_or(false),
               .narrow = place.boolean_if_any("narrow"),
               .mean = place.number_if_any("mean"),
               .min = place.number_if_any("min"),
               .max = place.number_if_any("max"),
               .iterations = place.number_if_any("iterations"),
               .percentiles = {},
               .outliers = place.number_if_any("outliers"),
               .valid = place.boolean_if_any("valid")};
    if (row.parts.size() != run.parts.size())
        place.complain(fmt::format("has {} parts where {} are named", row.parts.size(), run.parts.size()));
    if (place.has("percentiles")) {
        for (auto& [name, value] : place["percentiles"].named_numbers())
            row.percentiles.emplace(name, value);
    }
    return row;
}

Environment environment_if_any(const Place& place)
{
    if (!place.has("environment"))
        return nullptr;
    return std::make_shared<const nlohmann::json>(place["environment"].value());
}

Run run(const Place& place, const std::string& file)
{
    Run found{.file = file,
              .quantity = quantity(place),
              .library = place["library"].text(),
              .command = place.texts_if_any("command"),
              .start = place.text_if_any("start"),
              .own_cost_ns = place.number_if_any("own_cost_ns"),
              .parts = place.texts_if_any("parts"),
              .environment = environment_if_any(place),
              .rows = {}};
    for (const Place& row : place["rows"].elements())
        found.rows.push_back(run_row(row, found));
    return found;
}

std::string verdict(const Place& row)
{
    const std::string said = row.text_if_any("verdict");
    if (!said.empty() && said != "faster" && said != "same" && said != "slower")
        row["verdict"].complain(fmt::format("is '{}'; it must be 'faster', 'same', 'slower' or null", said));
    return said;
}

Beside beside(const Place& place)
{
    Beside found{.ratio = place.number_if_any("ratio"),
                 .ratio_interval = {},
                 .verdict = verdict(place),
                 .share = place.number_if_any("share")};
    if (place.has("ratio_low") && place.has("ratio_high"))
        found.ratio_interval = {place["ratio_low"].number(), place["ratio_high"].number()};
    return found;
}

CaseRow case_row(const Place& place, const Quantity& quantity)
{
    CaseRow row{beside(place),
                place.number_if_any("key"),
                labels_of(place, quantity),
                {},
                place.text_if_any("better_peer"),
                place.number_if_any("limit"),
                place.text_if_any("limit_name"),
                {}};
    for (const auto& [library, figures] : place["libraries"].members()) {
        if (!figures.value().is_null())
            row.libraries[library] = measured(figures);
    }
    if (place.has("allocated"))
        row.allocated = beside(place["allocated"]);
    return row;
}

Case one_case(const Place& place)
{
    Case found{.quantity = quantity(place),
               .group = place.text_if_any("group"),
               .binding = place.text_if_any("binding"),
               .memory = place.text_if_any("memory"),
               .touched = place.boolean_if_any("touched").value_or(false),
               .others_share = place.number_if_any("others_share"),
               .libraries = place["libraries"].texts(),
               .library_names = {},
               .failures = {},
               .rows = {}};
    for (const std::string& library : found.libraries)
        found.library_names[library] = library;
    if (place.has("library_names")) {
        for (const auto& [library, name] : place["library_names"].members())
            found.library_names[library] = name.text();
    }
    if (place.has("failures")) {
        for (const Place& failure : place["failures"].elements())
            found.failures.push_back({failure["library"].text(), failure["message"].text()});
    }
    for (const Place& row : place["rows"].elements())
        found.rows.push_back(case_row(row, found.quantity));
    return found;
}

Comparison comparison(const Place& place, const std::string& file)
{
    Comparison found{.file = file,
                     .command = place.texts_if_any("command"),
                     .environment = environment_if_any(place),
                     .repetitions = place.number_if_any("repetitions"),
                     .limits = {},
                     .cases = {}};
    if (place.has("limits")) {
        for (const Place& limit : place["limits"].elements())
            found.limits.push_back({limit["name"].text(), limit["unit"].text(), limit.number_if_any("key"),
                                    limit["value"].number()});
    }
    for (const Place& one : place["cases"].elements())
        found.cases.push_back(one_case(one));
    return found;
}

std::vector<Record> read_either(const std::string& file)
{
    std::ifstream stream(file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    if (!is_foreign_text(text))
        return {read(file)};
    std::vector<Record> records;
    std::ranges::move(parse_foreign_text(text, file), std::back_inserter(records));
    return records;
}

}  // namespace

Record parse(const nlohmann::json& document, const std::string& file)
{
    const Place place(document, file);
    const std::string format = place["format"].text();
    const bool is_run = format == "tutti-bench-run";
    if (!is_run && format != "tutti-bench-comparison")
        place["format"].complain(fmt::format(
            "is '{}'; files that `tutti-bench BENCHMARK --json` or `tutti-bench compare --json` wrote have "
            "'tutti-bench-run' or 'tutti-bench-comparison'",
            format));
    if (place["version"].integer() != kVersion)
        place["version"].complain(fmt::format("is {}; this program reads version {}: measure anew with it",
                                              place["version"].integer(), kVersion));
    if (is_run)
        return run(place, file);
    return comparison(place, file);
}

Record read(const std::string& file)
{
    return parse(read_json(file), file);
}

std::vector<Record> read_all(const std::string& path)
{
    if (!std::filesystem::is_directory(path))
        return read_either(path);
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
        const std::string extension = entry.path().extension().string();
        if (entry.is_regular_file() && (extension == ".json" || extension == ".txt"))
            files.push_back(entry.path().string());
    }
    if (files.empty())
        throw std::runtime_error(fmt::format("{}: no file of this folder ends in .json or .txt", path));
    std::sort(files.begin(), files.end());
    std::vector<Record> records;
    for (const std::string& file : files)
        std::ranges::move(read_either(file), std::back_inserter(records));
    return records;
}

}  // namespace tutti::bench::record
