// Shared all-to-all of blocks of any sizes: every rank leaves its blocks behind their sizes in a chunk that
// all ranks read (sized_blocks.hpp). Longer blocks travel as messages at the same time.
//
// Source: alltoall/alltoallv_board.cpp, but each rank waits for the others one after the other, and the next
// call's chunks may be written before all have read these.
// Cost: a block that fits is written and read, without a message; a longer one is a message. Blocks of up to
// 1 KiB fit, if a chunk's bytes / (size - 1) - 8 are no less. Good for short blocks of two ranks.
//
// Size 3, ab the block from a to b, 12 too long:
//   rank     0             1                2
//   before                 sends 12 to 2    receives 12
//   chunk    01 | 02       - | 10           20 | 21
//   reads    10 20         21 01            02 (size)
//
// Restrictions: the group has Streams.
#include <algorithm>
#include <optional>

#include "collectives/alltoall/sized_blocks.hpp"
#include "collectives/functions.hpp"
#include "collectives/rounds.hpp"

namespace tutti::collectives {

namespace {

// Of two ranks with a core each, longer blocks take 1.1 to 1.5 times as long as messages.
constexpr std::size_t kLongestLeft = 1024;

// One round. Chunks count as whole ones: sizes that differ are found out where both ranks look at one place.
class AlltoallvRound final : public Rounds {
public:
    AlltoallvRound(const Group& group, ConstBlocks in, Blocks out) noexcept
        : in_(in),
          out_(out),
          shares_(std::min(kLongestLeft + SizedBlocks::kSizeBytes,
                           group.chunk_bytes() / static_cast<std::size_t>(std::max(1, group.size() - 1)))),
          rank_(group.rank()),
          size_(group.size())
    {
        takes = size_ - 1;
        leaves = takes != 0;
        leaves_bytes = group.chunk_bytes();
        Group::copy(out_[rank_], in_[rank_]);
    }

    bool has_messages() const noexcept
    {
        for (int distance = 1; distance < size_; ++distance)
            if (is_sent(in_[at(distance)].size()) || is_sent(out_[at(distance)].size()))
                return true;
        return false;
    }
    OperationList messages(Group& group) const
    {
        OperationList begun;
        for (int distance = 1; distance < size_; ++distance) {
            const int below = at(size_ - distance);
            if (is_sent(out_[below].size()))
                begun.add(group.recv(below, out_[below]));
        }
        for (int distance = 1; distance < size_; ++distance) {
            const int above = at(distance);
            if (is_sent(in_[above].size()))
                begun.add(group.send(above, in_[above]));
        }
        return begun;
    }

    void leave(std::byte* chunk) override
    {
        for (int distance = 1; distance < size_; ++distance)
            shares_.leave(chunk + place(distance), in_[at(distance)]);
    }
    Source source(int i) const override { return {at(size_ - 1 - i), leaves_bytes}; }
    // From the ranks below, the next one first: this rank is the first above it, and so on.
    void take(int i, const std::byte* chunk) override
    {
        const int from = at(size_ - 1 - i);
        const std::byte* const share = chunk + place(i + 1);
        if (!shares_.take(share, out_[from]) && !mismatch_)
            mismatch_ = SizedBlocks::mismatch(share, from, rank_, out_[from].size());
    }
    void advance() override {}

    /// After the round.
    const std::optional<Error>& mismatch() const noexcept { return mismatch_; }

private:
    bool is_sent(std::size_t size_bytes) const noexcept { return !shares_.fits(size_bytes); }
    int at(int distance) const noexcept
    {
        return rank_ + distance < size_ ? rank_ + distance : rank_ + distance - size_;
    }
    std::size_t place(int distance) const noexcept
    {
        return static_cast<std::size_t>(distance - 1) * shares_.share_bytes();
    }

    ConstBlocks in_;
    Blocks out_;
    SizedBlocks shares_;
    int rank_;
    int size_;
    std::optional<Error> mismatch_;
};

Task refuse(Error error)
{
    throw Error(std::move(error));
    co_return;
}

Task beside_messages(Group& group, AlltoallvRound round)
{
    OperationList messages = round.messages(group);
    Task exchanged = await_rounds<AlltoallvRound&>(group, round);
    co_await exchanged;
    if (round.mismatch())
        throw Error(*round.mismatch());
    co_await when_all(std::move(messages));
}

}  // namespace

Task alltoallv_shared(Group& group, ConstBlocks in, Blocks out)
{
    AlltoallvRound round(group, in, out);
    if (!round.has_messages() && group.runs_at_once(round))
        return round.mismatch() ? refuse(*round.mismatch()) : Task();
    return beside_messages(group, std::move(round));
}

}  // namespace tutti::collectives
