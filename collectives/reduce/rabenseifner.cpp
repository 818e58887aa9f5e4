// Rabenseifner's reduce: recursive halving leaves one finished block at every rank (see halving.hpp). On the
// way back, in each pair the rank on the root's side receives the other's blocks.
//
// Source: Rabenseifner, "Optimization of collective reduction operations", 2004; Thakur, Rabenseifner and
// Gropp, "Optimization of collective communication operations in MPICH", 2005, section 4.5.
// Cost: 2 log2(power) steps and chain, power = the largest power of two <= size; one more step if size is no
// power of two, and one more if the root is among the size - power ranks that stay out. The halving takes
// power log2(power) messages with (power - 1) n bytes, the gathering power - 1 with about log2(power) n / 2,
// and each additional step one of n bytes. A rank receives about 2 n bytes; the root of a binomial tree
// receives and combines log2(size) n: for long data.
//
// Size 6, power 4, root 3, operands a b c d e f, blocks 0 1 2 3. The fold is that of
// allreduce/recursive_doubling.cpp; the root counts as 1:
//   step     0      1           2      3           4           5
//   fold     -> 1   ab 0123     -> 3   cd 0123     e 0123      f 0123
//   counts          0                  1           2           3
//   bit 0           abcd 01            abcd 23     ef 01       ef 23
//   bit 1           a..f 0             a..f 2      a..f 1      a..f 3
//   bit 1           a..f 01            a..f 23     -> 1        -> 3
//   bit 0           -> 3               a..f 0123
//
// Restrictions: none; operators need not commute.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/halving.hpp"

namespace tutti::collectives {

namespace {

/// After halving: gathers all blocks at the rank that counts as `target`.
Task gather_halves(Group& group, Buffer data, const Partition& blocks, patterns::Fold fold, int target)
{
    const int folded = fold.folded(group.rank());
    int begin = halving_block(folded, fold);
    int end = begin + 1;
    for (int bit = fold.power() / 2; bit >= 1; bit /= 2) {
        const int peer = fold.rank(folded ^ bit);
        if (((folded ^ target) & bit) != 0) {
            Operation sent = group.send(peer, part(data, blocks.range(begin, end)).bytes());
            co_await sent;
            co_return;
        }
        const bool has_upper = (folded & bit) != 0;
        const int length = end - begin;
        const int other = has_upper ? begin - length : end;
        Operation received = group.recv(peer, part(data, blocks.range(other, other + length)).bytes());
        co_await received;
        (has_upper ? begin : end) += has_upper ? -length : length;
    }
}

}  // namespace

Task reduce_rabenseifner(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    const int rank = group.rank();
    const patterns::Fold fold(group.size());

    if (fold.folded(rank) == patterns::Fold::kOut) {
        Operation given = group.send(rank + 1, {in, out.size_bytes()});
        co_await given;
        if (rank == root) {
            Operation received = group.recv(rank + 1, out.bytes());
            co_await received;
        }
        co_return;
    }

    Scratch memory;
    Buffer data = out;
    if (data.data == nullptr) {
        memory = Group::scratch(out.size_bytes());
        data.data = memory.data();
    }
    if (fold.is_paired(rank)) {
        Operation taken = group.recv_reduce(rank - 1, in, data, op, Side::left);
        co_await taken;
        in = data.data;
    }

    const Partition blocks = Partition::even(data.count, fold.power());
    Task halved = reduce_by_halving(group, in, data, blocks, fold, op);
    co_await halved;
    const bool root_is_out = fold.folded(root) == patterns::Fold::kOut;
    const int collector = root_is_out ? root + 1 : root;
    Task gathered = gather_halves(group, data, blocks, fold, fold.folded(collector));
    co_await gathered;
    if (root_is_out && rank == collector) {
        Operation sent = group.send(root, data.bytes());
        co_await sent;
    }
}

}  // namespace tutti::collectives
