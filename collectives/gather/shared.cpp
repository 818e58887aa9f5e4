// Shared gather: every rank leaves its block in memory that the root reads, chunk after chunk.
//
// Source: as reduce/shared.cpp, without an operator. Cost: no messages; every other rank writes its block,
// and the root reads them all. The others wait for nobody while some chunks of their streams are free.
//
// Size 3, root 1, blocks a b c of two chunks each:
//   position   rank 0      1         2
//   0          leaves a    a c       leaves c
//   1          leaves a    a c       leaves c
//
// Restrictions: the group has Streams.
#include <algorithm>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/rounds.hpp"
#include "collectives/framework/streamed_or_sent.hpp"

namespace tutti::collectives {

namespace {

class GatherRounds final : public Rounds {
public:
    GatherRounds(const Group& group, std::span<const std::byte> own, std::byte* all, int root) noexcept
        : own_(own), all_{all, own.size()}, most_(one_way_bytes(group, own.size())), root_(root)
    {
        reader = root;
        leaves = group.rank() != root;
        takes = leaves ? 0 : group.size() - 1;
        begin();
    }

    void leave(std::byte* chunk) override
    {
        Group::copy({chunk, leaves_bytes}, own_.subspan(done_, leaves_bytes));
    }
    Source source(int i) const override { return {i < root_ ? i : i + 1, leaves_bytes}; }
    void take(int i, const std::byte* chunk) override
    {
        Group::copy(all_[source(i).rank].subspan(done_, leaves_bytes), {chunk, leaves_bytes});
    }
    void advance() override
    {
        done_ += leaves_bytes;
        begin();
    }

private:
    void begin() noexcept
    {
        leaves_bytes = std::min(own_.size() - done_, most_);
        is_last = done_ + leaves_bytes == own_.size();
    }

    std::span<const std::byte> own_;
    EqualBlocks<std::byte> all_;
    std::size_t most_;
    std::size_t done_ = 0;
    int root_;
};

}  // namespace

Task gather_shared(Group& group, std::span<const std::byte> own, std::byte* all, int root)
{
    if (group.rank() == root)
        Group::copy(EqualBlocks<std::byte>{all, own.size()}[root], own);
    return in_rounds(group, GatherRounds(group, own, all, root));
}

}  // namespace tutti::collectives
