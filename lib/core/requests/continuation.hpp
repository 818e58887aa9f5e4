// What goes on when an operation ends whose request was let go.
#pragma once

#include <exception>
#include <functional>

#include "lib/engine/progress/engine.hpp"
#include "lib/engine/request/request_state.hpp"
#include "tutti/status.hpp"

namespace tutti::detail {

class Process;

using CompletionFunction = std::function<void(const Status&, std::exception_ptr)>;

/// The operations of a rank whose requests were let go. Under the engine's lock.
class Continuations {
public:
    explicit Continuations(Process& process) noexcept : process_(process) {}

    /// Takes the state of a request over. Calls `function` without the lock, by the engine, when the
    /// operation is done; an error ends the job where there is none.
    void let_go(RequestState& state, CompletionFunction function);
    /// Waits until all have gone on. Withdraws receives that nothing has matched: nobody else can.
    void finish(progress::Engine::Lock& lock);

private:
    struct Continuation;

    Process& process_;
    base::IntrusiveList<progress::FollowUp, progress::FollowUpTag> under_way_;
    std::size_t count_ = 0;  // those that have not gone on
};

}  // namespace tutti::detail
