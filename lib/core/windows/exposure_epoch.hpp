// The epoch in which this rank's memory is exposed to some ranks: post() to wait(). And the signals between
// targets and origins: post() to start(), complete() to wait().
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "lib/core/windows/window_waits.hpp"

namespace tutti::detail {

/// Under the engine's lock. Errors are thrown.
class ExposureEpoch {
public:
    ExposureEpoch(const WindowIdentity& window, WindowWaits& waits)
        : window_(window), waits_(waits), signals_(static_cast<std::size_t>(window.size()))
    {
    }

    bool is_open() const noexcept { return is_open_; }
    /// `signals`: the origins wait for it.
    void post(std::span<const int> origins, bool signals);
    /// Returns when all origins have completed; then the epoch is over.
    void wait(EngineLock& lock);
    /// Whether wait() would return at once: then the epoch is over, too.
    bool test(EngineLock& lock);

    // Of an origin.
    void await_post(EngineLock& lock, int target);
    void complete(int target) { signal("complete", target, WindowHeader::What::completed); }

    /// A signal of `rank` has arrived.
    void take(int rank, WindowHeader::What what) noexcept;
    /// Adds the ranks of the job that this epoch depends on.
    void add_awaited(std::set<int>& ranks) const;

private:
    // Numbers of a rank's calls, less those that this rank has answered.
    struct Signals {
        std::uint32_t posted = 0;     // post(), less start() here
        std::uint32_t completed = 0;  // complete(), less wait() here
    };

    Signals& of(int rank) noexcept { return signals_[static_cast<std::size_t>(rank)]; }
    void signal(std::string_view operation, int rank, WindowHeader::What what);
    void check_open(std::string_view operation) const;
    bool all_have_completed() noexcept;
    void end() noexcept;

    const WindowIdentity& window_;
    WindowWaits& waits_;
    std::vector<Signals> signals_;  // by rank
    std::vector<int> origins_;
    bool is_open_ = false;
};

}  // namespace tutti::detail
