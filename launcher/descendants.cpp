#include "launcher/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "launcher/unique_fd.hpp"

namespace tutti::launcher {

namespace {

constexpr std::chrono::milliseconds kLookAgain{5};

struct ProcessState {
    Descendant who;
    std::uint64_t start_time = 0;
    bool ended = false;  // and not reaped
};

using ByParent = std::multimap<pid_t, ProcessState>;

/// A process's line in /proc: "12 (a name) S parent group ...", where the name may hold anything.
std::optional<std::pair<pid_t, ProcessState>> parse_state(const char* line)
{
    const char* const behind_name = std::strrchr(line, ')');
    char state = 0;
    pid_t parent = 0;
    ProcessState process;
    process.who.pid = std::atoi(line);
    const char* const kFormat =
        ") %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lu";
    if (behind_name == nullptr ||
        std::sscanf(behind_name, kFormat, &state, &parent, &process.who.group, &process.start_time) != 4) {
        return {};
    }
    process.ended = state == 'Z' || state == 'X';
    return std::pair(parent, process);
}

/// In another PID namespace's /proc the numbers would be other processes'.
bool proc_is_ours()
{
    std::array<char, 32> target{};
    return ::readlink("/proc/self", target.data(), target.size() - 1) > 0 &&
           std::atoi(target.data()) == ::getpid();
}

ByParent all_processes()
{
    ByParent result;
    const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
    if (!proc || !proc_is_ours()) {
        return result;
    }
    while (const dirent* entry = ::readdir(proc.get())) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') {
            continue;
        }
        const std::string path = std::string(entry->d_name) + "/stat";
        const UniqueFd file(::openat(::dirfd(proc.get()), path.c_str(), O_RDONLY | O_CLOEXEC));
        std::array<char, 512> line{};
        if (file && ::read(file.get(), line.data(), line.size() - 1) > 0) {
            if (const auto process = parse_state(line.data())) {
                result.insert(*process);
            }
        }
    }
    return result;
}

/// Cheap, and mostly the answer.
bool has_no_child()
{
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

/// Calls `visit` with each process below this one; it says whether to look below that one, too.
template <typename Visit>
void walk(const Visit& visit)
{
    if (has_no_child()) {
        return;
    }
    const ByParent processes = all_processes();
    std::vector<pid_t> parents{::getpid()};
    while (!parents.empty()) {
        const auto [first, last] = processes.equal_range(parents.back());
        parents.pop_back();
        for (auto entry = first; entry != last; ++entry) {
            if (visit(entry->second)) {
                parents.push_back(entry->second.who.pid);
            }
        }
    }
}

}  // namespace

void Descendants::exempt_present()
{
    walk([this](const ProcessState& process) {
        return helpers_.emplace(process.who.pid, process.start_time).second;
    });
}

std::vector<Descendant> Descendants::find() const
{
    std::vector<Descendant> result;
    walk([&](const ProcessState& process) {
        if (helpers_.contains({process.who.pid, process.start_time})) {
            return false;
        }
        if (!process.ended) {
            result.push_back(process.who);
        }
        return true;
    });
    return result;
}

void end_descendants(std::chrono::milliseconds patience) noexcept
{
    using Clock = std::chrono::steady_clock;
    const Descendants all;
    const auto start = Clock::now();
    int signal = SIGTERM;
    while (true) {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        const std::vector<Descendant> left = all.find();
        if (left.empty() || Clock::now() > start + 2 * patience) {
            return;
        }
        if (Clock::now() > start + patience) {
            signal = SIGKILL;
        }
        for (const Descendant& process : left) {
            if (signal != 0) {
                ::kill(process.pid, signal);
                ::kill(process.pid, SIGCONT);  // a stopped process would not see the signal
            }
        }
        signal = 0;  // asked once; what is to be killed is killed whenever it shows up
        std::this_thread::sleep_for(kLookAgain);
    }
}

}  // namespace tutti::launcher
