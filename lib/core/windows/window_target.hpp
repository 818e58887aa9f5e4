// What a rank keeps about each target of a window.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/engine/protocol/frames.hpp"
#include "transports/remote_memory.hpp"

namespace tutti::detail {

class WindowControl;

/// The epoch that covers a target.
enum class WindowCover : std::uint8_t {
    none,
    fence,
    started,
    shared,      // locked
    exclusive,   // locked
    unchecked,   // without a lock, as the caller has promised that no other conflicts
    not_locked,  // by lock_all(), before the first access
};

struct WindowTarget {
    std::byte* reach = nullptr;  // `memory`, while an epoch covers the target
    std::size_t size_bytes = 0;
    std::size_t unit_bytes = 1;
    std::byte* memory = nullptr;       // if this process maps it
    WindowControl* control = nullptr;  // likewise
    bool looked_for = false;           // whether it maps them is known
    WindowCover cover = WindowCover::none;
    bool of_all = false;          // the cover is that of lock_all()
    std::uint32_t posted = 0;     // times that it has exposed its memory, less those of start()
    std::uint32_t completed = 0;  // times that it has completed its accesses here, less those of wait()
};

/// How the others find a rank's memory; told by all ranks when the window is made. Plain bytes.
struct WindowPlace {
    std::uint64_t process;  // equal for threads of one process: addresses are those of all
    std::uint64_t memory_address;
    std::uint64_t control_address;
    transport::RemoteRegion memory;  // in memory of `owner`
    transport::RemoteRegion control;
    std::uint64_t size_bytes;
    std::uint64_t unit_bytes;
    std::int32_t owner;  // of the memory, a rank of the window
    std::uint32_t failed;
};

/// Of the frames between ranks of a window. The context is that of its communicator.
struct WindowHeader {
    enum class What : std::uint32_t {
        wake,
        posted,
        completed,
        put,  // from here on: asked by a rank that does not map the memory
        get,
        update,
        swap,
        lock_shared,
        lock_exclusive,
        unlock_shared,
        unlock_exclusive,
        answer
    };

    protocol::Lead lead;
    What what;
    std::uint32_t rank;    // the sender's, in the window
    std::uint64_t id;      // of a question, and its answer
    std::uint64_t detail;  // the offset in bytes
};

}  // namespace tutti::detail
