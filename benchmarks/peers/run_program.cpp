#include "benchmarks/peers/run_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "benchmarks/suite/measure/benchmark_clock.hpp"

namespace tutti::bench {

namespace {

constexpr int kGraceMilliseconds = 5000;
constexpr int kNoDescriptor = -1;  // poll() passes over it

class Descriptor {
public:
    Descriptor(int number, const char* origin) : number_(number)
    {
        if (number < 0)
            throw std::runtime_error(fmt::format("{} failed: {}", origin, std::strerror(errno)));
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(number_); }
    int number() const { return number_; }

private:
    int number_;
};

[[noreturn]] void become(const std::vector<std::string>& command, const Variables& variables, int output)
{
    // TERM, not KILL: a launcher must get the chance to end its ranks.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0);
    for (const auto& [name, value] : variables)
        setenv(name.c_str(), value.c_str(), 1);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : command)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    // As a shell would.
    _exit(127);
}

constexpr std::array kInterrupting = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

// Written by the handler, read between waits. The pipe wakes a wait, however close before it the signal came.
std::atomic<int> interrupting_signal{0};
std::atomic<int> wake_descriptor{kNoDescriptor};
std::atomic<int> interruption_descriptor{kNoDescriptor};  // its other end

void remember(int number)
{
    const int saved = errno;
    interrupting_signal = number;
    if (const int descriptor = wake_descriptor; descriptor >= 0) [[maybe_unused]]
        const ssize_t written = write(descriptor, "", 1);
    errno = saved;
}

enum class Wait { ended, too_long, interrupted };

Wait wait_for_end(int pidfd, int interruption, int milliseconds)
{
    const double deadline_us = now_us() + milliseconds * 1000.0;
    std::array<pollfd, 2> waited = {pollfd{pidfd, POLLIN, 0}, pollfd{interruption, POLLIN, 0}};
    for (;;) {
        const int left = std::max(0, static_cast<int>((deadline_us - now_us()) / 1000));
        if (poll(waited.data(), waited.size(), left) < 0 && errno == EINTR)
            continue;
        if (waited[0].revents != 0)
            return Wait::ended;
        return waited[1].revents != 0 ? Wait::interrupted : Wait::too_long;
    }
}

int milliseconds(double seconds)
{
    return static_cast<int>(std::min(seconds * 1000, 2e9));
}

std::string contents(int file)
{
    std::string text;
    char block[4096];
    lseek(file, 0, SEEK_SET);
    for (ssize_t count = 0; (count = ::read(file, block, sizeof block)) > 0;)
        text.append(block, static_cast<std::size_t>(count));
    return text;
}

}  // namespace

Outcome run_program(const std::vector<std::string>& command, const Variables& variables,
                    double timeout_seconds)
{
    // A file in memory: nobody has to empty it, and a process that outlives the program cannot hold us up.
    const Descriptor output(memfd_create("output", MFD_CLOEXEC), "memfd_create");
    Outcome outcome;
    const double start = now_us();
    const pid_t child = fork();
    if (child < 0)
        throw std::runtime_error(fmt::format("fork failed: {}", std::strerror(errno)));
    if (child == 0)
        become(command, variables, output.number());
    setpgid(child, child);  // whichever of the two comes first

    // A descriptor can be waited for with a limit of time, a process cannot.
    const Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, child, 0)), "pidfd_open");
    const Wait wait = wait_for_end(pidfd.number(), interruption_descriptor, milliseconds(timeout_seconds));
    outcome.timed_out = wait == Wait::too_long;
    outcome.interrupted = wait == Wait::interrupted;
    if (wait != Wait::ended) {
        // The group: a launcher that hangs may have children that do not.
        kill(-child, SIGTERM);
        if (wait_for_end(pidfd.number(), kNoDescriptor, kGraceMilliseconds) != Wait::ended)
            kill(-child, SIGKILL);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    outcome.seconds = (now_us() - start) / 1e6;
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.output = contents(output.number());
    return outcome;
}

Interruptible::Interruptible()
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        throw std::runtime_error(fmt::format("pipe2 failed: {}", std::strerror(errno)));
    interrupting_signal = 0;
    interruption_descriptor = ends[0];
    wake_descriptor = ends[1];
    struct sigaction action = {};
    action.sa_handler = remember;
    for (const int number : kInterrupting)
        sigaction(number, &action, nullptr);
}

Interruptible::~Interruptible()
{
    for (const int number : kInterrupting)
        std::signal(number, SIG_DFL);
    close(wake_descriptor.exchange(kNoDescriptor));
    close(interruption_descriptor.exchange(kNoDescriptor));
}

int Interruptible::signal() noexcept
{
    return interrupting_signal;
}

std::string describe_failure(const std::vector<std::string>& command, const Outcome& outcome)
{
    constexpr std::size_t kTailBytes = 600;
    const std::size_t from = outcome.output.size() > kTailBytes ? outcome.output.size() - kTailBytes : 0;
    return fmt::format("'{}' {} after {:.1f} s\n{}", fmt::join(command, " "),
                       outcome.timed_out     ? "was stopped"
                       : outcome.interrupted ? "was interrupted"
                                             : fmt::format("ended with status {}", outcome.status),
                       outcome.seconds, outcome.output.substr(from));
}

}  // namespace tutti::bench
