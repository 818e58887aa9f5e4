#include "launcher/ranks/process_table.hpp"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "launcher/ranks/watchdog.hpp"
#include "lib/foundation/base/proc.hpp"

namespace tutti::launcher {

ProcessTable::ProcessTable(Watchdog& watchdog) : watchdog_(watchdog), exits_(::epoll_create1(EPOLL_CLOEXEC))
{
    if (!exits_)
        throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

void ProcessTable::started(int rank, pid_t pid)
{
    RankProcess& process = ranks_.at(static_cast<std::size_t>(rank));
    process.pid = pid;
    process.running = true;
    // Without pidfds in the kernel, reap() finds the rank like any other child.
    process.handle.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    epoll_event event{};
    event.events = EPOLLIN | EPOLLONESHOT;  // one event is enough: it is reaped then
    event.data.u64 = static_cast<std::uint64_t>(pid);
    ::epoll_ctl(exits_.get(), EPOLL_CTL_ADD, process.handle.get(), &event);
    groups_.insert(pid);
    ++running_;
}

std::vector<std::pair<pid_t, int>> ProcessTable::reap()
{
    std::vector<std::pair<pid_t, int>> result;
    std::array<epoll_event, 64> events{};
    int status = 0;
    int count = 0;
    while ((count = ::epoll_wait(exits_.get(), events.data(), static_cast<int>(events.size()), 0)) > 0) {
        for (int i = 0; i < count; ++i) {
            const auto pid = static_cast<pid_t>(events.at(static_cast<std::size_t>(i)).data.u64);
            if (::waitpid(pid, &status, WNOHANG) == pid)
                result.emplace_back(pid, status);
        }
    }
    // Processes whose parents died first are children of this one.
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0)
        result.emplace_back(pid, status);
    return result;
}

int ProcessTable::ended(pid_t pid) noexcept
{
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        if (ranks_[rank].pid == pid && ranks_[rank].running) {
            ranks_[rank].running = false;
            ranks_[rank].handle.reset();  // also leaves the epoll set
            --running_;
            return static_cast<int>(rank);
        }
    }
    return -1;
}

RankProcess* ProcessTable::find(int rank) noexcept
{
    const bool known = rank >= 0 && static_cast<std::size_t>(rank) < ranks_.size();
    return known ? &ranks_[static_cast<std::size_t>(rank)] : nullptr;
}

// Of processes that end meanwhile nothing is read, and they are left out.
bool ProcessTable::only_deaf_are_left(int signal) const
{
    if (!base::proc_has_our_numbers())
        return false;
    bool any = false;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const int pid = std::atoi(entry.path().filename().c_str());
        if (pid <= 0 || !groups_.contains(::getpgid(pid)))
            continue;
        std::ifstream status(entry.path() / "status");
        std::string word;
        bool has_ended = false;
        std::optional<std::uint64_t> ignored;
        while (!ignored && status >> word) {
            if (word == "State:")
                has_ended = status >> word && word == "Z";
            else if (word == "SigIgn:" && status >> word)
                ignored = std::strtoull(word.c_str(), nullptr, 16);
        }
        if (has_ended || !ignored)
            continue;
        any = true;
        if ((*ignored >> (signal - 1) & 1) == 0)
            return false;
    }
    return any;
}

bool ProcessTable::any_group_lives() noexcept
{
    // An empty group is forgotten at once, since the kernel may use its number again.
    std::erase_if(groups_, [this](pid_t group) {
        const bool empty = ::kill(-group, 0) != 0 && errno == ESRCH;
        if (empty)
            watchdog_.remove_group(group);
        return empty;
    });
    return !groups_.empty();
}

void ProcessTable::signal(int signal) noexcept
{
    for (const pid_t group : groups_)
        ::kill(-group, signal);
}

}  // namespace tutti::launcher
