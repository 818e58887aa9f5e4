// One round over Streams in which ranks leave blocks of any sizes for others, each behind its size. What the
// algorithms for unequal blocks have in common.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "collectives/framework/rank_blocks.hpp"
#include "collectives/framework/rounds.hpp"
#include "collectives/framework/sized_blocks.hpp"

namespace tutti::collectives {

/// To whom a rank leaves blocks, and from whom it takes some. A chunk has a share for each receiver of its
/// writer, in the order of their distances above the writer.
struct Partners {
    RanksInTurn receivers;
    RanksInTurn givers;
    std::size_t shares;  // in each chunk
};

/// `To` and `From` give a block by its rank. Both ranks of a chunk look at one place whatever sizes they
/// expect, so sizes that differ are found out.
template <class To, class From>
class SizedRound final : public Rounds {
public:
    SizedRound(const Group& group, const char* operation, To to, From from, const Partners& partners) noexcept
        : operation_(operation),
          to_(to),
          from_(from),
          partners_(partners),
          shares_(std::min(kLongestShare,
                           group.placement().chunk_bytes / std::max<std::size_t>(1, partners.shares))),
          rank_(group.rank()),
          size_(group.size())
    {
        leaves = partners_.receivers.size() != 0;
        takes = static_cast<int>(partners_.givers.size());
        leaves_bytes = Streams::kAnySize;
        if (partners_.receivers.size() == 1)
            reader = partners_.receivers[0];
    }

    /// Blocks that do not fit into a chunk.
    bool has_messages() const noexcept
    {
        for (std::size_t i = 0; i < partners_.receivers.size(); ++i)
            if (is_sent(to_[partners_.receivers[i]]))
                return true;
        for (std::size_t i = 0; i < partners_.givers.size(); ++i)
            if (is_sent(from_[partners_.givers[i]]))
                return true;
        return false;
    }
    OperationList messages(Group& group) const
    {
        OperationList begun;
        for (std::size_t i = 0; i < partners_.givers.size(); ++i)
            if (const int giver = partners_.givers[i]; is_sent(from_[giver]))
                begun.add(group.recv(giver, from_[giver]));
        for (std::size_t i = 0; i < partners_.receivers.size(); ++i)
            if (const int receiver = partners_.receivers[i]; is_sent(to_[receiver]))
                begun.add(group.send(receiver, to_[receiver]));
        return begun;
    }

    void leave(std::byte* chunk) override
    {
        for (std::size_t i = 0; i < partners_.receivers.size(); ++i)
            shares_.leave(chunk + place(rank_, partners_.receivers[i]), to_[partners_.receivers[i]]);
    }
    Source source(int i) const override { return {giver(i), leaves_bytes}; }
    void take(int i, const std::byte* chunk) override
    {
        const std::byte* const share = chunk + place(giver(i), rank_);
        const std::span<std::byte> block = from_[giver(i)];
        if (!shares_.take(share, block) && !mismatch_)
            mismatch_ = SizedBlocks::mismatch(operation_, share, giver(i), rank_, block.size());
    }
    void advance() override {}

    /// After the round: a block of another size than its receiver expects.
    const std::optional<Error>& mismatch() const noexcept { return mismatch_; }

private:
    // Longer blocks may be read in place, as messages (streamed_or_sent.hpp).
    static constexpr std::size_t kLongestShare = 4096;

    bool is_sent(std::span<const std::byte> block) const noexcept { return !shares_.fits(block.size()); }
    int giver(int i) const noexcept { return partners_.givers[static_cast<std::size_t>(i)]; }
    std::size_t place(int writer, int receiver) const noexcept
    {
        if (partners_.shares == 1)
            return 0;
        const int distance = receiver > writer ? receiver - writer : receiver - writer + size_;
        return static_cast<std::size_t>(distance - 1) * shares_.share_bytes();
    }

    const char* operation_;
    To to_;
    From from_;
    Partners partners_;
    SizedBlocks shares_;
    int rank_;
    int size_;
    std::optional<Error> mismatch_;
};

inline Task refuse(Error error)
{
    throw Error(std::move(error));
    co_return;
}

template <class Round>
Task beside_messages(Group& group, Round round)
{
    OperationList messages = round.messages(group);
    Task exchanged = await_rounds<Round&>(group, round);
    co_await exchanged;
    if (round.mismatch())
        throw Error(*round.mismatch());
    co_await when_all(std::move(messages));
}

/// Runs a SizedRound, and its messages at the same time. The group has Streams.
template <class Round>
Task in_sized_round(Group& group, Round round)
{
    if (!round.has_messages() && group.runs_at_once(round))
        return round.mismatch() ? refuse(*round.mismatch()) : Task();
    return beside_messages(group, std::move(round));
}

}  // namespace tutti::collectives
