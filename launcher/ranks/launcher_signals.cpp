#include "launcher/ranks/launcher_signals.hpp"

#include <pwd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace tutti::launcher {

namespace {

/// Signals that end a process by default and with which no user ends or steers a job: an abort, a fault, an
/// alarm that was set before the launcher was executed, a limit of processor time. They do to the launcher
/// what they do to any program.
constexpr std::array kDeadlySignals = {SIGABRT, SIGBUS,  SIGFPE,    SIGILL,  SIGSEGV, SIGSYS,   SIGTRAP,
                                       SIGALRM, SIGPROF, SIGVTALRM, SIGXCPU, SIGIO,   SIGSTKFLT};

sigset_t set_of(const std::vector<int>& signals)
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals)
        sigaddset(&set, signal);
    return set;
}

}  // namespace

InheritedState take_over_process()
{
    InheritedState inherited{};
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int signal : kDeadlySignals)
        sigdelset(&blocked, signal);
    ::sigprocmask(SIG_SETMASK, &blocked, &inherited.signal_mask);
    sigemptyset(&inherited.ignored);
    for (const int signal : kTakenSignals)
        if (::signal(signal, signal == SIGPIPE ? SIG_IGN : SIG_DFL) == SIG_IGN)
            sigaddset(&inherited.ignored, signal);
    ::getrlimit(RLIMIT_NOFILE, &inherited.open_files);
    rlimit raised = inherited.open_files;
    raised.rlim_cur = raised.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &raised);
    // libpmix 4.2.2 cannot do without a home. This is what containers give to a user without an entry.
    if (std::getenv("HOME") == nullptr && ::getpwuid(::geteuid()) == nullptr)
        ::setenv("HOME", "/", 0);
    return inherited;
}

UniqueFd open_launcher_signals(const std::vector<int>& forwarded)
{
    std::vector<int> signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2};
    signals.insert(signals.end(), forwarded.begin(), forwarded.end());
    // A blocked signal comes through the descriptor even where it is ignored.
    std::erase_if(signals, [](int signal) {
        struct sigaction action {};
        return ::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN;
    });
    const sigset_t set = set_of(signals);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);  // some of `forwarded` may be deadly
    return open_signals(signals);
}

UniqueFd open_signals(const std::vector<int>& signals)
{
    const sigset_t set = set_of(signals);
    UniqueFd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd)
        throw std::system_error(errno, std::generic_category(), "signalfd");
    return fd;
}

std::vector<int> read_signals(const UniqueFd& signals)
{
    std::vector<int> result;
    signalfd_siginfo info{};
    while (::read(signals.get(), &info, sizeof info) == sizeof info)
        result.push_back(static_cast<int>(info.ssi_signo));
    return result;
}

}  // namespace tutti::launcher
