// What becomes of an operation's state once it is done: its error in words, and its memory.
#pragma once

#include <exception>

#include "lib/engine/request/request_state.hpp"

namespace tutti::detail {

class Process;

inline Process& process_of(const RequestState& state) noexcept
{
    return *static_cast<Process*>(state.owner);
}

/// Why an operation that is done has failed; nullptr where it has not. Holds a tutti::Error.
std::exception_ptr failure_of(RequestState& state);

/// Gives the state of a request back to where it came from. Under the lock.
void recycle(RequestState& state);

/// Ends a collective that nobody can end any more: its buffers are the caller's again, and it is done with
/// `why`. Under the lock. A message may still come: its state is left alone, and the answer is false.
bool give_up(RequestState& state, std::exception_ptr why) noexcept;

/// So that nothing refers to the state of an operation that has not ended, once nothing moves any more. A
/// collective's own operations see to themselves. Under the lock.
void forget(RequestState& state) noexcept;

}  // namespace tutti::detail
