// Ring reduce_scatter: each rank's block starts at its right neighbour and travels once around the ring to
// its rank; every rank on the way combines its operand with it.
//
// Source: the first half of the ring allreduce; see allreduce/ring.cpp.
// Cost: size - 1 steps and chain; size (size - 1) messages, (size - 1) n bytes in all. Every rank sends and
// receives n (size - 1) / size bytes, always with the same two neighbours, and needs memory for two blocks.
//
// Size 3, operands a b c, blocks 0 1 2:
//   step   0              1              2
//   1      a2 -> 1        b0 -> 2        c1 -> 0
//   2      ca1 -> 1       ab2 -> 2       bc0 -> 0
//   has    bca0           cab1           abc2
//
// Restrictions: every block starts at another rank, so operators must commute.
#include <algorithm>
#include <array>

#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task reduce_scatter_ring(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op)
{
    const int size = group.size();
    const int rank = group.rank();
    const int right = (rank + 1) % size;
    const int left = (rank - 1 + size) % size;
    const ConstBuffer operand{in, out.element_bytes};
    if (size == 1) {
        Group::copy(out.bytes(), operand.bytes(blocks[0]));
        co_return;
    }

    std::size_t longest = 0;
    for (int index = 0; index < size; ++index)
        longest = std::max(longest, blocks[index].count);
    const std::array<Scratch, 2> memory{Group::scratch(longest * out.element_bytes),
                                        Group::scratch(longest * out.element_bytes)};
    std::span<const std::byte> outgoing = operand.bytes(blocks[left]);
    for (int step = 1; step < size; ++step) {
        const patterns::Block block = blocks[(rank - step - 1 + 2 * size) % size];
        const Scratch& free = memory[static_cast<std::size_t>(step % 2)];
        const Buffer partial = step == size - 1 ? out : Buffer{free.data(), block.count, out.element_bytes};
        Operation combined = group.recv_reduce(left, operand.bytes(block).data(), partial, op, Side::left);
        Operation sent = group.send(right, outgoing);
        co_await when_all(std::move(combined), std::move(sent));
        outgoing = partial.bytes();
    }
}

}  // namespace tutti::collectives
