#include "benchmarks/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/plot/plot_words.hpp"
#include "benchmarks/report/add.hpp"
#include "benchmarks/report/escape.hpp"
#include "benchmarks/report/overview.hpp"
#include "benchmarks/report/picture.hpp"
#include "benchmarks/report/sections.hpp"
#include "lib/foundation/observe/html_page.hpp"

namespace tutti::bench {

namespace {

std::string link_to(const Topic& topic)
{
    return fmt::format("<a href=\"#case-{}\">{}</a>", topic.name, html_text(heading_of(topic)));
}

const char* class_of(Tone tone)
{
    return tone == Tone::good ? "good" : tone == Tone::bad ? "bad" : "";
}

std::string html_cell(const Cell& cell)
{
    std::string text = html_text(cell.text);
    if (!cell.detail.empty())
        text += fmt::format("<small>{}</small>", html_text(cell.detail));
    return text;
}

// Parts wider than the window scroll by themselves, with keys, too.
void open_box(std::string& page, const std::string& name)
{
    add(page, "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n", html_text(name));
}

void add_html_table(std::string& page, const ReportTable& table)
{
    open_box(page, table.caption);
    add(page, "<table><caption>{}</caption>\n<thead><tr>", html_text(table.caption));
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        add(page, "<th scope=\"col\"{}>{}</th>", i < table.names ? " class=\"name\"" : "",
            html_text(table.columns[i]));
    page += "</tr></thead>\n<tbody>\n";
    for (const std::vector<Cell>& row : table.rows) {
        page += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i < table.names)
                add(page, "<th scope=\"row\" class=\"name\">{}</th>", html_cell(row[i]));
            else
                add(page, "<td class=\"{}\">{}</td>", class_of(row[i].tone),
                    row[i].text.empty() && row[i].detail.empty() ? "\u2013" : html_cell(row[i]));
        }
        page += "</tr>\n";
    }
    page += "</tbody></table></div>\n";
    for (const std::string& note : table.notes)
        add(page, "<p class=\"quiet\">{}</p>\n", html_text(note));
}

void add_contents(std::string& page, const std::vector<TopicGroup>& groups)
{
    page +=
        "<nav aria-labelledby=\"contents\"><h2 id=\"contents\">Contents</h2>\n<ul class=\"contents\">\n"
        "<li><a href=\"#summary\">Summary</a></li>\n<li><a href=\"#reading\">How to read this</a></li>\n"
        "<li><a href=\"#environment\">Where it was measured</a></li>\n";
    for (const TopicGroup& group : groups) {
        add(page, "<li>{}\n<ul>\n", html_text(group.name));
        for (const Topic* const topic : group.topics)
            add(page, "<li>{}</li>\n", link_to(*topic));
        page += "</ul></li>\n";
    }
    page += "</ul></nav>\n";
}

void add_tally(std::string& page, const Overview& overview)
{
    const Tally& tally = overview.tally;
    add(page,
        "<p class=\"lead\">{}</p>\n<ul class=\"tally\">\n<li class=\"good\"><b>{}</b>faster than the best "
        "peer</li>\n"
        "<li><b>{}</b>the same</li>\n<li{}><b>{}</b>slower</li>\n</ul>\n",
        summary_of(overview), tally.faster, tally.same, tally.slower > 0 ? " class=\"bad\"" : "",
        tally.slower);
}

void add_cases(std::string& page, const Overview& overview)
{
    open_box(page, "All cases");
    page +=
        "<table><caption>All cases, in rows</caption>\n<thead><tr><th scope=\"col\" class=\"name\">Case</th>"
        "<th scope=\"col\">Faster</th><th scope=\"col\">Same</th><th scope=\"col\">Slower</th>"
        "<th scope=\"col\">Undecided</th><th scope=\"col\">No peer</th><th scope=\"col\">Times as "
        "fast</th></tr></thead>\n<tbody>\n";
    for (const auto& [topic, tally] : overview.cases)
        add(page,
            "<tr><th scope=\"row\" class=\"name case\">{}</th><td>{}</td><td>{}</td><td class=\"{}\">{}</td>"
            "<td>{}</td><td>{}</td><td>{}</td></tr>\n",
            link_to(*topic), tally.faster, tally.same, tally.slower > 0 ? "bad" : "", tally.slower,
            tally.undecided, tally.alone, tally.advantage() ? number_text(*tally.advantage()) : "\u2013");
    page += "</tbody></table></div>\n";
}

void add_worst(std::string& page, const Overview& overview)
{
    open_box(page, "The rows that stand worst");
    page +=
        "<table><caption>The rows that stand worst beside the best peer</caption>\n<thead><tr>"
        "<th scope=\"col\" class=\"name\">Case</th><th scope=\"col\" class=\"name\">Row</th>"
        "<th scope=\"col\">Ratio</th><th scope=\"col\">Tutti is</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < std::min(kWorstRows, overview.worst.size()); ++i) {
        const Standing& standing = overview.worst[i];
        const auto interval = of_costs(*standing.row, standing.topic->quantity).ratio_interval;
        std::vector<std::string> row = standing.row->labels;
        if (standing.row->key)
            row.insert(row.begin(), key_text(standing.topic->quantity, standing.row->key));
        add(page,
            "<tr><th scope=\"row\" class=\"name case\">{}</th><td class=\"name\">{}</td><td>{}</td>"
            "<td class=\"{}\">{}</td></tr>\n",
            link_to(*standing.topic), html_text(joined(row, ", ")),
            html_cell({number_text(standing.cost), interval ? interval_text(*interval) : ""}),
            class_of(tone_of(standing.row->verdict)), html_text(verdict_in_words(standing.row->verdict)));
    }
    page += "</tbody></table></div>\n";
}

void add_summary(std::string& page, const ReportContent& content)
{
    page += "<section aria-labelledby=\"summary\"><h2 id=\"summary\">Summary</h2>\n";
    for (const std::string& sentence : admissions(content.records))
        add(page, "<p>{}</p>\n", html_text(sentence));
    const Overview overview = overview_of(content.topics);
    if (overview.tally.compared() == 0)
        add(page, "<p>{}</p>\n", sentence(overview.tally));
    else {
        add_tally(page, overview);
        add_worst(page, overview);
    }
    if (!overview.cases.empty())
        add_cases(page, overview);
    page += "</section>\n<section aria-labelledby=\"reading\"><h2 id=\"reading\">How to read this</h2>\n";
    for (const std::string& paragraph : reading_help(content.records))
        add(page, "<p>{}</p>\n", html_text(paragraph));
    page += "</section>\n";
}

void add_html_environment(std::string& page, const ReportContent& content)
{
    page += "<section aria-labelledby=\"environment\"><h2 id=\"environment\">Where it was measured</h2>\n";
    const std::vector<Origin> origins = origins_of(content.records);
    for (const Origin& origin : origins) {
        if (origins.size() > 1)
            add(page, "<h3>{}</h3>\n", html_text(joined(origin.files, ", ")));
        page += "<dl>\n";
        for (const auto& [name, value] : origin.facts)
            add(page, "<dt>{}</dt><dd>{}</dd>\n", html_text(name), html_text(value));
        page += "</dl>\n";
        for (const std::string& command : origin.commands)
            add(page, "<pre><code>{}</code></pre>\n", html_text(command));
    }
    for (const record::Record& one : content.records) {
        const auto* const comparison = std::get_if<record::Comparison>(&one);
        if (comparison != nullptr && !comparison->limits.empty())
            add_html_table(page, limits_table(comparison->limits));
    }
    page += "</section>\n";
}

void add_topic(std::string& page, const Topic& topic, const DrawSvg& draw)
{
    add(page, "<section aria-labelledby=\"case-{0}\"><h3 id=\"case-{0}\">{1}</h3>\n", topic.name,
        html_text(heading_of(topic)));
    add(page, "<p class=\"quiet\">{} in {}; {} is better.</p>\n", html_text(topic.quantity.value),
        html_text(unit_text(topic.quantity.unit)), topic.quantity.lower_is_better ? "lower" : "higher");
    if (draw) {
        for (const Chart& chart : report_charts(topic)) {
            const std::string label = chart.title + ": " + chart.value_axis + "; the table has the figures";
            open_box(page, chart.title);
            page += fitted_picture(draw(chart), chart.name, label) + "</div>\n";
        }
    }
    for (const ReportTable& table : tables_of(topic))
        add_html_table(page, table);
    page += "</section>\n";
}

}  // namespace

std::vector<Chart> report_charts(const Topic& topic)
{
    const bool several = std::any_of(topic.series.begin(), topic.series.end(),
                                     [](const Figures& figures) { return figures.rows.size() > 1; });
    return several ? charts_of(topic) : std::vector<Chart>{};
}

std::string html_report(const ReportContent& content, const DrawSvg& draw)
{
    std::string page = observe::begin_of_page(content.title, picture_style());
    add(page, "<a class=\"skip\" href=\"#summary\">Skip to the summary</a>\n<header><h1>{}</h1></header>\n",
        html_text(content.title));
    const std::vector<TopicGroup> groups = groups_of(content.topics);
    add_contents(page, groups);
    page += "<main>\n";
    add_summary(page, content);
    add_html_environment(page, content);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        add(page, "<section aria-labelledby=\"group-{0}\"><h2 id=\"group-{0}\">{1}</h2>\n", i,
            html_text(groups[i].name));
        for (const Topic* const topic : groups[i].topics)
            add_topic(page, *topic, draw);
        page += "</section>\n";
    }
    return page.append("</main>\n").append(observe::kEndOfPage);
}

}  // namespace tutti::bench
