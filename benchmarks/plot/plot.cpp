#include "benchmarks/plot/plot.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "benchmarks/plot/gnuplot.hpp"
#include "benchmarks/plot/plot_words.hpp"
#include "benchmarks/plot/script.hpp"
#include "benchmarks/plot/tool.hpp"
#include "benchmarks/suite/output/result_file.hpp"

namespace tutti::bench {

namespace {

struct PlotOptions {
    std::vector<std::string> files;
    std::string output;
    std::vector<std::string> only;
    std::vector<std::string> formats{"svg", "png"};
};

bool chosen(const Topic& topic, const std::vector<std::string>& only)
{
    const auto named = [&](const std::string& name) {
        return name == topic.name || name == topic.quantity.benchmark;
    };
    return only.empty() || std::any_of(only.begin(), only.end(), named);
}

std::vector<Chart> chosen_charts(const PlotOptions& options, const std::vector<Topic>& topics)
{
    std::vector<std::string> names;
    std::vector<Chart> charts;
    for (const Topic& topic : topics) {
        names.push_back(topic.name);
        if (!chosen(topic, options.only))
            continue;
        for (Chart& chart : charts_of(topic))
            charts.push_back(std::move(chart));
    }
    if (charts.empty() && options.only.empty())
        throw std::runtime_error("the files hold no row that could be drawn");
    if (charts.empty())
        throw ToolMisuse(fmt::format("--only {}: nothing of this name can be drawn; there are: {}",
                                     joined(options.only, ","), joined(names, ", ")));
    return charts;
}

Picture picture_of(const std::string& extension)
{
    return extension == "png" ? Picture::png : Picture::svg;
}

void draw(const Chart& chart, const std::string& extension, const std::filesystem::path& file)
{
    write_result("-o", file.string(), run_gnuplot(gnuplot_script(chart, picture_of(extension))));
    fmt::print("{}\n", file.string());
}

void plot(const PlotOptions& options)
{
    const std::vector<record::Record> records = read_records(options.files);
    const std::vector<Chart> charts = chosen_charts(options, topics_of(records));

    const std::filesystem::path output = options.output;
    const std::string extension = output.extension().string();
    if (extension == ".svg" || extension == ".png") {
        if (charts.size() > 1) {
            std::vector<std::string> names;
            for (const Chart& chart : charts)
                names.push_back(chart.name);
            throw ToolMisuse(
                fmt::format("-o {}: there are {} charts for one file; give a folder, or choose by "
                            "--only: {}",
                            options.output, charts.size(), joined(names, ", ")));
        }
        draw(charts.front(), extension.substr(1), output);
        return;
    }
    std::filesystem::create_directories(output);
    for (const Chart& chart : charts) {
        for (const std::string& format : options.formats)
            draw(chart, format, output / (chart.name + "." + format));
    }
}

}  // namespace

int run_plot(int argc, const char* const* argv)
{
    CLI::App app{
        "Draws runs and comparisons: log-log curves by size with the 95 % intervals of the medians as bands "
        "and the\n"
        "hardware's limits as dashed lines. Runs of one benchmark share a picture. Needs gnuplot.",
        argv[0]};
    app.footer(
        "Examples:\n"
        "  tutti-bench plot before.json after.json -o latency.svg\n"
        "  tutti-bench plot comparison.json -o pictures              an SVG and a PNG for every case\n"
        "  tutti-bench plot comparison.json --only allreduce-8 -o allreduce.png");
    PlotOptions options;
    add_record_files(app, options.files);
    app.add_option("-o,--output", options.output, "A file *.svg or *.png, or the folder for all pictures")
        ->required()
        ->check(
            [](const std::string& name) {
                const std::filesystem::path path = name;
                const std::string extension = path.extension().string();
                const bool known = extension.empty() || extension == ".svg" || extension == ".png";
                return known || std::filesystem::is_directory(path)
                           ? std::string()
                           : fmt::format(
                                 "must end in .svg or .png, or be a folder: {} (a new folder of this "
                                 "name is {}/)",
                                 name, name);
            },
            "FILE.svg|FILE.png|FOLDER");
    app.add_option("--only", options.only,
                   "Benchmarks (allreduce), or cases by benchmark and ranks (allreduce-8)")
        ->delimiter(',');
    app.add_option("--format", options.formats, "For a folder: svg, png (both)")
        ->delimiter(',')
        ->check(CLI::IsMember({"svg", "png"}));
    return run_tool(app, argc, argv, [&] { plot(options); });
}

}  // namespace tutti::bench
