#include "launcher/process_table.hpp"

#include <signal.h>

#include <cerrno>

#include "launcher/watchdog.hpp"

namespace tutti::launcher {

void ProcessTable::started(int rank, pid_t pid)
{
    ranks_.at(static_cast<std::size_t>(rank)) = {pid, true, false, false};
    groups_.insert(pid);
    watchdog_.add_group(pid);
    ++running_;
}

int ProcessTable::ended(pid_t pid) noexcept
{
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        if (ranks_[rank].pid == pid && ranks_[rank].running) {
            ranks_[rank].running = false;
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

bool ProcessTable::any_group_lives() noexcept
{
    // An empty group is forgotten at once: from now on its number may be given to somebody else.
    std::erase_if(groups_, [this](pid_t group) {
        const bool empty = ::kill(-group, 0) != 0 && errno == ESRCH;
        if (empty) {
            watchdog_.remove_group(group);
        }
        return empty;
    });
    return !groups_.empty();
}

void ProcessTable::signal(int signal) noexcept
{
    for (const pid_t group : groups_) {
        ::kill(-group, signal);
    }
}

}  // namespace tutti::launcher
