#include "benchmarks/limits/limits.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "benchmarks/environment/measured_machine.hpp"
#include "benchmarks/limits/pair.hpp"
#include "benchmarks/progress/progress.hpp"

namespace tutti::bench {

namespace {

constexpr int kFormatVersion = 1;

constexpr const char* kLimitsExamples =
    "Two processes on two cores of their own measure, without any library; the best of the runs counts.\n"
    "Start it without a launcher, with nothing else running.\n"
    "Examples:\n"
    "  tutti-bench limits\n"
    "  tutti-bench limits --yardsticks --json limits.json";

struct Probe {
    const char* name;
    void (*run)(const TakeFigure&, ProbeScale);
    bool yardstick;  // what comparisons measure libraries by
};

constexpr std::array kProbes = {
    Probe{"cache line", probe_cache_line, true},
    Probe{"memory copy", probe_shared_copy, true},
    Probe{"copy by two cores", probe_two_cores_copy, false},
    Probe{"combining", probe_combining, true},
    Probe{"two copies", probe_copy_pipeline, true},
    Probe{"cma", probe_process_vm_readv, true},
    Probe{"exchange of blocks", probe_exchange_of_blocks, false},
    Probe{"sockets", probe_sockets, true},
    Probe{"ring of small messages", probe_small_message_ring, false},
    Probe{"switches and wake-ups", probe_switches, false},
    Probe{"barriers of counters", probe_counter_barrier, false},
    Probe{"barriers, each timed", probe_timed_counter_barrier, false},
};

struct LimitsOptions {
    std::string json_file;
    double scale = 1.0;
    int runs = 3;
    bool yardsticks = false;
};

struct Figure {
    std::string name;
    std::optional<double> key;
    std::string unit;
    double best;

    // A limit is what the machine can do when nothing disturbs it.
    void take(double value)
    {
        const bool more_is_better = unit.find("/s") != std::string::npos;
        best = more_is_better ? std::max(best, value) : std::min(best, value);
    }
};

std::vector<Figure> best_of(const Probe& probe, int runs, ProbeScale scale)
{
    std::vector<Figure> figures;
    for (int run = 0; run < runs; ++run) {
        // A probe tells its figures in the same order in every run.
        std::size_t next = 0;
        probe.run(
            [&](const std::string& name, std::optional<double> key, double value, const std::string& unit) {
                if (run == 0)
                    figures.push_back({name, key, unit, value});
                figures.at(next++).take(value);
            },
            scale);
    }
    return figures;
}

void print(const std::vector<Figure>& figures)
{
    for (const Figure& figure : figures)
        fmt::print("{:<34}{:>10}{:>16.3f} {}\n", figure.name,
                   figure.key ? fmt::format("{:.0f}", *figure.key) : "-", figure.best, figure.unit);
    std::fflush(stdout);
}

std::ofstream opened(const std::string& file)
{
    std::ofstream stream(file);
    if (!stream)
        throw std::runtime_error(fmt::format("--json: cannot write '{}'", file));
    return stream;
}

void measure(const LimitsOptions& options)
{
    std::ofstream file;
    if (!options.json_file.empty())
        file = opened(options.json_file);
    const auto [first, second] = two_cores();
    fmt::print("# Limits of this machine: two processes on cores {} and {}, best of {} runs\n", first, second,
               options.runs);
    fmt::print("# {:<32}{:>10}{:>16} {}\n", "Limit", "Key", "Value", "Unit");
    nlohmann::json document = {{"format", "tutti-bench-limits"},
                               {"version", kFormatVersion},
                               {"environment", environment()},
                               {"limits", nlohmann::json::array()}};
    const auto wanted = [&](const Probe& probe) { return probe.yardstick || !options.yardsticks; };
    ProgressLine progress(static_cast<int>(std::ranges::count_if(kProbes, wanted)));
    for (const Probe& probe : kProbes) {
        if (!wanted(probe))
            continue;
        progress.next(probe.name);
        const std::vector<Figure> figures = best_of(probe, options.runs, {options.scale});
        progress.erase();
        print(figures);
        for (const Figure& figure : figures) {
            const nlohmann::json key = figure.key ? nlohmann::json(*figure.key) : nlohmann::json();
            document["limits"].push_back(
                {{"name", figure.name}, {"unit", figure.unit}, {"key", key}, {"value", figure.best}});
        }
    }
    if (file.is_open() && !(file << document.dump(2) << '\n' << std::flush))
        throw std::runtime_error(fmt::format("--json: cannot write '{}'", options.json_file));
}

}  // namespace

int run_limits(int argc, const char* const* argv)
{
    CLI::App app{"What this machine's memory, caches, kernel and scheduler allow."};
    app.footer(kLimitsExamples);
    LimitsOptions options;
    app.add_option("--json", options.json_file, "Also write the figures to this file")->type_name("FILE");
    app.add_option("-r,--runs", options.runs, "How often, of which the best counts (3)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--scale", options.scale, "Longer or shorter loops: 1 is usual, 0.01 quick and rough")
        ->check(CLI::Range(1e-6, 1000.0));
    app.add_flag("--yardsticks", options.yardsticks, "Only what comparisons measure libraries by");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    measure(options);
    return 0;
}

}  // namespace tutti::bench
