// The puts of a window that a network is still bringing to their targets, while this rank goes on.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <utility>
#include <vector>

#include "transports/remote_memory.hpp"

namespace tutti::detail {

/// Under the engine's lock, but for all_complete().
class WindowPuts {
public:
    explicit WindowPuts(std::size_t ranks) : targets_(ranks) {}
    WindowPuts(const WindowPuts&) = delete;
    WindowPuts& operator=(const WindowPuts&) = delete;
    ~WindowPuts() { abandon(); }

    /// And no failure is to be told. Any thread: it sees its own puts.
    bool all_complete() const noexcept { return open_.load(std::memory_order_relaxed) == 0; }
    unsigned under_way(int rank) const noexcept { return of(rank).under_way; }

    /// For a put to `rank` that `by` is about to start.
    transport::Completion& begin(int rank, transport::RemoteMemory& by)
    {
        if (spare_.empty())
            spare_.emplace_back();
        puts_.splice(puts_.end(), spare_, spare_.begin());
        Put& put = puts_.back();
        put.fire = [](transport::Completion& self, ErrorCode result) {
            static_cast<Put&>(self).owner->ended(static_cast<Put&>(self), result);
        };
        put.owner = this;
        put.rank = rank;
        put.by = &by;
        put.place = std::prev(puts_.end());
        ++of(rank).under_way;
        open_.fetch_add(1, std::memory_order_relaxed);
        return put;
    }
    /// It has not been started, or was complete at once.
    void end(transport::Completion& put) noexcept { ended(static_cast<Put&>(put), ErrorCode::success); }

    /// Of the puts to `rank` that have ended, the first failure since the last call; or success.
    ErrorCode take_failure(int rank) noexcept
    {
        Target& target = of(rank);
        if (target.failure == ErrorCode::success)
            return ErrorCode::success;
        open_.fetch_sub(1, std::memory_order_relaxed);
        return std::exchange(target.failure, ErrorCode::success);
    }
    /// Nothing of them touches this object from now on.
    void abandon() noexcept
    {
        for (Put& put : puts_)
            put.by->abandon(put);
        puts_.clear();
    }

private:
    struct Put : transport::Completion {
        WindowPuts* owner = nullptr;
        int rank = 0;
        transport::RemoteMemory* by = nullptr;
        std::list<Put>::iterator place{};
    };
    struct Target {
        unsigned under_way = 0;
        ErrorCode failure = ErrorCode::success;
    };

    Target& of(int rank) noexcept { return targets_[static_cast<std::size_t>(rank)]; }
    const Target& of(int rank) const noexcept { return targets_[static_cast<std::size_t>(rank)]; }
    void ended(Put& put, ErrorCode result) noexcept
    {
        Target& target = of(put.rank);
        --target.under_way;
        const bool is_first = result != ErrorCode::success && target.failure == ErrorCode::success;
        if (is_first)
            target.failure = result;  // open until it is told
        else
            open_.fetch_sub(1, std::memory_order_relaxed);
        spare_.splice(spare_.begin(), puts_, put.place);
    }

    std::vector<Target> targets_;
    std::list<Put> puts_;
    std::list<Put> spare_;
    std::atomic<std::size_t> open_{0};  // puts under way, and failures to tell
};

}  // namespace tutti::detail
