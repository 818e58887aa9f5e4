// Shared allgather: every rank leaves its block in memory that all ranks read, chunk after chunk; each copies
// the blocks of all others.
//
// Source: as allreduce/shared.cpp. Cost: no messages; every rank writes its block, and reads size - 1 blocks.
// Good for short blocks of few ranks with a core each.
//
// Size 3, blocks a b c, of which b has two chunks:
//   position   rank 0            1                 2
//   0          leaves a, b c     leaves b, a c     leaves c, a b
//   1          b                 leaves b          b
//
// Restrictions: the group has Streams. Blocks may be unequal.
#include <algorithm>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/rounds.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksOfRanks>
class AllgatherRounds final : public Rounds {
public:
    AllgatherRounds(const Group& group, const std::byte* own, BlocksOfRanks all, std::size_t most) noexcept
        : own_(own), all_(all), most_(most), rank_(group.rank()), size_(group.size())
    {
        for (int rank = 0; rank < size_; ++rank)
            longest_ = std::max(longest_, all_[rank].size());
        begin();
    }

    void leave(std::byte* chunk) override
    {
        Group::copy({chunk, leaves_bytes}, {own_ + done_, leaves_bytes});
    }
    // Counted among the ranks that have a chunk.
    Source source(int i) const override
    {
        int rank = 0;
        for (;; ++rank)
            if (rank != rank_ && bytes_of(rank) != 0 && i-- == 0)
                return {rank, bytes_of(rank)};
    }
    void take(int i, const std::byte* chunk) override
    {
        const Source from = source(i);
        Group::copy(all_[from.rank].subspan(done_, from.size_bytes), {chunk, from.size_bytes});
    }
    void advance() override
    {
        done_ += most_;
        begin();
    }

private:
    std::size_t bytes_of(int rank) const noexcept
    {
        const std::size_t size_bytes = all_[rank].size();
        return size_bytes > done_ ? std::min(size_bytes - done_, most_) : 0;
    }
    void begin() noexcept
    {
        leaves_bytes = bytes_of(rank_);
        leaves = leaves_bytes != 0;
        takes = 0;
        for (int rank = 0; rank < size_; ++rank)
            takes += rank != rank_ && bytes_of(rank) != 0 ? 1 : 0;
        is_last = longest_ <= done_ + most_;
    }

    const std::byte* own_;
    BlocksOfRanks all_;
    std::size_t most_;
    std::size_t longest_ = 0;
    std::size_t done_ = 0;  // bytes of the longest block
    int rank_;
    int size_;
};

template <class BlocksOfRanks>
Task gather_shared(Group& group, const std::byte* own, BlocksOfRanks all)
{
    const std::span<std::byte> place = all[group.rank()];
    Group::copy(place, {own, place.size()});
    return in_rounds(group, AllgatherRounds(group, own, all, group.placement().chunk_bytes));
}

}  // namespace

Task allgather_shared(Group& group, const std::byte* own, std::span<std::byte> all)
{
    return gather_shared(group, own, equal_blocks(all, group.size()));
}

Task allgatherv_shared(Group& group, const std::byte* own, Blocks all)
{
    return gather_shared(group, own, all);
}

}  // namespace tutti::collectives
