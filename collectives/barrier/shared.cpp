// Shared barrier: every rank leaves an empty chunk in memory that all ranks read, and looks for those of all
// others.
//
// Source: textbook (flags of all ranks, each in a line of its own). Cost: no messages; every rank writes one
// line and reads size - 1. The chunks of all ranks may be under way at once, so of two ranks with a core each
// neither waits longer than for one line of the other's.
//
// Size 3, the chunks that each rank waits for:
//   rank     0       1       2
//            1 2     0 2     0 1
//
// Restrictions: the group has Streams.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/rounds.hpp"

namespace tutti::collectives {

namespace {

class BarrierRound final : public Rounds {
public:
    explicit BarrierRound(const Group& group) noexcept : rank_(group.rank())
    {
        leaves = true;
        takes = group.size() - 1;
    }

    void leave(std::byte*) override {}
    Source source(int i) const override { return {i < rank_ ? i : i + 1, 0}; }
    void take(int, const std::byte*) override {}
    void advance() override {}

private:
    int rank_;
};

}  // namespace

Task barrier_shared(Group& group)
{
    return in_rounds(group, BarrierRound(group));
}

}  // namespace tutti::collectives
