#include "benchmarks/peers/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "benchmarks/suite/clock.hpp"

namespace tutti::bench {

namespace {

constexpr int kGraceMilliseconds = 5000;

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

bool ends_within(int pidfd, int milliseconds)
{
    pollfd ended{pidfd, POLLIN, 0};
    int count = 0;
    do {
        count = poll(&ended, 1, milliseconds);
    } while (count < 0 && errno == EINTR);
    return count > 0;
}

std::string contents(int file)
{
    std::string text;
    char block[4096];
    lseek(file, 0, SEEK_SET);
    for (ssize_t count = 0; (count = read(file, block, sizeof block)) > 0;)
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
    if (!ends_within(pidfd.number(), static_cast<int>(timeout_seconds * 1000))) {
        outcome.timed_out = true;
        // The group: a launcher that hangs may have children that do not.
        kill(-child, SIGTERM);
        if (!ends_within(pidfd.number(), kGraceMilliseconds))
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

std::string describe_failure(const std::vector<std::string>& command, const Outcome& outcome)
{
    constexpr std::size_t kTailBytes = 600;
    const std::size_t from = outcome.output.size() > kTailBytes ? outcome.output.size() - kTailBytes : 0;
    return fmt::format(
        "'{}' {} after {:.1f} s\n{}", fmt::join(command, " "),
        outcome.timed_out ? "was stopped" : fmt::format("ended with status {}", outcome.status),
        outcome.seconds, outcome.output.substr(from));
}

}  // namespace tutti::bench
