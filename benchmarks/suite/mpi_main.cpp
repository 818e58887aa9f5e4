// The suite over a peer's mpi.h: the same loops, the same options, the same output.
#include <exception>

#include "benchmarks/suite/mpi_backend.hpp"
#include "benchmarks/suite/suite.hpp"

int main(int argc, char** argv)
{
    using namespace tutti::bench;
    CLI::App app{"The loops of tutti-bench over MPI, for comparison."};
    Options options;
    add_commands(app, options, false);

    MPI_Init(&argc, &argv);
    MpiBackend job;
    int status = 0;
    try {
        app.parse(argc, argv);
        status = run_suite(job, options);
    } catch (const CLI::ParseError& error) {
        status = error.get_exit_code() == 0 ? 0 : 2;
        if (job.rank() == 0)
            app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "peer-bench: {}\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return status;
}
