// A stack for the launcher where the user's limit (ulimit -s) is too low for it, and for libpmix.
#pragma once

#include <functional>

namespace tutti::launcher {

/// Runs `body` in this thread, or in another with a stack of its own. The limit is the ranks', and stays.
int run_with_room(const std::function<int()>& body);

}  // namespace tutti::launcher
