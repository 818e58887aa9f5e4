// Recursive halving: in step k ranks that differ in bit k halve the blocks that both still combine, and each
// combines one half; after log2(power) steps every rank has its own block (see halving.hpp).
//
// Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH",
// 2005, section 4.3; the fold to a power of two is Rabenseifner's. There distant ranks exchange first, which
// needs operators that commute. Here neighbours do, and the blocks lie in the order of the reversed bits of
// their ranks, so that each rank ends with its own. Cost: log2(power) steps and chain, power = the largest
// power of two <= size, and 2 more steps if size is no power of two; power log2(power) + 2 (size - power)
// messages, (power - 1) n + (size - power) n bytes in all and the blocks of the size - power ranks that stay
// out; a copy of n bytes at every rank.
//
// Size 6, power 4, operands a b c d e f, blocks 0 to 5. The fold is that of allreduce/recursive_doubling.cpp;
// ranks 0 1 and 2 3 have two blocks, and the order in memory is (0 1) 4 (2 3) 5:
//   step     0      1              2      3              4              5
//   fold     -> 1   ab             -> 3   cd             e              f
//   counts          0                     1              2              3
//   bit 0           abcd 01 4             abcd 23 5      ef 01 4        ef 23 5
//   bit 1           a..f 01               a..f 23        a..f 4         a..f 5
//   unfold   0      0 -> 0         2      2 -> 2
//
// Restrictions: none; operators need not commute.
#include <vector>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/halving.hpp"

namespace tutti::collectives {

namespace {

/// The blocks of a folded rank: that of the rank that folds into it, if any, then its own.
patterns::Block blocks_of(int folded, const patterns::Fold& fold, const Partition& blocks) noexcept
{
    const int rank = fold.rank(folded);
    return blocks.range(fold.is_paired(rank) ? rank - 1 : rank, rank + 1);
}

/// The blocks of all folded ranks in the order in which halving leaves them.
Partition in_halving_order(const patterns::Fold& fold, const Partition& blocks)
{
    std::vector<std::size_t> counts;
    for (int place = 0; place < fold.power(); ++place) {
        // Two reversals of the bits cancel: this gives the folded rank that ends at this place.
        counts.push_back(blocks_of(halving_block(place, fold), fold, blocks).count);
    }
    return Partition::of_counts(counts);
}

}  // namespace

Task reduce_scatter_recursive_halving(Group& group, const std::byte* in, Partition blocks, Buffer out,
                                      ReduceOp op)
{
    const int rank = group.rank();
    const patterns::Fold fold(group.size());
    const int folded = fold.folded(rank);
    const ConstBuffer operand{in, out.element_bytes};

    const Partition places = in_halving_order(fold, blocks);
    const Scratch memory = Group::scratch(blocks.count() * out.element_bytes);
    const Buffer data{memory.data(), blocks.count(), out.element_bytes};
    for (int place = 0; place < fold.power(); ++place) {
        const patterns::Block from = blocks_of(halving_block(place, fold), fold, blocks);
        Group::copy(part(data, places[place]).bytes(), operand.bytes(from));
    }

    if (folded == patterns::Fold::kOut) {
        Operation given = group.send(rank + 1, data.bytes());
        co_await given;
        Operation received = group.recv(rank + 1, out.bytes());
        co_await received;
        co_return;
    }
    if (fold.is_paired(rank)) {
        Operation taken = group.recv_reduce(rank - 1, data, op, Side::left);
        co_await taken;
    }
    Task halved = reduce_by_halving(group, data.data, data, places, fold, op);
    co_await halved;

    const std::span<const std::byte> finished = part(data, places[halving_block(folded, fold)]).bytes();
    Group::copy(out.bytes(), finished.last(out.size_bytes()));
    if (fold.is_paired(rank)) {
        Operation given_back = group.send(rank - 1, finished.first(finished.size() - out.size_bytes()));
        co_await given_back;
    }
}

}  // namespace tutti::collectives
