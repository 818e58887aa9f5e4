// Shared reduce_scatter of two ranks: each leaves the other's block of its operand in memory that both read,
// chunk after chunk, and combines its own block with what the other left.
//
// Source: as allreduce/shared.cpp. Cost: no messages; each rank writes, reads and combines one block.
//
// Operands a b, blocks 0 and 1 of one chunk:
//   rank     0            1
//            leaves a1    leaves b0
//   has      a0 b0        a1 b1
//
// Restrictions: two ranks, which have Streams. Operators need not commute.
#include <algorithm>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/rounds.hpp"

namespace tutti::collectives {

namespace {

class ReduceScatterRounds final : public Rounds {
public:
    /// `most`: elements of a chunk.
    ReduceScatterRounds(const Group& group, ConstBuffer operand, const Partition& blocks, Buffer out,
                        ReduceOp op, std::size_t most) noexcept
        : own_(operand.bytes(blocks[group.rank()]).data()),
          others_(operand.bytes(blocks[1 - group.rank()])),
          out_(out),
          op_(op),
          own_left_(out.count),
          most_(most),
          rank_(group.rank())
    {
        begin();
    }

    void leave(std::byte* chunk) override { Group::copy({chunk, leaves_bytes}, others_.first(leaves_bytes)); }
    Source source(int) const override { return {1 - rank_, out_.size_bytes()}; }
    void take(int, const std::byte* chunk) override
    {
        Group::reduce(out_.data, rank_ == 0 ? own_ : chunk, rank_ == 0 ? chunk : own_, out_.count, op_);
    }
    void advance() override
    {
        own_ += out_.size_bytes();
        out_.data += out_.size_bytes();
        own_left_ -= out_.count;
        others_ = others_.subspan(leaves_bytes);
        begin();
    }

private:
    void begin() noexcept
    {
        const std::size_t most_bytes = most_ * out_.element_bytes;
        out_.count = std::min(own_left_, most_);
        leaves_bytes = std::min(others_.size(), most_bytes);
        leaves = leaves_bytes != 0;
        takes = out_.count != 0 ? 1 : 0;
        is_last = own_left_ <= most_ && others_.size() <= most_bytes;
    }

    const std::byte* own_;
    std::span<const std::byte> others_;
    Buffer out_;
    ReduceOp op_;
    std::size_t own_left_;
    std::size_t most_;
    int rank_;
};

}  // namespace

Task reduce_scatter_shared(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op)
{
    const std::size_t most = group.placement().chunk_bytes / out.element_bytes;
    return in_rounds(group, ReduceScatterRounds(group, {in, out.element_bytes}, blocks, out, op, most));
}

}  // namespace tutti::collectives
