#include "benchmarks/limits/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "benchmarks/limits/pair.hpp"
#include "benchmarks/suite/statistics.hpp"

namespace tutti::bench {

namespace {

// The best of several runs: a limit is what the machine can do when nothing disturbs it. All runs go to the
// file.
constexpr int kRuns = 3;

struct Figure {
    std::string probe;
    std::string parameter;
    std::string unit;
    std::vector<double> values;

    double best() const
    {
        const bool more_is_better = unit.find("/s") != std::string::npos;
        return more_is_better ? *std::max_element(values.begin(), values.end())
                              : *std::min_element(values.begin(), values.end());
    }
};

void print_group(const std::vector<Figure>& group)
{
    for (const Figure& figure : group)
        fmt::print("{:<44}{:>10}{:>14.3f} {}\n", figure.probe, figure.parameter, figure.best(), figure.unit);
    std::fflush(stdout);
}

}  // namespace

int run_limits(const Options& options)
{
    const Effort effort{options.iterations.value_or(1000) / 1000.0};
    std::ofstream file;
    if (!options.json_file.empty()) {
        file.open(options.json_file);
        if (!file)
            throw std::runtime_error(fmt::format("--json: cannot write '{}'", options.json_file));
    }
    const auto [first, second] = two_cores();
    fmt::print("# Limits of this machine: two processes on cores {} and {}, best of {} runs\n", first, second,
               kRuns);
    fmt::print("# {:<42}{:>10}{:>14} {}\n", "Probe", "Parameter", "Value", "Unit");

    nlohmann::json document = {{"benchmark", "limits"}, {"results", nlohmann::json::array()}};
    for (const auto probe :
         {probe_cache_line, probe_small_message_ring, probe_shared_copy, probe_copy_pipeline,
          probe_process_vm_readv, probe_switches, probe_counter_barrier, probe_sockets}) {
        std::vector<Figure> group;
        for (int run = 0; run < kRuns; ++run) {
            // A probe tells its figures in the same order in every run.
            std::size_t next = 0;
            probe(
                [&](const std::string& name, const std::string& parameter, double value,
                    const std::string& unit) {
                    if (run == 0)
                        group.push_back({name, parameter, unit, {}});
                    group.at(next++).values.push_back(value);
                },
                effort);
        }
        print_group(group);
        for (const Figure& figure : group)
            document["results"].push_back({{"probe", figure.probe},
                                           {"parameter", figure.parameter},
                                           {"unit", figure.unit},
                                           {"value", figure.best()},
                                           {"median", median(figure.values)},
                                           {"repetitions", figure.values}});
    }
    if (file.is_open())
        file << document.dump(2) << '\n';
    return 0;
}

}  // namespace tutti::bench
