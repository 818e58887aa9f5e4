// Ring allreduce: the data is cut into one block for each rank. Every block travels once around the ring, and
// each rank combines its operand with it; then the finished blocks travel around again.
//
// Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
// Cost: 2 (size - 1) steps and chain; 2 size (size - 1) messages, 2 (size - 1) n bytes in all. Every rank
// sends and receives 2 n (size - 1) / size bytes, always with the same two neighbours. No algorithm needs
// less: for long data.
//
// Size 3, blocks 0 1 2 of operands a b c:
//   step   0             1             2
//   1      a2 -> 1       b0 -> 2       c1 -> 0
//   2      ca1 -> 1      ab2 -> 2      bc0 -> 0
//          has bca0      has cab1      has abc2
//   3      block 0 -> 1  block 1 -> 2  block 2 -> 0
//   4      block 2 -> 1  block 0 -> 2  block 1 -> 0
//
// Restrictions: every block starts at another rank, so operators must commute. One rank finishes each block,
// so the result is bitwise equal at all ranks.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/partition.hpp"

namespace tutti::collectives {

Task allreduce_ring(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const int size = group.size();
    const int rank = group.rank();
    if (size == 1) {
        Group::copy(out.bytes(), {in, out.size_bytes()});
        co_return;
    }
    const int right = (rank + 1) % size;
    const int left = (rank - 1 + size) % size;
    const ConstBuffer operand{in, out.element_bytes};
    const Partition blocks = Partition::even(out.count, size);
    // The block `steps` places to the left of this rank's own.
    const auto behind = [&](int steps) { return blocks[(rank - steps + 2 * size) % size]; };

    std::span<const std::byte> outgoing = operand.bytes(behind(1));
    for (int step = 1; step < size; ++step) {
        const patterns::Block block = behind(step + 1);
        const Buffer partial = part(out, block);
        Operation combined = group.recv_reduce(left, operand.bytes(block).data(), partial, op, Side::left);
        Operation sent = group.send(right, outgoing);
        co_await when_all(std::move(combined), std::move(sent));
        outgoing = partial.bytes();
    }
    for (int step = 0; step < size - 1; ++step) {
        co_await group.exchange(right, part(out, behind(step)).bytes(), left,
                                part(out, behind(step + 1)).bytes());
    }
}

}  // namespace tutti::collectives
