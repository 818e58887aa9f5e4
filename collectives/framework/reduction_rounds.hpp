// What the rounds of reductions over streams have in common: operand and result go on by one chunk a round.
#pragma once

#include <algorithm>

#include "collectives/framework/rounds.hpp"
#include "collectives/framework/streamed_or_sent.hpp"

namespace tutti::collectives {

/// The constructor and advance() set the part of the round under way; the algorithm says who leaves and
/// takes.
class ReductionRounds : public Rounds {
public:
    void leave(std::byte* chunk) override { Group::copy({chunk, leaves_bytes}, {in_, leaves_bytes}); }
    void advance() final
    {
        in_ += leaves_bytes;
        if (out_.data != nullptr)
            out_.data += leaves_bytes;
        left_ -= out_.count;
        begin();
    }

protected:
    ReductionRounds(const std::byte* in, Buffer out, ReduceOp op, std::size_t most) noexcept
        : in_(in), out_(out), op_(op), left_(out.count), most_(most)
    {
        begin();
    }
    ReductionRounds(const ReductionRounds&) = default;
    ReductionRounds& operator=(const ReductionRounds&) = default;
    ~ReductionRounds() = default;

    void combine(const std::byte* a, const std::byte* b) { Group::reduce(out_.data, a, b, out_.count, op_); }

    const std::byte* in_;
    Buffer out_;  // without memory at ranks that get no result

private:
    void begin() noexcept
    {
        out_.count = std::min(left_, most_);
        leaves_bytes = out_.size_bytes();
        is_last = left_ <= most_;
    }

    ReduceOp op_;
    std::size_t left_;
    std::size_t most_;
};

/// Elements of `out` in a chunk that goes one way: one at least.
inline std::size_t most_one_way(const Group& group, const Buffer& out) noexcept
{
    const std::size_t most = most_elements(out, one_way_bytes(group, out.size_bytes()));
    return most != 0 ? most : most_elements(out, group.placement().chunk_bytes);
}

}  // namespace tutti::collectives
