#include "launcher/ranks/spawn.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace tutti::launcher {

namespace {

/// Where the child failed. The child of vfork() writes into the parent's memory.
struct ChildFailure {
    const char* step = nullptr;
    int error_number = 0;
};

/// A bit for each processor, as the kernel has it in a cpu_set_t of any size.
using CpuMask = std::vector<unsigned long>;

CpuMask mask_of(const std::vector<int>& cpus)
{
    constexpr std::size_t kBits = 8 * sizeof(CpuMask::value_type);
    CpuMask mask;
    for (const int cpu : cpus) {
        const auto bit = static_cast<std::size_t>(cpu);
        mask.resize(std::max(mask.size(), bit / kBits + 1));
        mask[bit / kBits] |= 1UL << bit % kBits;
    }
    return mask;
}

/// Runs in the child, in the parent's memory: it makes system calls only, and does not return.
[[noreturn]] void run_child(const SpawnRequest& request, char* const* argv, const CpuMask& cpus, pid_t parent,
                            volatile ChildFailure& failure)
{
    const pid_t self = ::getpid();
    const auto announce = [&](pid_t number) {
        if (request.announce_to >= 0) [[maybe_unused]]
            const ssize_t bytes = ::write(request.announce_to, &number, sizeof number);
    };
    const auto give_up = [&](const char* step) {
        failure.error_number = errno;
        failure.step = step;
        announce(-self);
        ::_exit(127);
    };
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
        ::_exit(127);  // it died before the line above
    announce(self);
    // They move above 2 first: a stream may have the number that another one needs.
    int streams[3];
    for (int i = 0; i < 3; ++i) {
        streams[i] = ::fcntl(request.standard_streams[i], F_DUPFD_CLOEXEC, 3);
        if (streams[i] < 0)
            give_up("cannot connect its standard streams");
    }
    for (int i = 0; i < 3; ++i)
        if (::dup2(streams[i], i) < 0)
            give_up("cannot connect its standard streams");
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    for (const int kept : request.kept_descriptors)
        if (kept >= 0 && ::fcntl(kept, F_SETFD, 0) != 0)
            give_up("cannot pass its sockets on");
    if (!cpus.empty() && ::sched_setaffinity(0, cpus.size() * sizeof cpus.front(),
                                             reinterpret_cast<const cpu_set_t*>(cpus.data())) != 0) {
        if (request.binding_error == nullptr)
            give_up("cannot bind it to its processors (--bind-to none starts it unbound)");
        *request.binding_error = errno;
    }
    if (*request.working_directory != '\0' && ::chdir(request.working_directory) != 0)
        give_up("cannot change to the working directory");
    ::setrlimit(RLIMIT_NOFILE, &request.inherited->open_files);
    // With a dead watchdog announce() raises SIGPIPE. Ignoring a pending signal drops it, so it does not
    // end the program.
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignored, nullptr);
    for (const int signal : kTakenSignals) {
        struct sigaction before {};
        before.sa_handler = sigismember(&request.inherited->ignored, signal) == 1 ? SIG_IGN : SIG_DFL;
        ::sigaction(signal, &before, nullptr);
    }
    ::sigprocmask(SIG_SETMASK, &request.inherited->signal_mask, nullptr);
    ::execve(request.program, argv, request.environment);
    if (errno == ENOEXEC) {
        // A script whose first line names no interpreter. argv has a spare place in front.
        const_cast<const char**>(const_cast<char**>(argv))[-1] = "/bin/sh";
        const_cast<const char**>(const_cast<char**>(argv))[0] = request.program;
        ::execve("/bin/sh", argv - 1, request.environment);
    }
    give_up("cannot run it");
    ::_exit(127);
}

}  // namespace

std::string find_program(const std::string& program, const std::string& search_path,
                         const std::string& working_directory)
{
    const auto in_working_directory = [&](const std::string& path) {
        return path.starts_with('/') || working_directory.empty() ? path : working_directory + "/" + path;
    };
    const auto check = [](const std::string& path) {
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0)
            return errno;
        return S_ISDIR(status.st_mode) ? EISDIR : ::access(path.c_str(), X_OK) != 0 ? errno : 0;
    };
    if (program.find('/') != std::string::npos) {
        const int failure = check(in_working_directory(program));
        if (failure != 0)
            throw SpawnError{failure, fmt::format("cannot run {}", program)};
        return program;
    }
    int failure = ENOENT;
    for (std::size_t begin = 0; begin <= search_path.size();) {
        const std::size_t end = std::min(search_path.find(':', begin), search_path.size());
        const std::string directory = search_path.substr(begin, end - begin);
        const std::string candidate = (directory.empty() ? "." : directory) + "/" + program;
        const int result = check(in_working_directory(candidate));
        if (result == 0)
            return candidate;
        // In a folder that this user may not enter there is nothing, as a shell sees it.
        if (result == EACCES && ::access(in_working_directory(candidate).c_str(), F_OK) == 0)
            failure = EACCES;
        begin = end + 1;
    }
    const bool is_here = check(in_working_directory("./" + program)) == 0;
    throw SpawnError{failure,
                     fmt::format("cannot run {} (looked for in PATH{})", program,
                                 is_here ? "; there is a ./" + program + ": did you mean that?" : "")};
}

pid_t spawn(const SpawnRequest& request)
{
    std::vector<char*> argv{nullptr};  // the spare place for /bin/sh
    for (const std::string& argument : *request.argv)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const CpuMask cpus = mask_of(*request.cpus);
    volatile ChildFailure failure{};
    const pid_t parent = ::getpid();
    const pid_t child = ::vfork();
    if (child == 0)
        run_child(request, argv.data() + 1, cpus, parent, failure);
    const char* const step = child < 0 ? "cannot create a process" : failure.step;
    if (step != nullptr)
        throw SpawnError{child < 0 ? errno : failure.error_number,
                         fmt::format("{}: {}", request.program, step)};
    return child;
}

}  // namespace tutti::launcher
