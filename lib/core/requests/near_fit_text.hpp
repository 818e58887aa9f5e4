// What the error of a receive says of messages that have come, and that it would have taken but for one
// thing.
#pragma once

#include <string>

#include "lib/engine/protocol/requests.hpp"

namespace tutti::detail {

class Process;

/// "; a message from rank 1 with tag 5, 4 bytes, has come, but tag 6 is awaited": about one message that lies
/// here and nearly fits `awaited`. Empty where there is none. Under the lock.
std::string near_fit(Process& process, const matching::MatchKey& awaited);

}  // namespace tutti::detail
