#include "benchmarks/report/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "benchmarks/plot/plot_words.hpp"
#include "benchmarks/report/add.hpp"
#include "benchmarks/report/escape.hpp"
#include "benchmarks/report/overview.hpp"
#include "benchmarks/report/sections.hpp"

namespace tutti::bench {

namespace {

// As lines of the width that documents have here.
std::string wrapped(const std::string& text)
{
    constexpr std::size_t kLineWidth = 120;
    std::istringstream words(text);
    std::string lines;
    std::size_t line = 0;
    for (std::string word; words >> word;) {
        const bool fits = line + word.size() < kLineWidth;
        lines += lines.empty() ? "" : fits ? " " : "\n";
        line = (fits ? line + 1 : 0) + word.size();
        lines += word;
    }
    return lines;
}

std::string markdown_cell(const Cell& cell)
{
    std::string text = markdown_text(cell.text);
    if (!cell.detail.empty())
        text += fmt::format("{}({})", text.empty() ? "" : " ", markdown_text(cell.detail));
    return cell.tone == Tone::bad ? "**" + text + "**" : text;
}

void add_markdown_table(std::string& text, const ReportTable& table)
{
    std::string rule;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        add(text, "| {} ", markdown_text(table.columns[i]));
        rule += i < table.names ? "|---" : "|---:";
    }
    add(text, "|\n{}|\n", rule);
    for (const std::vector<Cell>& row : table.rows) {
        for (const Cell& cell : row)
            add(text, "| {} ", markdown_cell(cell));
        text += "|\n";
    }
    text += "\n";
    for (const std::string& note : table.notes)
        add(text, "{}\n\n", markdown_text(note));
}

ReportTable worst_table(const Overview& overview)
{
    ReportTable table{"", {"Case", "Row", "Ratio", "Tutti is"}, 2, {}, {}};
    for (std::size_t i = 0; i < std::min(kWorstRows, overview.worst.size()); ++i) {
        const Standing& standing = overview.worst[i];
        const auto interval = of_costs(*standing.row, standing.topic->quantity).ratio_interval;
        std::vector<std::string> row = standing.row->labels;
        if (standing.row->key)
            row.insert(row.begin(), key_text(standing.topic->quantity, standing.row->key));
        table.rows.push_back({{heading_of(*standing.topic)},
                              {joined(row, ", ")},
                              {number_text(standing.cost), interval ? interval_text(*interval) : ""},
                              {verdict_in_words(standing.row->verdict), "", tone_of(standing.row->verdict)}});
    }
    return table;
}

void add_markdown_environment(std::string& text, const ReportContent& content)
{
    text += "## Where it was measured\n\n";
    const std::vector<Origin> origins = origins_of(content.records);
    for (const Origin& origin : origins) {
        if (origins.size() > 1)
            add(text, "{}:\n\n", markdown_text(joined(origin.files, ", ")));
        if (!origin.facts.empty())
            text += "| | |\n|---|---|\n";
        for (const auto& [name, value] : origin.facts)
            add(text, "| {} | {} |\n", markdown_text(name), markdown_text(value));
        text += "\n";
        // Indented, so that no command can end the block.
        for (const std::string& command : origin.commands)
            add(text, "    {}\n\n", command);
    }
    for (const record::Record& one : content.records) {
        const auto* const comparison = std::get_if<record::Comparison>(&one);
        if (comparison != nullptr && !comparison->limits.empty())
            add_markdown_table(text, limits_table(comparison->limits));
    }
}

void add_topic(std::string& text, const Topic& topic, const std::string& folder)
{
    add(text, "### {}\n\n{} in {}; {} is better.\n\n", markdown_text(heading_of(topic)),
        markdown_text(topic.quantity.value), markdown_text(unit_text(topic.quantity.unit)),
        topic.quantity.lower_is_better ? "lower" : "higher");
    if (!folder.empty()) {
        for (const Chart& chart : report_charts(topic))
            add(text, "![{}](<{}/{}.svg>)\n\n", markdown_text(chart.title), folder, chart.name);
    }
    const std::vector<ReportTable> tables = tables_of(topic);
    for (const ReportTable& table : tables) {
        if (tables.size() > 1)
            add(text, "{}:\n\n", markdown_text(table.caption));
        add_markdown_table(text, table);
    }
}

}  // namespace

std::string markdown_report(const ReportContent& content, const std::string& folder)
{
    std::string text = fmt::format("# {}\n\n", markdown_text(content.title));
    for (const std::string& sentence : admissions(content.records))
        add(text, "{}\n\n", wrapped(sentence));
    const Overview overview = overview_of(content.topics);
    if (!overview.cases.empty())
        add(text, "{}\n\n", wrapped(summary_of(overview)));
    if (!overview.worst.empty()) {
        text += "The rows that stand worst beside the best peer:\n\n";
        add_markdown_table(text, worst_table(overview));
    }
    text += "## How to read this\n\n";
    for (const std::string& paragraph : reading_help(content.records))
        add(text, "{}\n\n", wrapped(paragraph));
    add_markdown_environment(text, content);
    for (const TopicGroup& group : groups_of(content.topics)) {
        add(text, "## {}\n\n", markdown_text(group.name));
        for (const Topic* const topic : group.topics)
            add_topic(text, *topic, folder);
    }
    while (text.ends_with("\n\n"))
        text.pop_back();
    return text;
}

}  // namespace tutti::bench
