// tutti-bench: the suite over Tutti's own interface, and the probes that need no job.
#include <exception>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/suite/matching_in_process.hpp"
#include "benchmarks/suite/suite.hpp"
#include "benchmarks/suite/tutti_backend.hpp"
#include "benchmarks/tune/tune.hpp"

namespace {

using namespace tutti::bench;

// As a rank of a job. Help and complaints come from one rank, however many read the same command line.
int run_job(int argc, char** argv, const CommandLine& command)
{
    tutti::Environment environment(argc, argv);
    if (command.message.empty() && command.options.benchmark == "tune")
        return run_tune(environment.world(), command.options);
    TuttiBackend job(environment.world());
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
    try {
        const CommandLine command = parse_command_line(argc, argv, true);
        const Options& options = command.options;
        if (command.message.empty() && options.benchmark == "limits")
            return run_limits(options);
        if (command.message.empty() && options.benchmark == "matching" && options.sources > 0)
            return run_matching_in_process(options);
        return run_job(argc, argv, command);
    } catch (const std::exception& error) {
        fmt::print(stderr, "tutti-bench: {}\n", error.what());
        return 1;
    }
}
