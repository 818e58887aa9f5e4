// Shared scan and exscan: every rank leaves its operand in memory that the ranks above read, chunk after
// chunk; each combines those of all ranks below.
//
// Source: as allreduce/shared.cpp. Cost: no messages; every rank but the last writes n bytes, rank r reads
// and combines r n. A rank waits only for ranks below it, and for room. Two ranks send long operands that may
// be read where they lie as messages (streamed_or_sent.hpp).
//
// Size 3, operands a b c; a rank combines downwards from its neighbour, which keeps rank order:
//   rank     0           1           2
//            leaves a    leaves b    reads b, a
//                        reads a
//   scan     a           a b         a b c
//   exscan               a           a b
//
// Restrictions: the group has Streams. Operators need not commute. Elements longer than a chunk are combined
// by the flat algorithm.
#include <algorithm>

#include "collectives/functions.hpp"
#include "collectives/rounds.hpp"
#include "collectives/streamed_or_sent.hpp"

namespace tutti::collectives {

namespace {

class ScanRounds final : public Rounds {
public:
    ScanRounds(const Group& group, const std::byte* in, Buffer out, ReduceOp op, bool inclusive,
               std::size_t most) noexcept
        : in_(in),
          out_(out),
          left_(out.count),
          most_(most),
          op_(op),
          rank_(group.rank()),
          inclusive_(inclusive)
    {
        leaves = rank_ + 1 != group.size();
        takes = rank_;
        begin();
    }

    // Before the result comes, perhaps to the same place.
    void leave(std::byte* chunk) override { Group::copy({chunk, leaves_bytes}, {in_, leaves_bytes}); }
    Source source(int i) const override { return {rank_ - 1 - i, leaves_bytes}; }
    void take(int i, const std::byte* chunk) override
    {
        if (i == 0 && !inclusive_)
            Group::copy(out_.bytes(), {chunk, leaves_bytes});
        else
            Group::reduce(out_.data, chunk, i == 0 ? in_ : out_.data, out_.count, op_);
    }
    void advance() override
    {
        in_ += leaves_bytes;
        out_.data += leaves_bytes;
        left_ -= out_.count;
        begin();
    }

private:
    void begin() noexcept
    {
        out_.count = std::min(left_, most_);
        leaves_bytes = out_.size_bytes();
        is_last = left_ <= most_;
    }

    const std::byte* in_;
    Buffer out_;  // the part of this round
    std::size_t left_;
    std::size_t most_;
    ReduceOp op_;
    int rank_;
    bool inclusive_;
};

std::size_t most_of_scan(const Group& group, const Buffer& out) noexcept
{
    const std::size_t most = most_elements(out, one_way_bytes(group, out.size_bytes()));
    return most != 0 ? most : most_elements(out, group.chunk_bytes());
}

}  // namespace

Task scan_shared(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const std::size_t most = most_of_scan(group, out);
    if ((most == 0 && out.count != 0) || is_sent(group, out.size_bytes()))
        return scan_flat(group, in, out, op);
    if (group.rank() == 0)
        Group::copy(out.bytes(), {in, out.size_bytes()});
    return in_rounds(group, ScanRounds(group, in, out, op, true, most));
}

Task exscan_shared(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const std::size_t most = most_of_scan(group, out);
    if ((most == 0 && out.count != 0) || is_sent(group, out.size_bytes()))
        return exscan_flat(group, in, out, op);
    return in_rounds(group, ScanRounds(group, in, out, op, false, most));
}

}  // namespace tutti::collectives
