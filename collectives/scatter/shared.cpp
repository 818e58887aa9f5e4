// Shared scatter: the root leaves each other rank's block in memory that this one reads, chunk after chunk.
//
// Source: as broadcast/shared.cpp. Cost: no messages; the root writes all other blocks, every rank reads its
// own. The root waits for nobody while some chunks of its stream are free.
//
// Size 3, root 1, blocks a b c of one chunk each:
//   position   rank 0    1           2
//   0          a         leaves a
//   1                    leaves c    c
//
// Restrictions: the group has Streams.
#include <algorithm>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/rounds.hpp"
#include "collectives/framework/streamed_or_sent.hpp"

namespace tutti::collectives {

namespace {

class ScatterRounds final : public Rounds {
public:
    ScatterRounds(const Group& group, const std::byte* all, std::span<std::byte> own, int root) noexcept
        : all_{all, own.size()},
          own_(own),
          most_(one_way_bytes(group, own.size())),
          rank_(group.rank()),
          root_(root),
          others_(group.size() - 1)
    {
        begin();
    }

    void leave(std::byte* chunk) override
    {
        Group::copy({chunk, leaves_bytes}, all_[reader].subspan(done_, leaves_bytes));
    }
    Source source(int) const override { return {root_, leaves_bytes}; }
    void take(int, const std::byte* chunk) override
    {
        Group::copy(own_.subspan(done_, leaves_bytes), {chunk, leaves_bytes});
    }
    void advance() override
    {
        done_ += leaves_bytes;
        if (done_ == own_.size()) {
            done_ = 0;
            ++turn_;
        }
        begin();
    }

private:
    void begin() noexcept
    {
        reader = turn_ < root_ ? turn_ : turn_ + 1;
        leaves = rank_ == root_ && others_ != 0;
        takes = rank_ == reader ? 1 : 0;
        leaves_bytes = std::min(own_.size() - done_, most_);
        is_last = turn_ + 1 >= others_ && done_ + leaves_bytes == own_.size();
    }

    EqualBlocks<const std::byte> all_;
    std::span<std::byte> own_;
    std::size_t most_;
    std::size_t done_ = 0;  // bytes of the block
    int rank_;
    int root_;
    int others_;
    int turn_ = 0;  // of a rank other than the root
};

}  // namespace

Task scatter_shared(Group& group, const std::byte* all, std::span<std::byte> own, int root)
{
    Task task = in_rounds(group, ScatterRounds(group, all, own, root));
    // Last: the others have their blocks meanwhile.
    if (group.rank() == root)
        Group::copy(own, EqualBlocks<const std::byte>{all, own.size()}[root]);
    return task;
}

}  // namespace tutti::collectives
