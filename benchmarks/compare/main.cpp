// tutti-compare: Tutti beside Open MPI and MPICH, the same loops on the same machine at the same time.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "benchmarks/compare/table.hpp"
#include "benchmarks/peers/json_output.hpp"

namespace {

using namespace tutti::bench;

struct CompareOptions {
    std::vector<std::string> only;
    std::vector<std::string> libraries;
    Thoroughness thoroughness{5, 300.0, false};
    bool all = false;
    Hosts hosts;
    std::string json_file;
};

std::string processor()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name"))
            return line.substr(std::min(line.find(": ") + 2, line.size()));
    }
    return "unknown";
}

nlohmann::json machine()
{
    utsname names{};
    uname(&names);
    return {{"processor", processor()},
            {"cores", std::thread::hardware_concurrency()},
            {"kernel", names.release}};
}

// In the order of all_cases(), whatever the order on the command line.
std::vector<Case> chosen_cases(const CompareOptions& options)
{
    std::vector<Case> chosen;
    for (const Case& one : all_cases()) {
        const bool named =
            std::find(options.only.begin(), options.only.end(), one.name) != options.only.end();
        if (one.over_hosts == options.hosts.names.empty())
            continue;
        if (named || (options.only.empty() && (one.by_default || options.all)))
            chosen.push_back(one);
    }
    return chosen;
}

std::vector<std::string> case_names()
{
    std::vector<std::string> names;
    for (const Case& one : all_cases())
        names.push_back(one.name);
    return names;
}

int run(const CompareOptions& options)
{
    nlohmann::json document = {{"machine", machine()},
                               {"repetitions", options.thoroughness.repetitions},
                               {"quick", options.thoroughness.quick},
                               {"cases", nlohmann::json::array()}};
    write_json(options.json_file, document);
    const std::vector<Contender> contenders = find_contenders(options.libraries);
    fmt::print(
        "# {}, {} cores. Median of {} interleaved runs; spread: widest (largest - smallest) / median;\n"
        "# ratio: Tutti / better peer\n",
        processor(), std::thread::hardware_concurrency(),
        options.thoroughness.quick ? 1 : options.thoroughness.repetitions);
    Score score;
    int failures = 0;
    for (const Case& one : chosen_cases(options)) {
        const Rows rows = measure_case(one, contenders, options.hosts, options.thoroughness, failures);
        report_case(one, contenders, rows, document, score);
        write_json(options.json_file, document);
    }
    fmt::print("\n# {} of {} goals met; {} runs failed{}\n", score.met, score.goals, failures,
               options.thoroughness.quick ? " (--quick: the figures mean nothing)" : "");
    return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app{
        "Compares Tutti with Open MPI and MPICH: the same loops, interleaved, with the goals for Tutti."};
    app.footer(
        "Examples:\n"
        "  build/benchmarks/tutti-compare --json results.json\n"
        "  build/benchmarks/tutti-compare --only latency,bw,rate -r 9\n"
        "  build/benchmarks/tutti-compare --hosts a,b --interface eth0      over the network\n"
        "  build/benchmarks/tutti-compare --quick        whether everything runs; the figures mean nothing\n"
        "Let nothing else run meanwhile. Exit status: 0 whether or not goals are met; 1 when a run failed.");
    CompareOptions options;
    app.add_option("--only", options.only, "Cases to run")
        ->delimiter(',')
        ->check(CLI::IsMember(case_names()));
    app.add_option("--libraries", options.libraries, "Of tutti, openmpi, mpich")->delimiter(',');
    app.add_option("-r,--repetitions", options.thoroughness.repetitions, "Interleaved runs of each")
        ->check(CLI::Range(1, 1000));
    app.add_option("--timeout", options.thoroughness.timeout_seconds, "Seconds that one run may take")
        ->check(CLI::Range(0.1, 86400.0));
    app.add_option(
           "-H,--hosts", options.hosts.names,
           "The cases over hosts, on these: two, of which this one is the first; hosts-launch takes more")
        ->delimiter(',');
    app.add_option("--interface", options.hosts.interface, "By which the hosts reach each other")
        ->needs("--hosts");
    app.add_flag("--all", options.all, "Also the cases without goals: collectives, bibw, more of matching");
    app.add_flag("--quick", options.thoroughness.quick, "One run with few iterations of each");
    app.add_option("--json", options.json_file, "Write every run to this file");
    try {
        app.parse(argc, argv);
        return run(options);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "tutti-compare: {}\n", error.what());
        return 1;
    }
}
