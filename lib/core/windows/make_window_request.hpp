// Requests of operations on windows, as the operations begin.
#pragma once

#include <string_view>

#include "lib/core/process/window_request.hpp"

namespace tutti::detail {

class WindowIdentity;
struct WindowAim;

/// For an operation that begins, which refers to it at `place` until it is complete. Under the engine's lock.
WindowRequest& make_request(const WindowIdentity& window, std::string_view operation, const WindowAim& aim,
                            WindowRequest*& place);

}  // namespace tutti::detail
