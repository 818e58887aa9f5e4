// Scatter and allgather: the data is cut into one block for each rank; a binomial tree scatters the blocks, a
// ring gathers all at all ranks. Ranks are counted from the root. An inner rank of the tree keeps the blocks
// that pass through it, and the ring does not send them again.
//
// Source: van de Geijn's algorithm, in Barnett and others, "Global combine on mesh architectures with
// wormhole routing", 1993; Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", 2005, section 4.2. No blocks to ranks that have them: Zhou and others, "A
// bandwidth-saving optimization for MPI broadcast collective operation", 2015. Cost: at most ceil(log2 size)
// + size - 1 steps; size - 1 messages of the scatter, and size (size - 1) of the ring less those for blocks
// that the tree has left at their receivers. A rank receives less than 2 n (size - 1) / size bytes, the root
// none: for long data and many ranks.
//
// Size 6, root 0, the blocks of each rank:
//   step      0         1        2        3        4        5
//   scatter   0..5      1        2 3      3        4 5      5
//   ring 1    0..5      0 1      1 2 3    2 3      3 4 5    4 5
//   ring 2    0..5      5 0 1    0..3     1 2 3    2..5     3 4 5
//   ...
//   ring 5    0..5      0..5     0..5     0..5     0..5     0..5
// The ring omits 7 of its 30 messages: 5 to the root, 1 to rank 2 and 1 to rank 4.
//
// Restrictions: none; blocks may be empty.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/partition.hpp"

namespace tutti::collectives {

Task broadcast_scatter_allgather(Group& group, std::span<std::byte> data, int root)
{
    const int size = group.size();
    const patterns::BinomialTree tree(group.rank(), root, size);
    const int own = (group.rank() - root + size) % size;  // ranks and blocks are counted from the root
    const Partition blocks = Partition::even(data.size(), size);
    const auto bytes = [&](int begin, int end) {
        const patterns::Block range = blocks.range(begin, end);
        return data.subspan(range.first, range.count);
    };

    OperationList sends;
    if (!tree.is_root()) {
        Operation received = group.recv(tree.parent(), bytes(own, tree.subtree_end()));
        co_await received;
    }
    for (int index = tree.child_count() - 1; index >= 0; --index) {
        const patterns::BinomialTree child(tree.child(index), root, size);
        sends.add(group.send(tree.child(index), bytes(own + (1 << index), child.subtree_end())));
    }

    const int right = (group.rank() + 1) % size;
    const int left = (group.rank() - 1 + size) % size;
    const int right_end = patterns::BinomialTree(right, root, size).subtree_end();
    const int right_own = (own + 1) % size;
    for (int step = 0; step < size - 1; ++step) {
        const int outgoing = (own - step + size) % size;
        const int incoming = (own - step - 1 + size) % size;
        Operation received;
        if (incoming < own || incoming >= tree.subtree_end())
            received = group.recv(left, bytes(incoming, incoming + 1));
        if (outgoing < right_own || outgoing >= right_end)
            sends.add(group.send(right, bytes(outgoing, outgoing + 1)));
        co_await received;
    }
    co_await when_all(std::move(sends));
}

}  // namespace tutti::collectives
