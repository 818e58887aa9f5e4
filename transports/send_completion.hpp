// How a transport answers a caller that gives it memory, and how it reports later that the memory is free.
#pragma once

#include "tutti/error.hpp"

namespace tutti::transport {

enum class SendResult {
    done,     // the memory is free again
    pending,  // the transport uses it until the completion fires: exactly once, at the latest in close()
    again     // nothing was started; ask again after a later progress()
};

/// Embedded in the object that waits for it. `fire` runs inside progress() or close(), and may destroy it.
struct Completion {
    void (*fire)(Completion& self, ErrorCode result) = nullptr;
};

}  // namespace tutti::transport
