// From a failed operation to the exception that tells of it.
#pragma once

#include <exception>

#include "lib/engine/request/request_state.hpp"

namespace tutti::detail {

/// `state.done`, and its status is no success.
std::exception_ptr error_of(RequestState& state);
[[noreturn]] inline void raise(RequestState& state)
{
    std::rethrow_exception(error_of(state));
}

}  // namespace tutti::detail
