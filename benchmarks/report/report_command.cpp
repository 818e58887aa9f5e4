#include "benchmarks/report/report_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/plot/gnuplot.hpp"
#include "benchmarks/plot/script.hpp"
#include "benchmarks/plot/tool.hpp"
#include "benchmarks/report/markdown.hpp"
#include "benchmarks/report/page.hpp"
#include "benchmarks/suite/output/result_file.hpp"

namespace tutti::bench {

namespace {

struct ReportOptions {
    std::vector<std::string> files;
    std::string output;
    std::string title = "Benchmark report";
    bool no_plots = false;
};

std::string draw_for_page(const Chart& chart)
{
    return run_gnuplot(gnuplot_script(chart, Picture::inline_svg));
}

// Beside report.md the pictures are in the folder report.
void write_markdown(const ReportOptions& options, const ReportContent& content)
{
    const std::filesystem::path output = options.output;
    const std::filesystem::path pictures = output.parent_path() / output.stem();
    write_result("-o", options.output,
                 markdown_report(content, options.no_plots ? "" : output.stem().string()));
    if (options.no_plots)
        return;
    std::filesystem::create_directories(pictures);
    for (const Topic& topic : content.topics) {
        for (const Chart& chart : report_charts(topic))
            write_result("-o", (pictures / (chart.name + ".svg")).string(),
                         run_gnuplot(gnuplot_script(chart, Picture::svg)));
    }
}

bool has_rows(const Topic& topic)
{
    return std::any_of(topic.series.begin(), topic.series.end(),
                       [](const Figures& figures) { return !figures.rows.empty(); });
}

void report(const ReportOptions& options)
{
    const std::vector<record::Record> records = read_records(options.files);
    const std::vector<Topic> topics = topics_of(records);
    if (std::none_of(topics.begin(), topics.end(), has_rows))
        throw std::runtime_error("the files hold no row: nothing was measured");
    const ReportContent content{options.title, records, topics};
    if (std::filesystem::path(options.output).extension() == ".md")
        write_markdown(options, content);
    else
        write_result("-o", options.output,
                     html_report(content, options.no_plots ? DrawSvg{} : DrawSvg{draw_for_page}));
    fmt::print("{}\n", options.output);
}

}  // namespace

int run_report(int argc, const char* const* argv)
{
    CLI::App app{
        "Writes runs and comparisons as one HTML page, which needs no other file: a summary, the "
        "environment, and for\n"
        "every benchmark a picture and the figures. Pictures need gnuplot.",
        argv[0]};
    app.footer(
        "Examples:\n"
        "  tutti-bench report comparison.json -o report.html\n"
        "  tutti-bench report before.json after.json -o report.html --title \"A new kernel\"\n"
        "  tutti-bench report comparison.json -o report.md        with pictures in the folder report beside "
        "it");
    ReportOptions options;
    add_record_files(app, options.files);
    app.add_option("-o,--output", options.output, "The page: *.html, or *.md")
        ->required()
        ->check(
            [](const std::string& file) {
                const std::string extension = std::filesystem::path(file).extension().string();
                return extension == ".html" || extension == ".md" ? "" : "must end in .html or .md: " + file;
            },
            "FILE.html|FILE.md");
    app.add_option("--title", options.title, "What stands above it (Benchmark report)");
    app.add_flag("--no-plots", options.no_plots, "Tables only: gnuplot is not needed");
    return run_tool(app, argc, argv, [&] { report(options); });
}

}  // namespace tutti::bench
