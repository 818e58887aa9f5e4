// launch-bench: from the start of the launcher to its end, for a program that joins the job and leaves it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "benchmarks/launch/launch_timing.hpp"
#include "benchmarks/suite/result_file.hpp"
#include "benchmarks/suite/statistics.hpp"

namespace {

using namespace tutti::bench;

struct LaunchOptions {
    std::vector<int> ranks{2, 64};
    int repetitions = 10;
    double timeout_seconds = 120.0;
    std::optional<std::vector<std::string>> peers;
    std::string json_file;
};

// Prints a row for each number of ranks and library; one that failed has none.
int run(const LaunchOptions& options)
{
    const std::vector<Contender> contenders = find_contenders(options.peers);
    nlohmann::json document = {{"benchmark", "launch"}, {"unit", "ms"}, {"results", nlohmann::json::array()}};
    check_writable("--json", options.json_file);
    bool good = true;
    fmt::print("# Launch to finished finalize of an empty program, median of {}\n", options.repetitions);
    fmt::print("# {:<8}{:<12}{:>14}{:>10}\n", "Ranks", "Library", "Time (ms)", "Spread");
    for (const int ranks : options.ranks) {
        const auto all = time_launches(contenders, ranks, {}, options.repetitions, options.timeout_seconds);
        for (const Contender& contender : contenders) {
            if (!contender.offers("launch"))
                continue;
            const auto found = all.find(contender.name);
            const bool complete =
                found != all.end() && found->second.size() == static_cast<std::size_t>(options.repetitions);
            good = good && complete;
            if (!complete)
                continue;
            std::vector<double> milliseconds = found->second;
            for (double& time : milliseconds)
                time *= 1000;
            fmt::print("{:<10}{:<12}{:>14.2f}{:>8.0f} %\n", ranks, contender.name, median(milliseconds),
                       100 * relative_spread(milliseconds));
            std::fflush(stdout);
            document["results"].push_back({{"ranks", ranks},
                                           {"library", contender.name},
                                           {"value", median(milliseconds)},
                                           {"repetitions", milliseconds}});
        }
        write_result("--json", options.json_file, document.dump(2) + "\n");
    }
    return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app{"Times launchers with a program that joins the job and leaves it, interleaved."};
    app.footer(
        "Examples:\n"
        "  build/benchmarks/launch-bench\n"
        "  build/benchmarks/launch-bench --ranks 2,8,64 -r 20 --peers mpich --json launch.json\n"
        "Exit status: 0; 1 when a launch failed or took too long.");
    LaunchOptions options;
    app.add_option("--ranks", options.ranks, "Numbers of ranks")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, 100000));
    app.add_option("-r,--repetitions", options.repetitions, "Timed launches of each")
        ->check(CLI::Range(1, 100000));
    app.add_option("--timeout", options.timeout_seconds, "Seconds that one launch may take")
        ->check(CLI::Range(0.1, 86400.0));
    app.add_option("--peers", options.peers, "Of openmpi and mpich, beside Tutti (all that are installed)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"openmpi", "mpich"}));
    app.add_option("--json", options.json_file, "Also write every launch to this file");
    try {
        app.parse(argc, argv);
        return run(options);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "launch-bench: {}\n", error.what());
        return 1;
    }
}
