// Shared scan and exscan: every rank leaves its operand in memory that the ranks above read, chunk after
// chunk; each combines those of all ranks below.
//
// Source: as allreduce/shared.cpp. Cost: no messages; every rank but the last writes n bytes, rank r reads
// and combines r n. A rank waits only for ranks below it, and for room.
//
// Size 3, operands a b c; a rank combines downwards from its neighbour, which keeps rank order:
//   rank     0           1           2
//            leaves a    leaves b    reads b, a
//                        reads a
//   scan     a           a b         a b c
//   exscan               a           a b
//
// Restrictions: the group has Streams. Operators need not commute.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/reduction_rounds.hpp"

namespace tutti::collectives {

namespace {

// An operand is left before the result comes, perhaps to the same place.
class ScanRounds final : public ReductionRounds {
public:
    ScanRounds(const Group& group, const std::byte* in, Buffer out, ReduceOp op, bool inclusive,
               std::size_t most) noexcept
        : ReductionRounds(in, out, op, most), inclusive_(inclusive)
    {
        leaves = group.rank() + 1 != group.size();
        takes = group.rank();
    }

    Source source(int i) const override { return {takes - 1 - i, leaves_bytes}; }
    void take(int i, const std::byte* chunk) override
    {
        if (i == 0 && !inclusive_)
            Group::copy(out_.bytes(), {chunk, leaves_bytes});
        else
            combine(chunk, i == 0 ? in_ : out_.data);
    }

private:
    bool inclusive_;
};

}  // namespace

Task scan_shared(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const std::size_t most = most_one_way(group, out);
    if (group.rank() == 0)
        Group::copy(out.bytes(), {in, out.size_bytes()});
    return in_rounds(group, ScanRounds(group, in, out, op, true, most));
}

Task exscan_shared(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const std::size_t most = most_one_way(group, out);
    return in_rounds(group, ScanRounds(group, in, out, op, false, most));
}

}  // namespace tutti::collectives
