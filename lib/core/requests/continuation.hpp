// What happens when an operation ends whose request was detached.
#pragma once

#include <exception>
#include <functional>

#include "lib/engine/progress/engine.hpp"
#include "lib/engine/request/request_state.hpp"
#include "tutti/status.hpp"

namespace tutti::detail {

class Process;

using CompletionFunction = std::function<void(const Status&, std::exception_ptr)>;

/// The operations of a rank whose requests were detached. Under the engine's lock.
class Continuations {
public:
    explicit Continuations(Process& process) noexcept : process_(process) {}

    /// Takes over the state of a request. When the operation is done, the engine calls `function` without the
    /// lock. If there is no function, an error ends the job.
    void let_go(RequestState& state, CompletionFunction function);
    /// Waits until all functions have run. Withdraws unmatched receives, as nobody else can.
    void finish(progress::Engine::Lock& lock);

private:
    struct Continuation;

    Process& process_;
    base::IntrusiveList<progress::FollowUp, progress::FollowUpTag> under_way_;
    std::size_t count_ = 0;  // operations whose function has not run
};

}  // namespace tutti::detail
