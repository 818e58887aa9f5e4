#include "launcher/stacks/stopped_threads.hpp"

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>

namespace tutti::launcher {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenLooks{1};

int first_number(const std::string& path, const std::string& after = {})
{
    std::ifstream file(path);
    std::string word;
    if (after.empty())
        file >> word;
    else
        while (file >> word)
            if (word == after) {
                file >> word;
                break;
            }
    int number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return number;
}

std::string why_forbidden(pid_t process, int error_number)
{
    if (error_number != EPERM)
        return fmt::format("it cannot be stopped: {}", std::strerror(error_number));
    if (const int tracer = first_number(fmt::format("/proc/{}/status", process), "TracerPid:"); tracer > 0)
        return fmt::format("a debugger has the process (pid {})", tracer);
    return why_ptrace_is_forbidden(first_number("/proc/sys/kernel/yama/ptrace_scope"));
}

}  // namespace

std::string why_ptrace_is_forbidden(int yama_scope)
{
    constexpr int kOnlyChildren = 1;  // and those that the process names, as ranks do
    constexpr int kNobody = 3;        // for good
    if (yama_scope < kOnlyChildren)
        return "no process may look into another here; in a container allow ptrace (--cap-add=SYS_PTRACE)";
    return fmt::format(
        "the kernel lets no process look into another (kernel.yama.ptrace_scope is {}); {}", yama_scope,
        yama_scope >= kNobody
            ? "it stays so until the next boot"
            : fmt::format("root allows it by: sysctl kernel.yama.ptrace_scope={}", yama_scope - 1));
}

std::vector<pid_t> threads_of(pid_t process)
{
    std::vector<pid_t> result;
    std::error_code error;
    for (fs::directory_iterator entry(fmt::format("/proc/{}/task", process), error), end;
         !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename();
        pid_t thread = 0;
        std::from_chars(name.data(), name.data() + name.size(), thread);
        result.push_back(thread);
    }
    std::ranges::sort(result, {}, [process](pid_t thread) { return std::pair(thread != process, thread); });
    return result;
}

StoppedThreads::StoppedThreads(pid_t process, const std::vector<pid_t>& threads, Clock::time_point deadline)
{
    for (const pid_t thread : threads) {
        if (::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) {
            if (errno != ESRCH || threads.size() == 1)  // others come and go
                why_not_ = why_forbidden(process, errno);
            continue;
        }
        attached_.emplace_back(thread, 0);
        ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
    }
    for (auto& [thread, signal] : attached_) {
        int status = 0;
        pid_t answer = 0;
        while ((answer = ::waitpid(thread, &status, __WALL | WNOHANG)) == 0 && Clock::now() < deadline)
            std::this_thread::sleep_for(kBetweenLooks);
        if (answer != thread || !WIFSTOPPED(status)) {
            if (answer == 0)
                why_not_ = "a thread is in the kernel and does not stop there";
            continue;
        }
        if (status >> 16 != PTRACE_EVENT_STOP)
            signal = WSTOPSIG(status);
        stopped_.push_back(thread);
    }
}

StoppedThreads::~StoppedThreads()
{
    for (const auto& [thread, signal] : attached_)
        ::ptrace(PTRACE_DETACH, thread, nullptr, static_cast<long>(signal));
}

}  // namespace tutti::launcher
