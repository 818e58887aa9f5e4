#include "launcher/launcher_signals.hpp"

#include <sys/signalfd.h>

#include <cerrno>
#include <system_error>

namespace tutti::launcher {

InheritedState take_over_process()
{
    InheritedState inherited{};
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &inherited.signal_mask);
    ::signal(SIGPIPE, SIG_IGN);
    ::getrlimit(RLIMIT_NOFILE, &inherited.open_files);
    rlimit raised = inherited.open_files;
    raised.rlim_cur = raised.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &raised);
    return inherited;
}

UniqueFd open_launcher_signals(const std::vector<int>& forwarded)
{
    sigset_t set;
    sigemptyset(&set);
    std::vector<int> signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2};
    signals.insert(signals.end(), forwarded.begin(), forwarded.end());
    for (const int signal : signals) {
        struct sigaction action {};
        // A blocked signal would come through the descriptor even where it is ignored.
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(&set, signal);
        }
    }
    UniqueFd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd) {
        throw std::system_error(errno, std::generic_category(), "signalfd");
    }
    return fd;
}

}  // namespace tutti::launcher
