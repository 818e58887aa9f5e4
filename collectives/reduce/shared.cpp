// Shared reduce: every rank leaves its operand in memory that the root reads, chunk after chunk; the root
// combines the operands of all.
//
// Source: the gather half of the release-gather of Jain and others, "Framework for scalable intra-node
// collective operations using shared memory", 2018. Cost: no messages; every other rank writes n bytes, the
// root reads and combines (size - 1) * n. The others wait for nobody while some chunks of their streams are
// free. Of two ranks: long operands that the root reads where they lie come as a message
// (streamed_or_sent.hpp).
//
// Size 4, root 2, operands a b c d. The root combines the ranks below it downwards and then those above
// upwards, which keeps rank order without more memory:
//   read from    result at rank 2
//   (own)        c
//   1            b c
//   0            a b c
//   3            a b c d
//
// Restrictions: the group has Streams. Operators need not commute. Elements longer than a chunk are reduced
// by the flat algorithm.
#include <algorithm>

#include "collectives/functions.hpp"
#include "collectives/rounds.hpp"
#include "collectives/streamed_or_sent.hpp"

namespace tutti::collectives {

namespace {

class ReduceRounds final : public Rounds {
public:
    ReduceRounds(const Group& group, const std::byte* in, Buffer out, int root, ReduceOp op,
                 std::size_t most) noexcept
        : in_(in), out_(out), left_(out.count), most_(most), op_(op), root_(root)
    {
        reader = root;
        leaves = group.rank() != root;
        takes = leaves ? 0 : group.size() - 1;
        begin();
    }

    void leave(std::byte* chunk) override { Group::copy({chunk, leaves_bytes}, {in_, leaves_bytes}); }
    Source source(int i) const override { return {i < root_ ? root_ - 1 - i : i + 1, leaves_bytes}; }
    void take(int i, const std::byte* chunk) override
    {
        const std::byte* const partial = i == 0 ? in_ : out_.data;
        const bool below = i < root_;
        Group::reduce(out_.data, below ? chunk : partial, below ? partial : chunk, out_.count, op_);
    }
    void advance() override
    {
        in_ += leaves_bytes;
        if (!leaves)
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
    Buffer out_;  // the part of this round; without memory at other ranks than the root
    std::size_t left_;
    std::size_t most_;
    ReduceOp op_;
    int root_;
};

Task reduce_streamed_or_sent(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op,
                             std::size_t most)
{
    Operation ready = ready_to_tell(group, 1 - root);
    co_await ready;
    Task rest = comes_as_message(group, 1 - root, {in, out.size_bytes()})
                    ? reduce_flat(group, in, out, root, op)
                    : await_rounds(group, ReduceRounds(group, in, out, root, op, most));
    co_await rest;
}

}  // namespace

Task reduce_shared(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    std::size_t most = most_elements(out, one_way_bytes(group, out.size_bytes()));
    if (most == 0)
        most = most_elements(out, group.chunk_bytes());
    if (most == 0 && out.count != 0)
        return reduce_flat(group, in, out, root, op);
    if (group.size() == 1) {
        Group::copy(out.bytes(), {in, out.size_bytes()});
        return in_rounds(group, ReduceRounds(group, in, out, root, op, most));
    }
    if (is_told(group, out.size_bytes()))
        return reduce_streamed_or_sent(group, in, out, root, op, most);
    return in_rounds(group, ReduceRounds(group, in, out, root, op, most));
}

}  // namespace tutti::collectives
