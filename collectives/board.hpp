// Board: memory that all ranks of a group share, for algorithms without messages.
#pragma once

#include <cstddef>

#include "collectives/group.hpp"
#include "collectives/operation.hpp"

namespace tutti::collectives {

/// One collective call's use of it, by one rank: leave data in the own slot, arrive once; whoever arrives
/// last makes the result of what all have left and releases the others, which may then read result and slots
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
    /// Does not block. True for the last rank of the group, which must call release() before it waits for
    /// anything.
    virtual bool arrive() = 0;
    virtual void release() = 0;
    /// Done when release() has been called. For the others, once.
    virtual Operation released() = 0;
    /// Done when all ranks have arrived. For rank 0, where it is to release() the others whoever arrives
    /// last; the last one to arrive then calls tell_root() and waits as the others do.
    virtual Operation all_arrived() = 0;
    virtual void tell_root() = 0;

    /// The last rank's: combines what all `ranks` have left, in the order of ranks, into result().
    void combine(int ranks, Buffer like, ReduceOp op)
    {
        Group::copy({result(), like.size_bytes()}, {slot(0), like.size_bytes()});
        for (int rank = 1; rank < ranks; ++rank)
            Group::reduce(result(), result(), slot(rank), like.count, op);
    }
};

}  // namespace tutti::collectives
