// The frames between ranks of a window: signals, and operations on memory that the origin does not map.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/engine/protocol/frames.hpp"
#include "tutti/window_calls.hpp"

namespace tutti::detail {

/// The context is that of the window's communicator.
struct WindowHeader {
    enum class What : std::uint32_t {
        wake,       // a lock for which the receiver waits may be free
        posted,     // the sender has exposed its memory to the receiver
        completed,  // the sender has ended its accesses to the receiver's memory
        put,        // from here on: of an origin that does not map the target's memory
        get,
        update,
        swap,
        lock_shared,
        lock_exclusive,
        unlock_shared,
        unlock_exclusive,
        answer,
        refusal  // there is no memory at the offset; the payload is the TargetRun
    };

    protocol::Lead lead;
    What what;
    std::uint32_t rank;    // the sender's, in the window
    std::uint64_t id;      // of a question, and its answer
    std::uint64_t detail;  // swap: the offset in bytes; lock_shared: whether the sender holds another lock
};

/// Begins the payload of put, get and update; then come the runs and the data of all of them.
struct WindowTransfer {
    Update update;
    std::uint32_t fetches;
    std::uint32_t runs;
    std::uint64_t bytes;  // of all runs
};

/// Bytes in a row in the target's memory: from its start; of a dynamic window, from address 0.
struct TargetRun {
    std::uint64_t offset;
    std::uint64_t bytes;
};

/// The data of a frame; an answer must fit, too.
inline constexpr std::size_t kMostWindowBytes = 32u << 10;

}  // namespace tutti::detail
