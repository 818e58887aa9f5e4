// The suite's loops over Gloo, started by tuttirun: the same options, the same output.
#include <exception>

#include "benchmarks/gloo/gloo_backend.hpp"
#include "benchmarks/suite/collectives/collective_loops.hpp"
#include "benchmarks/suite/session/run_session.hpp"

namespace {

using namespace tutti::bench;

int run_job(tutti::bootstrap::Bootstrap& bootstrap, const SuiteCommandLine& command)
{
    GlooBackend job(bootstrap);
    int status = command.status;
    if (command.message.empty())
        status = run_session(job, command.options, [&](Session<GlooBackend>& session) {
            if (session.benchmark().group != Group::collective)
                throw NotOffered("it has blocking collectives only");
            collectives(session);
        });
    else if (job.rank() == 0)
        command.say();
    job.barrier();  // no rank leaves with an error before it has been said
    return status;
}

}  // namespace

int main(int argc, char** argv)
{
    const SuiteCommandLine command = parse_command_line(argc, argv, false);
    const auto bootstrap = tutti::bootstrap::connect_to_job();
    try {
        const int status = run_job(*bootstrap, command);
        bootstrap->finalize();
        return status;
    } catch (const std::exception& error) {
        bootstrap->abort(1, error.what());
    }
}
