// What a rank keeps about each target of a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lib/engine/protocol/frames.hpp"
#include "lib/foundation/base/status_page.hpp"
#include "transports/remote_memory.hpp"
#include "tutti/window_calls.hpp"

namespace tutti::detail {

class AttachedMemory;
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
    std::byte* memory = nullptr;                 // if this process maps it
    WindowControl* control = nullptr;            // likewise
    AttachedMemory* attached = nullptr;          // likewise, of a dynamic window
    base::StatusWord* held = nullptr;            // where the status page says whether this rank has the lock
    bool looked_for = false;                     // whether it maps them is known
    transport::RemoteMemory* network = nullptr;  // writes and reads its memory
    bool asked_for_network = false;              // whether there is one is known
    bool network_puts = false;                   // it has written
    bool network_gets = false;                   // it has read
    WindowCover cover = WindowCover::none;
    std::uint32_t posted = 0;     // times that it has exposed its memory, less those of start()
    std::uint32_t completed = 0;  // times that it has completed its accesses here, less those of wait()
};

/// What a call is for, where it has to wait: for reports.
struct WindowAim {
    int target = 0;            // a rank of the window
    std::size_t bytes = 0;     // of data
    std::ptrdiff_t begin = 0;  // of the target's memory; of a dynamic window, addresses. None: both are equal
    std::ptrdiff_t end = 0;
    std::optional<WindowLock> lock{};
};

/// How the others find a rank's memory; told by all ranks when the window is made. Plain bytes.
struct WindowPlace {
    std::uint64_t process;  // equal for threads of one process: addresses are those of all
    std::uint64_t memory_address;
    std::uint64_t control_address;
    transport::RemoteRegion memory;  // in memory of `owner`
    transport::RemoteRegion control;
    transport::RemoteRegion granted;  // to networks, if it is_granted
    std::uint64_t size_bytes;
    std::uint64_t unit_bytes;
    std::int32_t owner;  // of the memory, a rank of the window
    std::uint16_t failed;
    std::uint16_t is_contiguous;  // the rank wants the memory of a shared window in a row
    std::uint64_t is_granted;
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
        answer,
        refusal  // there is no memory at the offset; the payload is the WindowRun
    };

    protocol::Lead lead;
    What what;
    std::uint32_t rank;  // the sender's, in the window
    std::uint64_t id;    // of a question, and its answer
    std::uint64_t
        detail;  // of a swap: the offset in bytes; of lock_shared: whether the sender holds another lock
};

/// Begins the payload of put, get and update; then come the runs and the data of all of them.
struct WindowTransfer {
    Update update;
    std::uint32_t fetches;
    std::uint32_t runs;
    std::uint64_t bytes;  // of all runs
};

/// Bytes in a row in the target's memory: from its start; of a dynamic window, from address 0.
struct WindowRun {
    std::uint64_t offset;
    std::uint64_t bytes;
};

/// The data of a frame; an answer must fit, too.
inline constexpr std::size_t kMostWindowBytes = 32u << 10;

}  // namespace tutti::detail
