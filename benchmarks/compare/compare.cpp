#include "benchmarks/compare/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "benchmarks/compare/campaign.hpp"

namespace tutti::bench {

namespace {

void add_what(CLI::App& app, CompareOptions& options)
{
    app.add_option(
        "BENCHMARK", options.choice.benchmarks,
        "What to compare: benchmarks of the suite, and 'launch', an empty program from start to end; "
        "without any, all of them");
    app.add_option("--peers", options.peers, "Of openmpi, mpich, gloo (all that are installed), or none")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"openmpi", "mpich", "gloo", "none"}));
    app.add_option("--ranks", options.choice.ranks, "Numbers of ranks (2,8; over hosts one and two on each)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, 100000));
    app.add_option("-m,--message-size", options.choice.sizes, "MIN:MAX or MAX, bytes (each benchmark's own)")
        ->type_name("SIZES");
    app.add_option("--growth", options.choice.growth, "From each size to the next: by this factor (8)")
        ->check(CLI::Range(2, 1000000));
    app.add_option("--memory", options.choice.memory, "Buffers of the 'library' or of 'malloc'")
        ->check(CLI::IsMember({"library", "malloc"}));
    app.add_option("--pass", options.choice.passed,
                   "A word for every run of the suite: --pass=--mode --pass=wildcard")
        ->type_name("WORD")
        ->allow_extra_args(false);
    app.add_option("-H,--hosts", options.choice.hosts.names, "On these hosts, of which this one is the first")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--interface", options.choice.hosts.interface, "By which the hosts reach each other")
        ->needs("--hosts");
}

void add_how(CLI::App& app, CompareOptions& options)
{
    app.add_option("-r,--repetitions", options.thoroughness.rounds, "Interleaved runs of each (5)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--seconds", options.choice.seconds, "That a row of a run may take (0.1)")
        ->check(CLI::Range(0.001, 86400.0));
    app.add_option("--precision", options.choice.precision,
                   "... or until its median is known to so many % (1)")
        ->check(CLI::Range(0.001, 1000.0));
    app.add_option("-i,--iterations", options.choice.iterations, "Exactly so many instead")
        ->check(CLI::Range(1, 1000000000));
    app.add_option("-x,--warmup", options.choice.warmup, "Exactly so many untimed ones before them")
        ->check(CLI::Range(0, 1000000000));
    app.add_option("--timeout", options.thoroughness.timeout_seconds, "Seconds that one run may take (30)")
        ->check(CLI::Range(0.1, 86400.0));
    app.add_flag("--goals", options.goals,
                 "Also show which ratios Tutti promises, and whether it keeps them");
    app.add_flag("--quick", options.choice.quick, "Only whether everything runs: one round, few sizes");
    app.add_option("--json", options.json_file, "Write every run to this file, case by case")
        ->type_name("FILE");
}

constexpr const char* kExamples =
    "Examples:\n"
    "  build/benchmarks/tutti-bench compare --json all.json                          the whole suite\n"
    "  build/benchmarks/tutti-bench compare --peers openmpi,mpich --ranks 2 latency allreduce -m 8:1048576\n"
    "  build/benchmarks/tutti-bench compare matching --pass=--mode --pass=unexpected\n"
    "  build/benchmarks/tutti-bench compare --hosts a,b --interface eth0 latency bw  over the network\n"
    "  build/benchmarks/tutti-bench compare --quick                                  whether everything "
    "runs\n"
    "Start it without a launcher, and let nothing else run meanwhile. Exit status: 0, whoever is faster; 1 "
    "when a run\n"
    "failed (a peer that takes too long, or lacks a benchmark, has a dash instead); 2 for a mistake of the "
    "command "
    "line.";

}  // namespace

int run_compare(int argc, const char* const* argv)
{
    CLI::App app{
        "Runs benchmarks for Tutti and its peers, interleaved, each on its own, and says how they compare.",
        "tutti-bench compare"};
    app.footer(kExamples);
    CompareOptions options;
    options.command = {"tutti-bench", "compare"};
    options.command.insert(options.command.end(), argv + 1, argv + argc);
    add_what(app, options);
    add_how(app, options);
    try {
        app.parse(argc, argv);
        return compare(options);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const PlanError& error) {
        fmt::print(stderr, "tutti-bench compare: {}\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "tutti-bench compare: {}\n", error.what());
        return 1;
    }
}

}  // namespace tutti::bench
