// Shared scatter of blocks of any sizes: the root leaves each other rank's block behind its size in a chunk
// that all read (sized_round.hpp). Longer blocks travel as messages at the same time.
//
// Source: as scatter/shared.cpp, but all blocks lie in one chunk. Cost: a block that fits is written and
// read, without a message; a longer one is a message. Blocks of up to 4088 bytes fit, if a chunk's bytes /
// (size - 1) - 8 are no less. The root waits for nobody while some chunks of its stream are free. Good for
// short blocks of two ranks.
//
// Size 3, root 1, blocks a b c, c too long:
//   rank     0      1                    2
//   before          sends c to 2         receives c
//   chunk           (size of c) | a
//   reads    a                           the size
//
// Restrictions: the group has Streams.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/sized_round.hpp"

namespace tutti::collectives {

Task scatterv_shared(Group& group, ConstBlocks all, std::span<std::byte> own, int root)
{
    const int size = group.size();
    const bool is_root = group.rank() == root;
    const Partners partners{RanksInTurn((root + 1) % size, is_root ? size - 1 : 0, size),
                            RanksInTurn(root, is_root ? 0 : 1, size), static_cast<std::size_t>(size) - 1};
    Task task = in_sized_round(group, SizedRound(group, "scatterv", all, OneBlock<std::byte>{own}, partners));
    // Last: the others have their blocks meanwhile.
    if (is_root)
        Group::copy(own, all[root]);
    return task;
}

}  // namespace tutti::collectives
