#include "benchmarks/report/report_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "benchmarks/plot/plot_words.hpp"

namespace tutti::bench {

namespace {

using namespace record;

const std::vector<std::pair<const char*, const char*>> kPercentiles = {
    {"90", "90 %"}, {"99", "99 %"}, {"99.9", "99.9 %"}};

std::string number_or_nothing(const std::optional<double>& value)
{
    return value ? number_text(*value) : "";
}

// Key and labels: what names a row.
void add_names(ReportTable& table, const Quantity& quantity)
{
    if (!quantity.key.empty())
        table.columns.push_back(quantity.key);
    table.columns.insert(table.columns.end(), quantity.labels.begin(), quantity.labels.end());
    table.names = table.columns.size();
}

std::vector<Cell> named_row(const Quantity& quantity, std::optional<double> key,
                            const std::vector<std::string>& labels)
{
    std::vector<Cell> row;
    if (!quantity.key.empty())
        row.push_back({key_text(quantity, key)});
    for (const std::string& label : labels)
        row.push_back({label});
    return row;
}

std::string library_name(const Case& which, const std::string& library)
{
    const auto found = which.library_names.find(library);
    return found == which.library_names.end() ? library : found->second;
}

std::string share_text(double share)
{
    return fmt::format("{:.{}f} %", 100 * share, share < 0.1 ? 1 : 0);
}

// Ratio, verdict, share of the limit: of either kind of memory.
void add_beside(std::vector<Cell>& cells, const Case& which, const CaseRow& row, const Beside& figures)
{
    const Beside beside = of_costs(figures, which.quantity);
    Cell ratio{beside.ratio ? number_text(*beside.ratio) : ""};
    if (beside.ratio && beside.ratio_interval)
        ratio.detail = interval_text(*beside.ratio_interval);
    cells.push_back(ratio);
    const bool has_peer = !row.better_peer.empty() && beside.ratio;
    Cell verdict{has_peer ? verdict_in_words(beside.verdict) : "", "", tone_of(beside.verdict)};
    if (has_peer && !beside.verdict.empty())
        verdict.detail = (beside.verdict == "same" ? "as " : "than ") + library_name(which, row.better_peer);
    cells.push_back(verdict);
    cells.push_back({beside.share ? share_text(*beside.share) : "", beside.share ? row.limit_name : ""});
}

std::string circumstances(const Case& which)
{
    std::string text;
    if (which.others_share)
        text = fmt::format("Other programs had {:.0f} % of the cores meanwhile. ", 100 * *which.others_share);
    if (which.memory == "malloc")
        text += "Buffers of malloc";
    else if (which.memory == "library")
        text += "Buffers of each library's allocator";
    if (!which.memory.empty())
        text += which.touched ? ", written before each iteration and read after it."
                              : ", which nobody touches between iterations.";
    return text;
}

std::vector<Cell> compared_row(const Case& which, const CaseRow& row)
{
    std::vector<Cell> cells = named_row(which.quantity, row.key, row.labels);
    for (const std::string& library : which.libraries) {
        const auto found = row.libraries.find(library);
        if (found == row.libraries.end())
            cells.push_back({});
        else
            cells.push_back({number_text(found->second.median), interval_text(found->second.interval)});
    }
    add_beside(cells, which, row, row);
    add_beside(cells, which, row, row.allocated.value_or(Beside{}));
    return cells;
}

// Columns in which no row has anything say nothing.
void drop_empty_columns(ReportTable& table)
{
    for (std::size_t column = table.columns.size(); column-- > table.names;) {
        const bool empty =
            std::all_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
                return row[column].text.empty() && row[column].detail.empty();
            });
        if (!empty)
            continue;
        const auto at = static_cast<std::ptrdiff_t>(column);
        table.columns.erase(table.columns.begin() + at);
        for (std::vector<Cell>& row : table.rows)
            row.erase(row.begin() + at);
    }
}

ReportTable case_table(const Topic& topic)
{
    const Case& which = *topic.which;
    ReportTable table;
    table.caption = fmt::format("{}, {}: {} in {}", topic.title, topic.job, which.quantity.value,
                                unit_text(which.quantity.unit));
    add_names(table, which.quantity);
    for (const std::string& library : which.libraries)
        table.columns.push_back(library_name(which, library));
    for (const char* const from : {"", ", allocate"}) {
        for (const char* const column : {"Ratio", "Tutti is", "Of the limit"})
            table.columns.push_back(column + std::string(from));
    }
    for (const CaseRow& row : which.rows)
        table.rows.push_back(compared_row(which, row));
    drop_empty_columns(table);
    if (const std::string text = circumstances(which); !text.empty())
        table.notes.push_back(text);
    for (const Failure& failure : which.failures)
        table.notes.push_back(fmt::format("{}: {}", library_name(which, failure.library), failure.message));
    return table;
}

std::vector<Cell> run_cells(const Run& run, const RunRow& row)
{
    std::vector<Cell> cells = named_row(run.quantity, row.key, row.labels);
    const char* const mark = row.narrow.value_or(true) ? "" : "*";
    cells.push_back({number_text(row.median) + mark, interval_text(row.interval)});
    for (const double part : row.parts)
        cells.push_back({number_text(part)});
    cells.push_back({number_or_nothing(row.min)});
    for (const auto& [name, heading] : kPercentiles) {
        const auto found = row.percentiles.find(name);
        cells.push_back({found == row.percentiles.end() ? "" : number_text(found->second)});
    }
    cells.push_back({number_or_nothing(row.max)});
    cells.push_back({row.iterations ? fmt::format("{:.0f}", *row.iterations) : ""});
    cells.push_back({row.outliers ? fmt::format("{:.0f}", *row.outliers) : ""});
    if (!row.valid)
        cells.push_back({});
    else
        cells.push_back({*row.valid ? "yes" : "NO", "", *row.valid ? Tone::plain : Tone::bad});
    return cells;
}

ReportTable run_table(const Topic& topic, std::size_t which)
{
    const Run& run = *topic.runs[which];
    ReportTable table;
    table.caption = fmt::format("{}, {}: {} in {}", topic.series[which].name,
                                job_text(run.quantity.ranks, run.quantity.hosts, ""), run.quantity.value,
                                unit_text(run.quantity.unit));
    add_names(table, run.quantity);
    table.columns.push_back("Median");
    table.columns.insert(table.columns.end(), run.parts.begin(), run.parts.end());
    table.columns.push_back("Min");
    for (const auto& [name, heading] : kPercentiles)
        table.columns.push_back(heading);
    table.columns.insert(table.columns.end(), {"Max", "Iterations", "Outliers", "Valid"});
    bool wide = false;
    for (const RunRow& row : run.rows) {
        table.rows.push_back(run_cells(run, row));
        wide = wide || !row.narrow.value_or(true);
    }
    drop_empty_columns(table);
    if (wide)
        table.notes.push_back("* The interval is wider than was asked: the row's time was over.");
    return table;
}

}  // namespace

std::string interval_text(const Range& interval)
{
    return fmt::format("{}\u2013{}", number_text(interval.low), number_text(interval.high));
}

std::string verdict_in_words(const std::string& verdict)
{
    return verdict.empty() ? "undecided" : verdict;
}

Tone tone_of(const std::string& verdict)
{
    if (verdict == "faster")
        return Tone::good;
    return verdict == "slower" ? Tone::bad : Tone::plain;
}

std::vector<ReportTable> tables_of(const Topic& topic)
{
    if (topic.which != nullptr)
        return {case_table(topic)};
    std::vector<ReportTable> tables;
    for (std::size_t i = 0; i < topic.runs.size(); ++i)
        tables.push_back(run_table(topic, i));
    return tables;
}

ReportTable limits_table(const std::vector<Limit>& limits)
{
    ReportTable table{"What the machine allows, measured in the same go", {"Size"}, 1, {}, {}};
    std::set<std::optional<double>> keys;
    std::vector<std::string>& columns = table.columns;
    const auto column_of = [&](const Limit& limit) {
        const std::string name = fmt::format("{} ({})", limit.name, unit_text(limit.unit));
        return std::find(columns.begin() + 1, columns.end(), name) - columns.begin();
    };
    for (const Limit& limit : limits) {
        keys.insert(limit.key);
        if (column_of(limit) == std::ssize(columns))
            columns.push_back(fmt::format("{} ({})", limit.name, unit_text(limit.unit)));
    }
    for (const std::optional<double>& key : keys) {
        std::vector<Cell>& row = table.rows.emplace_back(columns.size());
        row[0].text = key ? size_text(*key) : "";
        for (const Limit& limit : limits) {
            if (limit.key == key)
                row[static_cast<std::size_t>(column_of(limit))].text = number_text(limit.value);
        }
    }
    return table;
}

record::Beside of_costs(const record::Beside& beside, const record::Quantity& quantity)
{
    record::Beside result = beside;
    const auto is_above_zero = [](double value) { return value > 0; };
    if (beside.ratio && !is_above_zero(*beside.ratio))
        result.ratio.reset();
    if (quantity.lower_is_better)
        return result;
    if (result.ratio)
        result.ratio = 1 / *result.ratio;
    if (beside.ratio_interval && is_above_zero(beside.ratio_interval->low))
        result.ratio_interval = {1 / beside.ratio_interval->high, 1 / beside.ratio_interval->low};
    else
        result.ratio_interval.reset();
    return result;
}

}  // namespace tutti::bench
