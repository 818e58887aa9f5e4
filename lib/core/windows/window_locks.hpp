// The locks of targets: taken by the control where this process maps it, else by frames; and given by this
// rank's progress to ranks that do not map its control. So both kinds of ranks agree.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/core/windows/window_questions.hpp"
#include "lib/core/windows/window_targets.hpp"

namespace tutti::detail {

/// Under the engine's lock. Errors are thrown.
class WindowLocks {
public:
    WindowLocks(const WindowIdentity& window, WindowTargets& targets, WindowWaits& waits,
                WindowQuestions& questions) noexcept
        : window_(window), targets_(targets), waits_(waits), questions_(questions)
    {
    }

    /// Returns when this rank has the lock, and the status page says so.
    void acquire(EngineLock& lock, WindowLock kind, int rank);
    /// Operations on the target are complete. Nothing for a target that is not locked.
    void release(int rank);
    /// The status page has no lock of this window any more.
    void forget() noexcept;

    /// A frame that takes or leaves this rank's own lock.
    void serve(int rank, const WindowHeader& header);
    /// Gives this rank's own lock to ranks that have asked for it by frames and whose turn has come.
    void grant();

private:
    // A rank that has asked for this rank's own lock by a frame.
    struct Pending {
        int rank;
        std::uint64_t id;
        WindowLock kind;
        bool in_front;
        std::uint32_t ticket;
    };

    void enter(EngineLock& lock, WindowLock kind, int rank);
    bool holds_any() const noexcept;
    bool holds_one_others_may_want() const noexcept;
    void show_held(int rank, WindowLock kind);
    void leave(WindowTarget& target, WindowLock kind);
    void await_for_others();
    void wake_next(WindowTarget& target);

    const WindowIdentity& window_;
    WindowTargets& targets_;
    WindowWaits& waits_;
    WindowQuestions& questions_;
    std::vector<Pending> pending_;  // in the order of their tickets
};

}  // namespace tutti::detail
