// Rabenseifner's allreduce: in step k ranks that differ in bit k halve the blocks that both still combine,
// and each combines one half; after log2(power) steps every rank has finished one block. The same steps in
// reverse, which double each rank's blocks, give all blocks to all ranks.
//
// Source: Rabenseifner, "Optimization of collective reduction operations", 2004; Thakur, Rabenseifner and
// Gropp, "Optimization of collective communication operations in MPICH", 2005, section 4.4.
// Cost: 2 log2(power) steps and chain, power = the largest power of two <= size, and 2 more steps if size is
// no power of two; 2 power log2(power) + 2 (size - power) messages, 2 (power - 1) n + 2 (size - power) n
// bytes in all. Every rank sends and receives about 2 n bytes in as many steps as a tree: for data of medium
// length, and for long data if size is a power of two.
//
// Size 6, power 4, operands a b c d e f, blocks 0 1 2 3. The fold is that of recursive_doubling.cpp:
//   step     0      1           2      3           4           5
//   fold     -> 1   ab 0123     -> 3   cd 0123     e 0123      f 0123
//   counts          0                  1           2           3
//   bit 0           abcd 01            abcd 23     ef 01       ef 23
//   bit 1           a..f 0             a..f 2      a..f 1      a..f 3
//   bit 1           a..f 01            a..f 23     a..f 01     a..f 23
//   bit 0           a..f 0123          a..f 0123   a..f 0123   a..f 0123
//   unfold   0123   -> 0        0123   -> 2
//
// Restrictions: none. Neighbours exchange first, so partial results always cover consecutive ranks, the lower
// ones on the left: operators need not commute. One rank finishes each block, so the result is bitwise equal
// at all ranks.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/halving.hpp"
#include "collectives/framework/partition.hpp"

namespace tutti::collectives {

Task allreduce_rabenseifner(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const int rank = group.rank();
    const patterns::Fold fold(group.size());
    const int folded = fold.folded(rank);

    if (folded == patterns::Fold::kOut) {
        Operation given = group.send(rank + 1, {in, out.size_bytes()});
        co_await given;
        Operation received = group.recv(rank + 1, out.bytes());
        co_await received;
        co_return;
    }
    if (fold.is_paired(rank)) {
        Operation taken = group.recv_reduce(rank - 1, in, out, op, Side::left);
        co_await taken;
        in = out.data;
    }

    const Partition blocks = Partition::even(out.count, fold.power());
    Task halved = reduce_by_halving(group, in, out, blocks, fold, op);
    co_await halved;

    int begin = halving_block(folded, fold);
    int end = begin + 1;
    for (int bit = fold.power() / 2; bit >= 1; bit /= 2) {
        const int peer = fold.rank(folded ^ bit);
        const bool has_upper = (folded & bit) != 0;
        const int length = end - begin;
        const int other = has_upper ? begin - length : end;
        const Buffer mine = part(out, blocks.range(begin, end));
        const Buffer theirs = part(out, blocks.range(other, other + length));
        co_await group.exchange(peer, mine.bytes(), peer, theirs.bytes());
        (has_upper ? begin : end) += has_upper ? -length : length;
    }

    if (fold.is_paired(rank)) {
        Operation given_back = group.send(rank - 1, out.bytes());
        co_await given_back;
    }
}

}  // namespace tutti::collectives
