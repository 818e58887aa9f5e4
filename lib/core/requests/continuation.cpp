#include "lib/core/requests/continuation.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "lib/core/check/checker.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/request_end.hpp"

namespace tutti::detail {

/// The operation's state keeps it alive, and it keeps what the state kept before.
struct Continuations::Continuation : progress::FollowUp {
    Continuation(RequestState& finished, CompletionFunction called, Continuations& counted) noexcept
        : FollowUp([](FollowUp& self) { static_cast<Continuation&>(self).go_on(); }),
          state(finished),
          function(std::move(called)),
          all(counted),
          kept(std::move(finished.keep))
    {
    }

    void go_on()
    {
        auto lock = all.process_.engine().lock();
        const std::shared_ptr<void> self = state.keep;
        const Status status = state.status;
        const std::exception_ptr failure = failure_of(state);
        recycle(state);
        lock.unlock();
        if (function != nullptr)
            call(status, failure);
        else if (failure != nullptr)
            end_job(failure);
        // The program's objects may wait for threads that wait for the lock, as Python's do for its own.
        function = nullptr;
        kept.reset();
        lock.lock();
        --all.count_;
    }

    // noexcept: the function's exception ends the job like any uncaught one.
    void call(const Status& status, const std::exception_ptr& failure) const noexcept
    {
        function(status, failure);
    }

    void end_job(const std::exception_ptr& failure) const
    {
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& error) {
            all.process_.abort(1,
                               fmt::format("the operation of a detached request failed: {}", error.what()));
        }
    }

    RequestState& state;
    CompletionFunction function;
    Continuations& all;
    std::shared_ptr<void> kept;
};

void Continuations::let_go(RequestState& state, CompletionFunction function)
{
    const auto made = std::make_shared<Continuation>(state, std::move(function), *this);
    state.keep = made;
    if (made->function == nullptr && process_.checker() != nullptr)
        process_.checker()->let_go(state);
    ++count_;
    if (state.done)
        return process_.engine().follow_up(*made);
    if (state.kind == RequestState::Kind::send)
        process_.protocol().hurry(static_cast<protocol::SendRequest&>(state));
    under_way_.push_back(*made);
    state.on_finish = [](RequestState& finished) noexcept {
        auto& continuation = *static_cast<Continuation*>(finished.keep.get());
        base::IntrusiveList<progress::FollowUp, progress::FollowUpTag>::remove(continuation);
        continuation.all.process_.engine().follow_up(continuation);
    };
}

void Continuations::finish(progress::Engine::Lock& lock)
{
    process_.engine().progress();  // what has arrived may match
    for (progress::FollowUp* next = under_way_.front(); next != nullptr;) {
        RequestState& state = static_cast<Continuation&>(*next).state;
        next = under_way_.after(*next);
        if (state.kind == RequestState::Kind::receive)
            process_.protocol().cancel(static_cast<protocol::ReceiveRequest&>(state));
    }
    process_.engine().wait(lock, [&] { return count_ == 0; });
}

}  // namespace tutti::detail
