// The suite over a peer's mpi.h: the same loops, the same options, the same output.
#include <exception>
#include <string_view>

#include "benchmarks/mpi/mpi_backend.hpp"
#include "benchmarks/suite/suite.hpp"

int main(int argc, char** argv)
{
    using namespace tutti::bench;
    const double begin = now_us();
    const SuiteCommandLine command = parse_command_line(argc, argv, false);
    const Benchmark* const entry = command.options.entry;
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(
        &argc, &argv,
        entry != nullptr && entry->group == Group::threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    if (entry != nullptr && entry->name == std::string_view("hello"))
        MPI_Barrier(MPI_COMM_WORLD);
    MpiBackend job({now_us() - begin, level == MPI_THREAD_MULTIPLE});
    int status = command.status;
    try {
        if (command.message.empty())
            status = run_suite(job, command.options);
        else if (job.rank() == 0)
            command.say();
        job.barrier();  // no rank leaves with an error before it has been said
    } catch (const std::exception& error) {
        fmt::print(stderr, "peer-bench: {}\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return status;
}
