#include "collectives/halving.hpp"

namespace tutti::collectives {

Task reduce_by_halving(Group& group, Buffer data, const Partition& blocks, patterns::Fold fold, ReduceOp op)
{
    const int folded = fold.folded(group.rank());
    int begin = 0;
    int end = fold.power();
    for (int bit = 1; bit < fold.power(); bit *= 2) {
        const int peer = fold.rank(folded ^ bit);
        const bool keeps_upper = (folded & bit) != 0;
        const int middle = (begin + end) / 2;
        const Buffer lower = part(data, blocks.range(begin, middle));
        const Buffer upper = part(data, blocks.range(middle, end));
        Operation combined =
            group.recv_reduce(peer, keeps_upper ? upper : lower, op, keeps_upper ? Side::left : Side::right);
        Operation sent = group.send(peer, (keeps_upper ? lower : upper).bytes());
        co_await when_all(std::move(combined), std::move(sent));
        (keeps_upper ? begin : end) = middle;
    }
}

}  // namespace tutti::collectives
