// Shared allreduce: every rank leaves its operand in memory that all ranks read, chunk after chunk; each
// combines the operands of all.
//
// Source: textbook (an allgather in shared memory, and a reduction at every rank). Cost: no messages; every
// rank writes n bytes, and reads and combines size * n. Good for few ranks with a core each: a rank waits
// once a chunk, for the slowest. Of two ranks each reads only the other's.
//
// Size 3, operands a b c of one chunk:
//   rank     0          1          2
//            leaves a   leaves b   leaves c
//   data     a b c      a b c      a b c
//
// Restrictions: the group has Streams. Operators need not commute, and the result is bitwise equal: all
// ranks combine in rank order.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/reduction_rounds.hpp"

namespace tutti::collectives {

namespace {

class AllreduceRounds final : public ReductionRounds {
public:
    AllreduceRounds(const Group& group, const std::byte* in, Buffer out, ReduceOp op,
                    std::size_t most) noexcept
        : ReductionRounds(in, out, op, most), rank_(group.rank())
    {
        leaves = true;
        takes = group.size() <= 2 ? group.size() - 1 : group.size();
    }

    void leave(std::byte* chunk) override
    {
        ReductionRounds::leave(chunk);
        if (takes == 0)
            Group::copy(out_.bytes(), {in_, leaves_bytes});
    }
    // One of more than two ranks reads its own operand from its chunk: in place, the result takes the memory.
    Source source(int i) const override { return {takes == 1 ? 1 - rank_ : i, leaves_bytes}; }
    void take(int i, const std::byte* chunk) override
    {
        if (takes == 1)
            return rank_ == 0 ? combine(in_, chunk) : combine(chunk, in_);
        if (i == 0)
            first_ = chunk;
        else
            combine(i == 1 ? first_ : out_.data, chunk);
    }

private:
    int rank_;
    const std::byte* first_ = nullptr;
};

}  // namespace

Task allreduce_shared(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const std::size_t most = most_elements(out, group.placement().chunk_bytes);
    return in_rounds(group, AllreduceRounds(group, in, out, op, most));
}

}  // namespace tutti::collectives
