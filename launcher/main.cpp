// tuttirun: starts the ranks of a job and stays with them to the end.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include <fmt/format.h>

#include "launcher/describe.hpp"
#include "launcher/head.hpp"
#include "launcher/hosts.hpp"
#include "launcher/launcher_signals.hpp"
#include "launcher/local_daemon.hpp"
#include "launcher/mapping.hpp"
#include "launcher/options.hpp"
#include "launcher/this_host.hpp"
#include "launcher/topology.hpp"

namespace {

using namespace tutti::launcher;

/// A descriptor of ours must not become 0, 1 or 2 because the shell closed those.
void open_standard_descriptors()
{
    while (true) {
        const int fd = ::open("/dev/null", O_RDWR);
        if (fd < 0 || fd > STDERR_FILENO) {
            ::close(fd);
            return;
        }
    }
}

int run_job(const Options& options)
{
    const InheritedState inherited = take_over_process();
    LocalDaemon daemon(inherited);
    const std::vector<Host> hosts = job_hosts(options);
    if (hosts.size() > 1 || !hosts.front().local) {
        throw UsageError(
            fmt::format("host '{}' is not this machine ({})", hosts.back().name, local_host_name()));
    }
    const std::vector<Topology> topologies = {Topology::detect()};
    const JobMap map = map_job(options, hosts, topologies);
    if (options.display_map) {
        fmt::print("{}", describe_map(options, map));
        std::fflush(stdout);
    }
    if (options.report_bindings) {
        fmt::print(stderr, "{}", describe_bindings(map, topologies));
    }
    Head head(options, map, daemon.take_stream());
    const int status = head.run();
    if (head.output_is_stuck()) {
        daemon.wait();
        ::_exit(status);
    }
    return status;
}

}  // namespace

int main(int argc, char** argv)
{
    open_standard_descriptors();
    try {
        return run_job(parse_command_line(argc, argv));
    } catch (const EarlyExit& exit) {
        return exit.status;
    } catch (const UsageError& error) {
        fmt::print(stderr, "tuttirun: {}\n", error.what());
        return kUsageStatus;
    } catch (const std::exception& error) {
        fmt::print(stderr, "tuttirun: {}\n", error.what());
        return 1;
    }
}
