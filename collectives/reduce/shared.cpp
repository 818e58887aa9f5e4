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
// Restrictions: the group has Streams. Operators need not commute.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/reduction_rounds.hpp"

namespace tutti::collectives {

namespace {

class ReduceRounds final : public ReductionRounds {
public:
    ReduceRounds(const Group& group, const std::byte* in, Buffer out, int root, ReduceOp op,
                 std::size_t most) noexcept
        : ReductionRounds(in, out, op, most), root_(root)
    {
        reader = root;
        leaves = group.rank() != root;
        takes = leaves ? 0 : group.size() - 1;
    }

    Source source(int i) const override { return {i < root_ ? root_ - 1 - i : i + 1, leaves_bytes}; }
    void take(int i, const std::byte* chunk) override
    {
        const std::byte* const partial = i == 0 ? in_ : out_.data;
        i < root_ ? combine(chunk, partial) : combine(partial, chunk);
    }

private:
    int root_;
};

Task reduce_streamed_or_sent(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op,
                             std::size_t most)
{
    Operation ready = way_is_known(group, 1 - root);
    co_await ready;
    Task rest = comes_as_message(group, 1 - root, {in, out.size_bytes()})
                    ? reduce_flat(group, in, out, root, op)
                    : await_rounds(group, ReduceRounds(group, in, out, root, op, most));
    co_await rest;
}

}  // namespace

Task reduce_shared(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    const std::size_t most = most_one_way(group, out);
    if (group.size() == 1) {
        Group::copy(out.bytes(), {in, out.size_bytes()});
        return in_rounds(group, ReduceRounds(group, in, out, root, op, most));
    }
    if (reads_long_data_in_place(group, out.size_bytes()))
        return reduce_streamed_or_sent(group, in, out, root, op, most);
    return in_rounds(group, ReduceRounds(group, in, out, root, op, most));
}

}  // namespace tutti::collectives
