// Board: memory that all ranks of a group share, for algorithms without messages.
#pragma once

#include <cstddef>

#include "collectives/framework/awaited_operation.hpp"
#include "collectives/framework/group.hpp"

namespace tutti::collectives {

/// One rank's use of the board in one collective call: it leaves data in its slot and arrives once. The last
/// rank to arrive makes the result and releases the others. These may then read the result and the slots
/// until they arrive at their next call.
class Board {
public:
    Board() = default;
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;
    virtual ~Board() = default;

    /// Bytes of a slot, and of the result.
    virtual std::size_t slot_bytes() const noexcept = 0;
    virtual std::byte* slot(int rank) noexcept = 0;
    virtual std::byte* result() noexcept = 0;
    /// Does not block. Returns true for the last rank of the group, which must call release() before it
    /// waits.
    virtual bool arrive() = 0;
    virtual void release() = 0;
    /// Done after release(). For the other ranks, once.
    virtual Operation released() = 0;
    /// Done when all ranks have arrived. For rank 0 if it always releases the others; the last rank to arrive
    /// then calls arrive_at_root() and waits like the others.
    virtual Operation all_arrived() = 0;
    virtual void arrive_at_root() = 0;

    /// For the last rank: combines the operands of all `ranks`, in rank order, into result().
    void combine(int ranks, Buffer like, ReduceOp op)
    {
        Group::copy({result(), like.size_bytes()}, {slot(0), like.size_bytes()});
        for (int rank = 1; rank < ranks; ++rank)
            Group::reduce(result(), result(), slot(rank), like.count, op);
    }
};

}  // namespace tutti::collectives
