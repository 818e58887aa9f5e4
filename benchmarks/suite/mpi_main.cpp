// The suite over a peer's mpi.h: the same loops, the same options, the same output.
#include <exception>

#include "benchmarks/suite/mpi_backend.hpp"
#include "benchmarks/suite/suite.hpp"

int main(int argc, char** argv)
{
    using namespace tutti::bench;
    const CommandLine command = parse_command_line(argc, argv, false);
    MPI_Init(&argc, &argv);
    MpiBackend job;
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
