// Shared gather of blocks of any sizes: every rank leaves its block behind its size in a chunk that the root
// reads (sized_round.hpp). Longer blocks travel as messages at the same time.
//
// Source: as gather/shared.cpp. Cost: a block that fits is written and read, without a message; a longer one
// is a message. Blocks of up to 4088 bytes fit. The others wait for nobody while some chunks of their streams
// are free. Good for short blocks of two ranks.
//
// Size 3, root 1, blocks a b c, c too long:
//   rank     0      1                    2
//   before          receives c           sends c to 1
//   chunk    a                           (size)
//   reads           a, the size of c
//
// Restrictions: the group has Streams.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/sized_round.hpp"

namespace tutti::collectives {

Task gatherv_shared(Group& group, std::span<const std::byte> own, Blocks all, int root)
{
    const int size = group.size();
    const bool is_root = group.rank() == root;
    if (is_root)
        Group::copy(all[root], own);
    const Partners partners{RanksInTurn(root, is_root ? 0 : 1, size),
                            RanksInTurn((root + 1) % size, is_root ? size - 1 : 0, size), 1};
    return in_sized_round(group, SizedRound(group, "gatherv", OneBlock<const std::byte>{own}, all, partners));
}

}  // namespace tutti::collectives
