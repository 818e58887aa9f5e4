// What this rank waits for at a window: waits that end when a rank is lost, and that reports can name.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string_view>

#include "lib/core/windows/window_identity.hpp"
#include "lib/core/windows/window_service.hpp"
#include "lib/engine/progress/engine.hpp"

namespace tutti::detail {

/// A hold of the engine's lock, which waits let go meanwhile.
using EngineLock = progress::Engine::Lock;

/// What a call is for, where it has to wait: for reports.
struct WindowAim {
    int target = 0;            // a rank of the window
    std::size_t bytes = 0;     // of data
    std::ptrdiff_t begin = 0;  // of the target's memory; of a dynamic window, addresses. None: both are equal
    std::ptrdiff_t end = 0;
    std::optional<WindowLock> lock{};
    std::string_view collector{};  // the call that waits for it, if it is another one
};

/// Under the engine's lock, but for barrier(). Errors are thrown.
class WindowWaits {
public:
    explicit WindowWaits(const WindowIdentity& window) noexcept : window_(window) {}

    /// Waits until done(), or until `rank` is lost, the only one that can end the wait; kAnyRank: until any
    /// rank is.
    void await(EngineLock& lock, std::string_view operation, int rank, const WindowAim& aim,
               const std::function<bool()>& done);
    /// Waits until the loss of a rank is known that a network has noticed first.
    [[noreturn]] void await_loss(EngineLock& lock, std::string_view operation, const WindowAim& aim);
    /// Collective.
    void barrier(std::string_view operation);
    /// One pass of progress, for calls that a program polls. Then throws if `rank` is lost.
    void pass(EngineLock& lock, std::string_view operation, int rank);

    /// Throws if `rank` is lost: `doing` says what that does to this rank.
    void check_not_lost(std::string_view operation, int rank, std::string_view doing) const;
    /// What check_not_lost() throws; nullptr: the rank is not lost.
    std::exception_ptr loss(std::string_view operation, int rank, std::string_view doing) const;
    /// In a handler of what sending to `rank` has thrown: throws the loss of the rank, or else that.
    [[noreturn]] void throw_unsent(std::string_view operation, int rank) const;

    /// Adds the ranks of the job that waits depend on.
    void add_awaited(std::set<int>& ranks) const;
    /// Ends waits for ranks that are lost.
    void fail_for_lost();
    /// Empty: there is no wait.
    WindowWait in_words(bool collective) const;
    WindowWait in_words(std::string_view operation, int rank, const WindowAim& aim) const;

private:
    struct Waiting {
        std::string_view operation;
        int rank;
        WindowAim aim;
        std::exception_ptr lost{};  // the loss of a rank, as the failure detector has found it
    };

    static bool depends_on(const Waiting& waiting, int rank) noexcept
    {
        return waiting.rank == rank || waiting.rank == WindowIdentity::kAnyRank;
    }
    std::exception_ptr loss_in(std::string_view operation, int rank) const;

    const WindowIdentity& window_;
    std::list<Waiting> waiting_;
    std::string_view in_barrier_;  // the last collective call of this rank
};

}  // namespace tutti::detail
