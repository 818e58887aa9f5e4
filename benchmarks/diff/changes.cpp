#include "benchmarks/diff/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "benchmarks/compare/modes.hpp"
#include "benchmarks/suite/command_line/size_range.hpp"

namespace tutti::bench {

namespace {

RowSeries series_of_run(const record::Run& run)
{
    RowSeries series{.quantity = run.quantity, .library = run.library, .binding = {}};
    for (const record::RunRow& row : run.rows) {
        const record::RowName name{row.key, row.labels};
        series.order.push_back(name);
        series.rows[name] = {{row.median}, !row.valid.value_or(true)};
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
        const std::vector<double>& runs = found->second.runs;
        series.rows[name] = {runs};
        if (found->second.trips_ns.size() == runs.size())
            series.rows[name].trips_ns = found->second.trips_ns;
    }
    return series;
}

std::string row_name(const RowSeries& series, const record::RowName& name)
{
    std::string text = series.name();
    if (name.key)
        text += fmt::format(
            ", {}", series.quantity.key == "Size" ? short_size(*name.key) : fmt::format("{}", *name.key));
    if (!name.labels.empty())
        text += fmt::format(", {}", fmt::join(name.labels, " "));
    return text;
}

Change change_of(const Shift& shift, bool lower_is_better, double threshold)
{
    if (!shift.interval)
        return Change::undecided;
    const auto [low, high, confidence] = *shift.interval;
    const double much = 1 + threshold;
    if (low > 1 && shift.ratio > much)
        return lower_is_better ? Change::slower : Change::faster;
    if (high < 1 && shift.ratio < 1 / much)
        return lower_is_better ? Change::faster : Change::slower;
    const bool small = low >= 1 / much && high <= much;
    return small || low > 1 || high < 1 ? Change::same : Change::undecided;
}

void require_same_unit(const RowSeries& one, const RowSeries& other)
{
    if (other.quantity.unit != one.quantity.unit ||
        other.quantity.lower_is_better != one.quantity.lower_is_better)
        throw NotComparable(fmt::format("{}: {} ({}) here, {} ({}) there", one.name(), one.quantity.value,
                                        one.quantity.unit, other.quantity.value, other.quantity.unit));
}

template <class AllSeries>
auto find(AllSeries& all, const RowSeries& like) -> decltype(all.data())
{
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const RowSeries& series) { return series.matches(like); });
    return found == all.end() ? nullptr : &*found;
}

// Further starts of the same benchmark.
void join(RowSeries& series, const RowSeries& more)
{
    require_same_unit(series, more);
    for (const record::RowName& name : more.order) {
        const auto [row, is_new] = series.rows.try_emplace(name);
        if (is_new)
            series.order.push_back(name);
        const RowSeries::Value& value = more.rows.at(name);
        row->second.starts.insert(row->second.starts.end(), value.starts.begin(), value.starts.end());
        row->second.wrong = row->second.wrong || value.wrong;
        const std::vector<double>& trips = value.trips_ns;
        row->second.trips_ns.insert(row->second.trips_ns.end(), trips.begin(), trips.end());
    }
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
        if (other != nullptr)
            require_same_unit(series, *other);
    }
    if (!common)
        throw NotComparable(fmt::format(
            "the files have no benchmark in common on the same number of ranks: {} before, {} after",
            before.empty() ? "nothing" : names_of(before), after.empty() ? "nothing" : names_of(after)));
}

// The starts at which cores were as far apart as usual; all where that is not known of each.
std::vector<double> of_mode(const RowSeries::Value& value, std::optional<double> usual_ns)
{
    if (!usual_ns || value.trips_ns.size() != value.starts.size())
        return value.starts;
    std::vector<double> found;
    for (std::size_t i = 0; i < value.starts.size(); ++i) {
        if (is_same_mode(value.trips_ns[i], *usual_ns))
            found.push_back(value.starts[i]);
    }
    return found;
}

void add_rows_of_one(const RowSeries& series, Change change, std::vector<RowChange>& all)
{
    for (const record::RowName& name : series.order) {
        const double value = median(series.rows.at(name).starts);
        all.push_back({row_name(series, name), series.quantity.unit, change, value, value});
    }
}

void add_rows(const RowSeries& before, const RowSeries& after, double threshold, std::vector<RowChange>& all)
{
    for (const record::RowName& name : before.order) {
        const RowSeries::Value& old = before.rows.at(name);
        RowChange row{row_name(before, name), before.quantity.unit, Change::only_before, median(old.starts),
                      median(old.starts)};
        if (const auto found = after.rows.find(name); found != after.rows.end()) {
            const RowSeries::Value& value = found->second;
            row.after = median(value.starts);
            const std::optional<double> usual_ns =
                old.trips_ns.empty() ? std::nullopt : std::optional(median(old.trips_ns));
            const std::vector<double> from = of_mode(old, usual_ns), to = of_mode(value, usual_ns);
            row.starts_before = from.size();
            row.starts_after = to.size();
            row.left_out = old.starts.size() - from.size() + value.starts.size() - to.size();
            row.shift = from.empty() || to.empty() ? Shift{1.0, {}} : shift_of(from, to);
            row.change = value.wrong ? Change::wrong
                                     : change_of(*row.shift, before.quantity.lower_is_better, threshold);
        }
        all.push_back(row);
    }
    for (const record::RowName& name : after.order) {
        if (before.rows.contains(name))
            continue;
        const double value = median(after.rows.at(name).starts);
        all.push_back({row_name(after, name), after.quantity.unit, Change::only_after, value, value});
    }
}

// For people to read: "Xeon", not "\"Xeon\"".
std::string fact(const record::Record& record, const char* name)
{
    const auto environment = std::visit([](const auto& either) { return either.environment; }, record);
    if (!environment || !environment->is_object() || !environment->contains(name))
        return "unknown";
    const nlohmann::json& value = (*environment)[name];
    return value.is_string() ? value.get<std::string>() : value.dump();
}

// What all starts have, or what each has.
std::string facts(const std::vector<record::Record>& records, const char* name)
{
    std::vector<std::string> found;
    for (const record::Record& record : records) {
        const std::string one = fact(record, name);
        if (std::find(found.begin(), found.end(), one) == found.end())
            found.push_back(one);
    }
    return fmt::format("{}", fmt::join(found, " and "));
}

}  // namespace

std::string RowSeries::name() const
{
    std::string text = quantity.benchmark;
    if (quantity.ranks > 0)  // OSU's texts do not say it
        text += fmt::format(", {} ranks", quantity.ranks);
    if (quantity.hosts > 1)
        text += fmt::format(" on {} hosts", quantity.hosts);
    return text;
}

bool RowSeries::matches(const RowSeries& other) const
{
    return quantity.benchmark == other.quantity.benchmark && quantity.ranks == other.quantity.ranks &&
           quantity.hosts == other.quantity.hosts;
}

std::vector<RowSeries> series_of(const std::vector<record::Record>& records, const std::string& library)
{
    std::vector<RowSeries> all;
    const auto add = [&](RowSeries more) {
        if (RowSeries* const known = find(all, more))
            join(*known, more);
        else if (!more.rows.empty())
            all.push_back(std::move(more));
    };
    for (const record::Record& record : records) {
        if (const auto* run = std::get_if<record::Run>(&record))
            add(series_of_run(*run));
        else
            for (const record::Case& one : std::get<record::Comparison>(record).cases)
                add(series_of_case(one, library));
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

std::vector<std::string> differing_circumstances(const std::vector<record::Record>& before,
                                                 const std::vector<record::Record>& after)
{
    std::vector<std::string> found;
    for (const char* name : {"processor", "cores", "usable_cores", "memory_bytes", "kernel", "optimized",
                             "sanitizers", "compiler"}) {
        const std::string old = facts(before, name);
        const std::string now = facts(after, name);
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
