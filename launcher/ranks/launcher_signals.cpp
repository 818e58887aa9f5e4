#include "launcher/ranks/launcher_signals.hpp"

#include <sys/signalfd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace tutti::launcher {

namespace {

/// What ends a process that does nothing about it, and is none of the user's ways to end or steer a job: an
/// abort, a fault, an alarm that was set before the launcher was executed, a limit of processor time. Whoever
/// sends one gets what it does to any program.
constexpr std::array kDeadlySignals = {SIGABRT, SIGBUS,  SIGFPE,    SIGILL,  SIGSEGV, SIGSYS,   SIGTRAP,
                                       SIGALRM, SIGPROF, SIGVTALRM, SIGXCPU, SIGIO,   SIGSTKFLT};

}  // namespace

InheritedState take_over_process()
{
    InheritedState inherited{};
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int signal : kDeadlySignals)
        sigdelset(&blocked, signal);
    ::sigprocmask(SIG_SETMASK, &blocked, &inherited.signal_mask);
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
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&set, signal);
    }
    ::sigprocmask(SIG_BLOCK, &set, nullptr);  // of those asked for, some are deadly
    UniqueFd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd)
        throw std::system_error(errno, std::generic_category(), "signalfd");
    return fd;
}

}  // namespace tutti::launcher
