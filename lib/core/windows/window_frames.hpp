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
        wake,        // a lock for which the receiver waits may be free
        posted,      // the sender has exposed its memory to the receiver
        completed,   // the sender has ended its accesses to the receiver's memory
        operations,  // of an origin that does not map the target's memory: WindowOperations, one after
                     // another
        done,     // the operations of the frames up to this id; the payload is what those of this id fetched
        refusal,  // there is no memory where an operation of the frame wants it: a TargetRun
        failure,  // of a window's rule, in words, in an operation of the frame
        lock_shared,
        lock_exclusive,
        unlock_shared,
        unlock_exclusive,
        keys,      // where the rows of some keys are, which the receiver makes if it has none
        places,    // to `keys`
        presence,  // whether the receiver is there
        answer     // to one that takes a lock, or asks for presence
    };

    protocol::Lead lead;
    What what;
    std::uint32_t rank;    // the sender's, in the window
    std::uint64_t id;      // of a question, and its answer; of a frame of operations, in their order
    std::uint64_t detail;  // lock_shared: whether the sender holds another lock; operations: whether `done`
                           // is wanted; refusal and failure: which operation of the frame it is;
                           // places: whether it is words, of what went wrong
};

/// Begins an operation, or the part of it that a frame takes; then come its runs and its data, from where the
/// payload's offset is a multiple of kAlignment.
struct alignas(16) WindowOperation {
    enum class Kind : std::uint8_t { put, get, update, swap, rows };

    static constexpr std::size_t kAlignment = 16;  // of elements, so that kernels find theirs aligned
    static constexpr std::size_t kMostSwappedBytes = 16;

    Update update;
    Kind kind;
    bool fetches;   // of an update
    bool is_piece;  // of a row that no frame takes as a whole: the second run is all of the row
    std::uint32_t runs;
    std::uint64_t bytes;  // of all runs, or of the piece

    /// put: what the target gets. update and rows: the operands, if there are some. swap: the new value, and
    /// the expected one.
    std::size_t data_bytes() const noexcept
    {
        if (kind == Kind::get || update.kind == Update::Kind::no_op)
            return 0;
        return kind == Kind::swap ? 2 * bytes : bytes;
    }
    bool answers() const noexcept { return kind == Kind::get || kind == Kind::swap || fetches; }
};

static_assert(sizeof(WindowOperation) % WindowOperation::kAlignment == 0);

/// Bytes in a row in the target's memory: from its start; of a dynamic window, from address 0.
struct TargetRun {
    std::uint64_t offset;
    std::uint64_t bytes;
};

/// Of an error's words in a frame.
inline constexpr std::size_t kMostWordsBytes = 4096;

/// The payload of a frame; an answer must fit, too. With its header it fits into one packet of TCP's at most
/// 65,160 bytes, and into one read of 64 KiB.
inline constexpr std::size_t kMostWindowBytes = (64u << 10) - 512;

inline constexpr std::size_t aligned_in_frame(std::size_t bytes) noexcept
{
    return (bytes + WindowOperation::kAlignment - 1) / WindowOperation::kAlignment *
           WindowOperation::kAlignment;
}

}  // namespace tutti::detail
