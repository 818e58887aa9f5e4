// Shared all-to-all of blocks of any sizes: every rank leaves its blocks behind their sizes in a chunk that
// all ranks read (sized_round.hpp). Longer blocks travel as messages at the same time.
//
// Source: alltoall/alltoallv_board.cpp, but each rank waits for the others one after the other, and the next
// call's chunks may be written before all have read these.
// Cost: a block that fits is written and read, without a message; a longer one is a message. Blocks of up to
// 4088 bytes fit, if a chunk's bytes / (size - 1) - 8 are no less. Good for short blocks of two ranks.
//
// Size 3, ab the block from a to b, 12 too long:
//   rank     0             1                2
//   before                 sends 12 to 2    receives 12
//   chunk    01 | 02       - | 10           20 | 21
//   reads    10 20         21 01            02 (size)
//
// Restrictions: the group has Streams.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/sized_round.hpp"

namespace tutti::collectives {

Task alltoallv_shared(Group& group, ConstBlocks in, Blocks out)
{
    const int rank = group.rank();
    const int size = group.size();
    Group::copy(out[rank], in[rank]);
    const RanksInTurn others((rank + 1) % size, size - 1, size);
    const Partners all{others, others, others.size()};
    return in_sized_round(group, SizedRound(group, "alltoallv", in, out, all));
}

}  // namespace tutti::collectives
