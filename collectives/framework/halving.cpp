#include "collectives/framework/halving.hpp"

namespace tutti::collectives {

Task reduce_by_halving(Group& group, const std::byte* in, Buffer data, const Partition& blocks,
                       patterns::Fold fold, ReduceOp op)
{
    const int folded = fold.folded(group.rank());
    ConstBuffer operand{in, data.element_bytes};
    int begin = 0;
    int end = fold.power();
    for (int bit = 1; bit < fold.power(); bit *= 2) {
        const int peer = fold.rank(folded ^ bit);
        const bool keeps_upper = (folded & bit) != 0;
        const int middle = (begin + end) / 2;
        const patterns::Block lower = blocks.range(begin, middle);
        const patterns::Block upper = blocks.range(middle, end);
        const patterns::Block kept = keeps_upper ? upper : lower;
        Operation combined = group.recv_reduce(peer, operand.bytes(kept).data(), part(data, kept), op,
                                               keeps_upper ? Side::left : Side::right);
        Operation sent = group.send(peer, operand.bytes(keeps_upper ? lower : upper));
        co_await when_all(std::move(combined), std::move(sent));
        operand.data = data.data;
        (keeps_upper ? begin : end) = middle;
    }
    // A rank alone has no partner.
    if (fold.power() == 1)
        Group::copy(data.bytes(), {in, data.size_bytes()});
}

}  // namespace tutti::collectives
