// The puts and gets of a window that a network is still carrying, while this rank goes on.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <list>
#include <utility>
#include <vector>

#include "lib/core/windows/window_identity.hpp"
#include "lib/core/windows/make_window_request.hpp"
#include "transports/remote_memory.hpp"

namespace tutti::detail {

/// Under the engine's lock, but for all_complete() and gets_complete().
class WindowCopies {
public:
    enum class Kind { put, get };

    explicit WindowCopies(const WindowIdentity& window)
        : window_(window), targets_(static_cast<std::size_t>(window.size()))
    {
    }
    WindowCopies(const WindowCopies&) = delete;
    WindowCopies& operator=(const WindowCopies&) = delete;
    ~WindowCopies() { abandon(); }

    /// Whether no copy is under way, and no failure is left to take. Any thread, for its own copies.
    bool all_complete() const noexcept { return open_.load(std::memory_order_relaxed) == 0; }
    bool gets_complete() const noexcept { return gets_.load(std::memory_order_relaxed) == 0; }
    unsigned under_way(int rank) const noexcept { return of(rank).puts + of(rank).gets; }
    unsigned gets_under_way(int rank) const noexcept { return of(rank).gets; }

    /// For a copy to or from memory of `rank` that `by` is about to start.
    transport::Completion& begin(Kind kind, int rank, transport::RemoteMemory& by)
    {
        if (spare_.empty())
            spare_.emplace_back();
        copies_.splice(copies_.end(), spare_, spare_.begin());
        Copy& copy = copies_.back();
        copy.fire = [](transport::Completion& self, ErrorCode result) {
            static_cast<Copy&>(self).owner->ended(static_cast<Copy&>(self), result);
        };
        copy.owner = this;
        copy.kind = kind;
        copy.rank = rank;
        copy.by = &by;
        copy.request = nullptr;
        copy.place = std::prev(copies_.end());
        ++number_like(copy);
        open_.fetch_add(1, std::memory_order_relaxed);
        if (kind == Kind::get)
            gets_.fetch_add(1, std::memory_order_relaxed);
        return copy;
    }
    /// Where a copy that is under way refers to its request.
    static WindowRequest*& request_of(transport::Completion& copy) noexcept
    {
        return static_cast<Copy&>(copy).request;
    }
    /// Ends the copies with `rank` that have a request, with the error why(request).
    template <class Why>
    void fail_requests(int rank, Why&& why)
    {
        for (auto next = copies_.begin(); next != copies_.end();) {
            Copy& copy = *next++;
            if (copy.rank != rank || copy.request == nullptr)
                continue;
            copy.by->abandon(copy);
            WindowRequest& request = *std::exchange(copy.request, nullptr);
            ended(copy, ErrorCode::success);
            request.fail(why(request));
        }
    }
    /// Of a copy that has not been started, or was complete at once.
    void end(transport::Completion& copy) noexcept { ended(static_cast<Copy&>(copy), ErrorCode::success); }

    /// Of the copies with `rank` that have ended, the first failure since the last call; or success.
    ErrorCode take_failure(int rank) noexcept
    {
        Target& target = of(rank);
        if (target.failure == ErrorCode::success)
            return ErrorCode::success;
        open_.fetch_sub(1, std::memory_order_relaxed);
        if (target.failed == Kind::get)
            gets_.fetch_sub(1, std::memory_order_relaxed);
        return std::exchange(target.failure, ErrorCode::success);
    }
    /// No copy accesses this object, or memory of the program's, from now on.
    void abandon() noexcept
    {
        for (Copy& copy : copies_) {
            copy.by->abandon(copy);
            if (copy.request != nullptr)
                copy.request->fail(failure_of(*copy.request, ErrorCode::cancelled));
        }
        copies_.clear();
    }

private:
    struct Copy : transport::Completion {
        WindowCopies* owner = nullptr;
        Kind kind = Kind::put;
        int rank = 0;
        transport::RemoteMemory* by = nullptr;
        WindowRequest* request = nullptr;
        std::list<Copy>::iterator place{};
    };
    struct Target {
        unsigned puts = 0;  // under way
        unsigned gets = 0;
        ErrorCode failure = ErrorCode::success;
        Kind failed = Kind::put;
    };

    Target& of(int rank) noexcept { return targets_[static_cast<std::size_t>(rank)]; }
    const Target& of(int rank) const noexcept { return targets_[static_cast<std::size_t>(rank)]; }
    unsigned& number_like(const Copy& copy) noexcept
    {
        return copy.kind == Kind::put ? of(copy.rank).puts : of(copy.rank).gets;
    }
    void ended(Copy& copy, ErrorCode result) noexcept
    {
        Target& target = of(copy.rank);
        --number_like(copy);
        if (WindowRequest* const request = std::exchange(copy.request, nullptr)) {
            if (result == ErrorCode::success)
                request->succeed();
            else
                request->fail(failure_of(*request, result));
            result = ErrorCode::success;  // else the request's
        }
        if (result != ErrorCode::success && target.failure == ErrorCode::success) {
            target.failure = result;  // open until it is taken
            target.failed = copy.kind;
        } else {
            open_.fetch_sub(1, std::memory_order_relaxed);
            if (copy.kind == Kind::get)
                gets_.fetch_sub(1, std::memory_order_relaxed);
        }
        spare_.splice(spare_.begin(), copies_, copy.place);
    }

    std::exception_ptr failure_of(const WindowRequest& request, ErrorCode code) const
    {
        return std::make_exception_ptr(Error(
            code, request.operation,
            fmt::format("{}, rank {}: the network has not carried out a {}() of {} bytes{}", window_.name(),
                        request.target, request.operation, request.bytes, window_.in_epoch()),
            request.target));
    }

    const WindowIdentity& window_;
    std::vector<Target> targets_;
    std::list<Copy> copies_;
    std::list<Copy> spare_;
    std::atomic<std::size_t> open_{0};  // copies under way, and failures to take
    std::atomic<std::size_t> gets_{0};  // those of gets among them
};

}  // namespace tutti::detail
