// tutti-bench: the suite over Tutti's own interface, and the probes that need no job.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/compare/compare.hpp"
#include "benchmarks/diff/diff.hpp"
#include "benchmarks/limits/limits.hpp"
#include "benchmarks/plot/plot.hpp"
#include "benchmarks/report/report_command.hpp"
#include "benchmarks/suite/suite.hpp"
#include "benchmarks/tune/tune.hpp"
#include "benchmarks/tutti/matching_in_process.hpp"
#include "benchmarks/tutti/tutti_backend.hpp"
#include "lib/foundation/control/rank_numbers.hpp"

namespace {

using namespace tutti::bench;

// Tools that need no job and read their own options.
constexpr Tool kTools[] = {
    {"compare", "Tutti beside Open MPI, MPICH and Gloo, interleaved (start it without a launcher)",
     run_compare},
    {"diff", "What got slower from one file of results to another: a gate", run_diff},
    {"limits", "What this machine's memory, caches, sockets and scheduler allow", run_limits},
    {"plot", "Pictures of runs and comparisons, by gnuplot", run_plot},
    {"report", "Runs and comparisons as one HTML page, or as Markdown", run_report},
};

int number_of(const char* variable)
{
    const char* value = std::getenv(variable);
    return value == nullptr ? 0 : std::atoi(value);
}

struct Place {
    int rank = 0;
    int size = 1;
};

// This process's place in the job of a launcher that speaks no PMIx.
Place place_by_variables()
{
    static constexpr std::pair<const char*, const char*> kNames[] = {
        {"PMI_RANK", "PMI_SIZE"},
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    for (const auto& [rank, size] : kNames) {
        if (number_of(size) > 1 && !tutti::control::are_rank_numbers_of_tutti(rank, size))
            return {number_of(rank), number_of(size)};
    }
    return {};
}

// Several processes of a tool would disturb each other's figures and write one file. Says so once.
bool refused_in_job(const std::string& name, int argc, char** argv)
{
    const auto say = [&](Place place) {
        if (place.rank == 0 && place.size > 1)
            fmt::print(stderr, "{}: a launcher has started {} of it; start it once, without a launcher\n",
                       name, place.size);
        return place.size > 1;
    };
    if (std::getenv("PMIX_NAMESPACE") == nullptr)
        return say(place_by_variables());
    tutti::Environment environment(argc, argv);
    const bool refused = say({environment.world().rank(), environment.world().size()});
    environment.world().barrier();  // the first process to leave may end the job: not before it is said
    return refused;
}

int run_tool(const Tool& tool, int argc, char** argv)
{
    const std::string name = fmt::format("tutti-bench {}", tool.name);
    if (refused_in_job(name, argc, argv))
        return 2;
    std::vector<const char*> arguments(argv + 1, argv + argc);
    arguments.front() = name.c_str();
    return tool.run(argc - 1, arguments.data());
}

// Runs as a rank of a job. Help and complaints come from one rank, however many read the command line.
int run_job(int argc, char** argv, const SuiteCommandLine& command, double begin_us)
{
    const Benchmark* const entry = command.options.entry;
    const bool threads = entry != nullptr && entry->group == Group::threads;
    tutti::Environment environment(
        argc, argv, {.threads = threads ? tutti::ThreadLevel::multiple : tutti::ThreadLevel::funneled});
    if (command.message.empty() && command.options.benchmark == "tune")
        return run_tune(environment.world(), command.options);
    if (entry != nullptr && entry->name == std::string_view("hello"))
        environment.world().barrier();
    TuttiBackend job(environment.world(), {now_us() - begin_us, threads});
    if (command.message.empty())
        return run_suite(job, command.options);
    if (job.rank() == 0)
        command.say();
    job.barrier();  // a rank that leaves with an error may end the job: not before it has been said
    return command.status;
}

}  // namespace

int main(int argc, char** argv)
{
    const double begin_us = now_us();
    try {
        for (const Tool& tool : kTools) {
            if (argc > 1 && std::string_view(tool.name) == argv[1])
                return run_tool(tool, argc, argv);
        }
        const SuiteCommandLine command = parse_command_line(argc, argv, true, kTools);
        const SuiteOptions& options = command.options;
        if (command.message.empty() && options.benchmark == "matching" && options.sources > 0)
            return run_matching_in_process(options);
        return run_job(argc, argv, command, begin_us);
    } catch (const std::exception& error) {
        fmt::print(stderr, "tutti-bench: {}\n", error.what());
        return 1;
    }
}
