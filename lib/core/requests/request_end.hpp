// The end of a completed operation's state: its error in words, and the release of its memory.
#pragma once

#include <exception>

#include "lib/engine/request/request_state.hpp"

namespace tutti::detail {

class Process;

inline Process& process_of(const RequestState& state) noexcept
{
    return *static_cast<Process*>(state.owner);
}

/// The error of a completed operation, a tutti::Error; nullptr if there is none.
std::exception_ptr failure_of(RequestState& state);

/// Returns the state of a request to its pool. Its owner is nullptr from then on. Under the lock.
void recycle(RequestState& state);

/// Ends a collective that no wait can end: it completes with the error `why`, and its buffers are the
/// caller's again. Under the lock. False for a message, which may still come: its state stays.
bool give_up(RequestState& state, std::exception_ptr why) noexcept;

/// Removes all references to the state of an unfinished operation, once no data moves. A collective removes
/// its own operations. Under the lock.
void forget(RequestState& state) noexcept;

}  // namespace tutti::detail
