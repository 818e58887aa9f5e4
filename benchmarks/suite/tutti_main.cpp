// tutti-bench: the suite over Tutti's own interface, and the probes that need no job.
#include <exception>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/suite/matching_in_process.hpp"
#include "benchmarks/suite/suite.hpp"
#include "benchmarks/suite/tutti_backend.hpp"

namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  tuttirun -n 2 --bind-to core build/benchmarks/tutti-bench latency -m 1:4194304 -i 1000 -x 100\n"
    "  tuttirun -n 2 --bind-to core build/benchmarks/tutti-bench bw -W 64 -r 5 --json bw.json\n"
    "  tuttirun -n 8 build/benchmarks/tutti-bench allreduce -c -f -m 4:1048576\n"
    "  tuttirun -n 2 build/benchmarks/tutti-bench matching --depth 10,10000 --mode unexpected\n"
    "  build/benchmarks/tutti-bench matching --sources 100\n"
    "  build/benchmarks/tutti-bench limits\n"
    "Exit status: 0; 1 when a checked byte was wrong (-c); 2 for a command line or a job that does not suit.";

int run_job(int argc, char** argv, const tutti::bench::Options& options)
{
    tutti::Environment environment(argc, argv);
    tutti::bench::TuttiBackend job(environment.world());
    return tutti::bench::run_suite(job, options);
}

// Help and complaints come once, however many ranks read the same command line.
int complain(int argc, char** argv, const CLI::App& app, const CLI::ParseError& error)
{
    tutti::Environment environment(argc, argv);
    if (environment.world().rank() == 0)
        app.exit(error);
    return error.get_exit_code() == 0 ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv)
{
    using namespace tutti::bench;
    CLI::App app{"Benchmarks of Tutti, in the manner and with the output of OSU's."};
    app.footer(kExamples);
    Options options;
    add_commands(app, options, true);
    try {
        app.parse(argc, argv);
        if (options.benchmark == "limits")
            return run_limits(options);
        if (options.benchmark == "matching" && options.sources > 0)
            return run_matching_in_process(options);
        return run_job(argc, argv, options);
    } catch (const CLI::ParseError& error) {
        return complain(argc, argv, app, error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "tutti-bench: {}\n", error.what());
        return 1;
    }
}
