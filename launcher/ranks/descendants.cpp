#include "launcher/ranks/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "launcher/base/descriptors.hpp"
#include "lib/foundation/base/proc.hpp"

namespace tutti::launcher {

namespace {

constexpr std::chrono::milliseconds kLookAgain{5};
constexpr std::chrono::milliseconds kUnkillableTimeout{2000};

using ByParent = std::multimap<pid_t, pid_t>;

/// Parent and number of a process that has not ended, from its line in /proc: "12 (a name) S parent ...".
/// The name may hold any characters.
std::optional<std::pair<pid_t, pid_t>> parse_process(const char* line)
{
    const char* const behind_name = std::strrchr(line, ')');
    char state = 0;
    pid_t parent = 0;
    const bool known =
        behind_name != nullptr && std::sscanf(behind_name, ") %c %d", &state, &parent) == 2 && state != 'Z';
    return known ? std::optional(std::pair(parent, std::atoi(line))) : std::nullopt;
}

ByParent all_processes()
{
    ByParent result;
    const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
    if (!proc || !base::proc_has_our_numbers())
        return result;
    while (const dirent* entry = ::readdir(proc.get())) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        const std::string path = std::string(entry->d_name) + "/stat";
        const UniqueFd file(::openat(::dirfd(proc.get()), path.c_str(), O_RDONLY | O_CLOEXEC));
        std::array<char, 512> line{};
        if (file && ::read(file.get(), line.data(), line.size() - 1) > 0) {
            if (const auto process = parse_process(line.data()))
                result.insert(*process);
        }
    }
    return result;
}

std::vector<pid_t> descendants()
{
    const ByParent processes = all_processes();
    std::vector<pid_t> found{::getpid()};
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto [first, last] = processes.equal_range(found[i]);
        for (auto entry = first; entry != last; ++entry)
            found.push_back(entry->second);
    }
    found.erase(found.begin());
    return found;
}

/// False when no child is left.
bool reap() noexcept
{
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    return pid == 0;
}

}  // namespace

void end_descendants(std::chrono::milliseconds timeout) noexcept
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    bool asked = false;
    while (reap() && Clock::now() < start + 2 * timeout + kUnkillableTimeout) {
        const bool killing = Clock::now() > start + timeout;
        const std::vector<pid_t> left = descendants();
        if (left.empty())
            return;
        for (const pid_t pid : left) {
            if (killing || !asked) {
                ::kill(pid, killing ? SIGKILL : SIGTERM);
                ::kill(pid, SIGCONT);  // a stopped process would not see the signal
            }
        }
        asked = true;
        std::this_thread::sleep_for(kLookAgain);
    }
}

}  // namespace tutti::launcher
