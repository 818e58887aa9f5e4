#include "benchmarks/diff/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tutti::bench {

namespace {

RowSeries series_of_run(const record::Run& run)
{
    RowSeries series{.quantity = run.quantity, .library = run.library, .binding = {}};
    for (const record::RunRow& row : run.rows) {
        const record::RowName name{row.key, row.labels};
        series.order.push_back(name);
        series.rows[name] = {row.median, row.interval, !row.valid.value_or(true)};
    }
    return series;
}

RowSeries series_of_case(const record::Case& one, const std::string& library)
{
    const auto named = one.library_names.find(library);
    RowSeries series{.quantity = one.quantity,
                     .library = named == one.library_names.end() ? library : named->second,
                     .binding = one.binding};
    for (const record::CaseRow& row : one.rows) {
        const auto found = row.libraries.find(library);
        if (found == row.libraries.end())
            continue;
        const record::RowName name{row.key, row.labels};
        series.order.push_back(name);
        series.rows[name] = {found->second.median, found->second.interval};
    }
    return series;
}

std::string row_name(const RowSeries& series, const record::RowName& name)
{
    std::string text = series.name();
    if (name.key)
        text += fmt::format(", {}", *name.key);
    if (!name.labels.empty())
        text += fmt::format(", {}", fmt::join(name.labels, " "));
    return text;
}

Change change_of(const RowSeries::Value& before, const RowSeries::Value& after, bool lower_is_better,
                 double threshold)
{
    if (after.wrong)
        return Change::wrong;
    const bool grew =
        after.interval.low > before.interval.high && after.median > before.median * (1 + threshold);
    const bool shrank =
        after.interval.high < before.interval.low && before.median > after.median * (1 + threshold);
    if (grew)
        return lower_is_better ? Change::slower : Change::faster;
    if (shrank)
        return lower_is_better ? Change::faster : Change::slower;
    return Change::same;
}

const RowSeries* find(const std::vector<RowSeries>& all, const RowSeries& like)
{
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const RowSeries& series) { return series.matches(like); });
    return found == all.end() ? nullptr : &*found;
}

std::string names_of(const std::vector<RowSeries>& all)
{
    std::vector<std::string> names;
    for (const RowSeries& series : all)
        names.push_back(series.name());
    return fmt::format("{}", fmt::join(names, "; "));
}

void require_common(const std::vector<RowSeries>& before, const std::vector<RowSeries>& after)
{
    bool common = false;
    for (const RowSeries& series : before) {
        const RowSeries* other = find(after, series);
        common = common || other != nullptr;
        if (other != nullptr && (other->quantity.unit != series.quantity.unit ||
                                 other->quantity.lower_is_better != series.quantity.lower_is_better))
            throw NotComparable(fmt::format("{}: {} ({}) before, {} ({}) after", series.name(),
                                            series.quantity.value, series.quantity.unit,
                                            other->quantity.value, other->quantity.unit));
    }
    if (!common)
        throw NotComparable(fmt::format(
            "the files have no benchmark in common on the same number of ranks: {} before, {} after",
            before.empty() ? "nothing" : names_of(before), after.empty() ? "nothing" : names_of(after)));
}

void add_rows_of_one(const RowSeries& series, Change change, std::vector<RowChange>& all)
{
    for (const record::RowName& name : series.order) {
        const double value = series.rows.at(name).median;
        all.push_back({row_name(series, name), series.quantity.unit, change, value, value});
    }
}

void add_rows(const RowSeries& before, const RowSeries& after, double threshold, std::vector<RowChange>& all)
{
    for (const record::RowName& name : before.order) {
        const RowSeries::Value& old = before.rows.at(name);
        const auto found = after.rows.find(name);
        if (found == after.rows.end()) {
            all.push_back(
                {row_name(before, name), before.quantity.unit, Change::only_before, old.median, old.median});
            continue;
        }
        all.push_back({row_name(before, name), before.quantity.unit,
                       change_of(old, found->second, before.quantity.lower_is_better, threshold), old.median,
                       found->second.median});
    }
    for (const record::RowName& name : after.order) {
        if (before.rows.contains(name))
            continue;
        const double value = after.rows.at(name).median;
        all.push_back({row_name(after, name), after.quantity.unit, Change::only_after, value, value});
    }
}

nlohmann::json environment_of(const record::Record& record)
{
    const auto found = std::visit([](const auto& either) { return either.environment; }, record);
    return found ? *found : nlohmann::json();
}

// For people to read: "Xeon", not "\"Xeon\"".
std::string fact(const nlohmann::json& environment, const char* name)
{
    if (!environment.is_object() || !environment.contains(name))
        return "unknown";
    const nlohmann::json& value = environment[name];
    return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string RowSeries::name() const
{
    std::string text = fmt::format("{}, {} ranks", quantity.benchmark, quantity.ranks);
    if (quantity.hosts > 1)
        text += fmt::format(" on {} hosts", quantity.hosts);
    return text;
}

bool RowSeries::matches(const RowSeries& other) const
{
    return quantity.benchmark == other.quantity.benchmark && quantity.ranks == other.quantity.ranks &&
           quantity.hosts == other.quantity.hosts;
}

std::vector<RowSeries> series_of(const record::Record& record, const std::string& library)
{
    if (const auto* run = std::get_if<record::Run>(&record))
        return {series_of_run(*run)};
    std::vector<RowSeries> all;
    for (const record::Case& one : std::get<record::Comparison>(record).cases) {
        RowSeries series = series_of_case(one, library);
        if (!series.rows.empty())
            all.push_back(std::move(series));
    }
    return all;
}

std::vector<RowChange> changes(const std::vector<RowSeries>& before, const std::vector<RowSeries>& after,
                               double threshold)
{
    require_common(before, after);
    std::vector<RowChange> all;
    for (const RowSeries& series : before) {
        if (const RowSeries* other = find(after, series))
            add_rows(series, *other, threshold, all);
        else
            add_rows_of_one(series, Change::only_before, all);
    }
    for (const RowSeries& series : after) {
        if (find(before, series) == nullptr)
            add_rows_of_one(series, Change::only_after, all);
    }
    return all;
}

std::vector<std::string> differing_circumstances(const record::Record& before, const record::Record& after)
{
    std::vector<std::string> found;
    for (const char* name : {"processor", "cores", "usable_cores", "memory_bytes", "kernel", "optimized",
                             "sanitizers", "compiler"}) {
        const std::string old = fact(environment_of(before), name);
        const std::string now = fact(environment_of(after), name);
        if (old != now)
            found.push_back(fmt::format("{}: {} before, {} after", name, old, now));
    }
    const std::vector<RowSeries> others = series_of(after, "tutti");
    for (const RowSeries& series : series_of(before, "tutti")) {
        const RowSeries* other = find(others, series);
        if (other != nullptr && !series.binding.empty() && !other->binding.empty() &&
            series.binding != other->binding)
            found.push_back(fmt::format("{}: bound to {} before, to {} after", series.name(), series.binding,
                                        other->binding));
    }
    return found;
}

}  // namespace tutti::bench
