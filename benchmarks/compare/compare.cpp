#include "benchmarks/compare/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <stdexcept>

#include "benchmarks/compare/campaign.hpp"
#include "lib/foundation/network/host_list.hpp"

namespace tutti::bench {

namespace {

std::vector<PeerName> peers_of(const std::vector<std::string>& words)
{
    std::vector<PeerName> peers;
    for (const std::string& word : words) {
        if (word == "none" && words.size() == 1)
            break;
        try {
            peers.push_back(parse_peer(word));
        } catch (const std::invalid_argument& error) {
            throw CLI::ValidationError("--peers", error.what());
        }
    }
    return peers;
}

std::vector<std::string> host_names_in(const std::string& list)
{
    try {
        return network::expand_host_list(list);
    } catch (const std::invalid_argument& error) {
        throw CLI::ValidationError("--hosts", error.what());
    }
}

void add_what(CLI::App& app, CompareOptions& options)
{
    app.add_option(
        "BENCHMARK", options.choice.benchmarks,
        "What to compare: benchmarks of the suite, and 'launch', an empty program from start to end; "
        "without any, all of them");
    app.add_option_function<std::vector<std::string>>(
           "--peers", [&options](const std::vector<std::string>& words) { options.peers = peers_of(words); },
           "Of openmpi, mpich, gloo, or none; with settings that suit one host: openmpi:tuned; an MPI by the "
           "folder that it was installed to: /opt/mpich, openmpi:/opt/ompi:tuned (all that were there when "
           "Tutti was built, as they are and tuned)")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--ranks", options.choice.ranks, "Numbers of ranks (2,8; over hosts one and two on each)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, 100000));
    app.add_option("-m,--message-size", options.choice.sizes, "MIN:MAX or MAX, bytes (each benchmark's own)")
        ->type_name("SIZES");
    app.add_option("--growth", options.choice.growth, "From each size to the next: by this factor (8)")
        ->check(CLI::Range(2, 1000000));
    app.add_option("--memory", options.choice.memory,
                   "Buffers of 'malloc'; of the 'library' (tutti::allocate, MPI_Alloc_mem); or of malloc and "
                   "Tutti's of 'both', beside each other (both)")
        ->check(CLI::IsMember({"both", "malloc", "library"}));
    app.add_flag("--touch", options.choice.touch,
                 "Buffers are written before each iteration and read after it, within its time");
    app.add_option("--folder", options.choice.folder,
                   "Where files are made ($TMPDIR, or /tmp), in a folder of their own that is removed")
        ->type_name("FOLDER")
        ->check(CLI::ExistingDirectory);
    app.add_option("--pass", options.choice.passed,
                   "A word for every run of the suite: --pass=--mode --pass=wildcard")
        ->type_name("WORD")
        ->allow_extra_args(false);
    app.add_option_function<std::string>(
           "-H,--hosts", [&](const std::string& list) { options.choice.hosts.names = host_names_in(list); },
           "On these hosts, of which this one is the first: a,b or node[01-04]")
        ->type_name("HOSTS");
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

constexpr const char* kCompareExamples =
    "Examples:\n"
    "  build/benchmarks/tutti-bench compare --json all.json                          the whole suite\n"
    "  build/benchmarks/tutti-bench compare --peers openmpi:tuned,mpich:tuned --ranks 2 latency allreduce\n"
    "  build/benchmarks/tutti-bench compare --peers /opt/openmpi-5:tuned,/opt/mpich-5:tuned --goals\n"
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
    app.footer(kCompareExamples);
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
