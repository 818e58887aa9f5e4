// tuttirun: starts the ranks of a job and stays with them to the end.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/descriptors.hpp"
#include "launcher/base/roomy_stack.hpp"
#include "launcher/command_line/command_line.hpp"
#include "launcher/daemon/daemon.hpp"
#include "launcher/daemon/local_daemon.hpp"
#include "launcher/doctor/doctor.hpp"
#include "launcher/head/head.hpp"
#include "launcher/hosts/hosts.hpp"
#include "launcher/ranks/launcher_signals.hpp"
#include "launcher/report/status_socket.hpp"
#include "launcher/top/top.hpp"
#include "lib/foundation/base/needed_calls.hpp"
#include "lib/foundation/base/say.hpp"

namespace {

using namespace tutti::launcher;

/// No other descriptor may become 0, 1 or 2 where the shell has closed those.
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

/// Nobody may read it: a signal must end this process then.
void complain(const std::string& words)
{
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    tutti::base::say("tuttirun: " + words + "\n");
}

int run(const JobOptions& options)
{
    const InheritedState inherited = take_over_process();
    JobHosts found = job_hosts(options);
    HeadPlan plan{tutti::security::Key::random(), std::move(found.hosts), {}, {}};
    const std::vector<Host>& hosts = plan.hosts;
    if (!std::ranges::all_of(hosts, &Host::local))
        plan.method = start_method(options, std::move(found.agent));
    // The daemon of this machine, where that is a host of the job.
    std::optional<LocalDaemon> daemon;
    if (const auto local = std::ranges::find_if(hosts, &Host::local); local != hosts.end()) {
        daemon.emplace(static_cast<int>(local - hosts.begin()), plan.key, inherited);
        plan.local_daemon = daemon->take_stream();
    }
    if (options.doctor)
        return doctor::Doctor(options, hosts, std::move(plan.method), plan.key, std::move(plan.local_daemon),
                              inherited)
            .run();
    Head head(options, std::move(plan), inherited);
    const int status = head.run();
    if (daemon)
        daemon->wait(head.local_daemon_timeout());
    if (head.output_is_stuck())
        ::_exit(status);
    return status;
}

int run_words(int argc, char** argv)
{
    if (argc == 2 && std::string_view(argv[1]) == "--daemon")
        return run_remote_daemon();
    try {
        const JobOptions options = parse_command_line(argc, argv);
        if (!options.status_of && !options.top_of)
            return run(options);
        if (options.top_of)
            show_top(*options.top_of);
        else
            show_status(*options.status_of);
        return 0;
    } catch (const EarlyExit& exit) {
        return exit.status;
    } catch (const UsageError& error) {
        complain(error.what());
        return kUsageStatus;
    } catch (const std::exception& error) {
        complain(describe(error));
        return 1;
    }
}

}  // namespace

int main(int argc, char** argv)
{
    open_standard_descriptors();
    if (const auto denied = tutti::base::denied_calls(tutti::base::Caller::launcher)) {
        tutti::base::say_without_write(fmt::format("tuttirun: {}\n", *denied));
        return 1;
    }
    return run_with_room([&] { return run_words(argc, argv); });
}
