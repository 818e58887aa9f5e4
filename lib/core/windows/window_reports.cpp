// What a rank that waits at a window tells reports.
#include <fmt/format.h>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/windows/window.hpp"

namespace tutti::detail {

namespace {

void add_range(std::string& text, const WindowAim& aim, bool addresses)
{
    if (aim.begin == aim.end)
        return;
    text += addresses ? fmt::format(", addresses {:#x} to {:#x}", aim.begin, aim.end)
                      : fmt::format(", bytes {} to {}", aim.begin, aim.end);
}

}  // namespace

// Under the lock.
WindowWait Window::wait_in_words(bool collective) const
{
    // The other collectives of its communicator are those that make it.
    if (collective)
        return {in_barrier_.empty() || in_barrier_ == "window" ? "as it is made"
                                                               : fmt::format("in {}", in_barrier_)};
    if (waiting_.empty())
        return {};
    const Waiting& newest = waiting_.back();
    const WindowTarget& target = targets_[static_cast<std::size_t>(newest.aim.target)];
    WindowWait wait{{}, newest.rank};
    add_range(wait.text, newest.aim, flavor_ == WindowFlavor::dynamic);
    if (newest.aim.lock) {
        // Who holds it is on the holders' pages. A target that is asked by a frame may also be late.
        wait.text += *newest.aim.lock == WindowLock::exclusive ? ", exclusive" : ", shared";
        wait.rank = target.control != nullptr ? kAnyRank : newest.aim.target;
    }
    wait.text += newest.operation == "wait" ? ", in the epoch of post()" : in_epoch();
    wait.text.erase(0, std::string_view(", ").size());
    const bool is_known = wait.rank >= 0 && is_rank(wait.rank);
    wait.rank = is_known ? communicator_->world_rank(wait.rank) : -1;
    return wait;
}

}  // namespace tutti::detail
