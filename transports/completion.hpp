// How a transport answers who gives it memory, and says later that it needs it no more.
#pragma once

#include "tutti/error.hpp"

namespace tutti::transport {

enum class SendResult {
    done,     // the memory is free again
    pending,  // it is the transport's until the completion fires, exactly once, also on close()
    again     // nothing was begun; ask again after a later progress()
};

/// Embedded in whatever waits for it. `fire` runs inside progress() or close(), and may destroy its object.
struct Completion {
    void (*fire)(Completion& self, ErrorCode result) = nullptr;
};

}  // namespace tutti::transport
