// Board all-to-all of blocks of any sizes: every rank's slot has an equal share for each rank. There it
// writes the length of its block for that rank and, if it fits, the block. After all have arrived, each rank
// copies the blocks for itself. Longer blocks travel as messages at the same time. Both ranks of a block know
// its size, and so which way it goes; no rank knows all sizes.
//
// Source: alltoall/board.cpp; the messages are those of alltoall/flat.cpp.
// Cost: a block that fits is written and read, without a message; a longer one is a message. Blocks of up to
// a slot's bytes / size - 8 fit.
//
// Size 3, ab the block from a to b, 12 too long, ranks arriving in the order 1 2 0:
//   rank     0             1                  2
//   before                 sends 12 to 2      receives 12
//   slot     - | 01 | 02   10 | - | (size)    20 | 21 | -
//            releases      waits              waits
//   out      00 10 20      01 11 21           02 12 22
//
// Restrictions: the group has a Board.
#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "collectives/board.hpp"
#include "collectives/functions.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives {

namespace {

class Shares {
public:
    Shares(Board& board, int ranks) noexcept
        : board_(board), share_bytes_(board.slot_bytes() / static_cast<std::size_t>(ranks))
    {
    }

    bool fits(std::size_t size_bytes) const noexcept
    {
        return says_sizes() && size_bytes <= share_bytes_ - kSizeBytes;
    }
    void leave(int from, int to, std::span<const std::byte> block) const noexcept
    {
        if (!says_sizes())
            return;
        const std::uint64_t size_bytes = block.size();
        std::memcpy(share(from, to), &size_bytes, kSizeBytes);
        if (fits(block.size()))
            Group::copy({share(from, to) + kSizeBytes, block.size()}, block);
    }
    /// Throws if the sender's block has another size.
    void take(int from, int to, std::span<std::byte> block) const
    {
        if (!says_sizes())
            return;
        std::uint64_t size_bytes = 0;
        std::memcpy(&size_bytes, share(from, to), kSizeBytes);
        if (size_bytes != block.size())
            throw Error(
                ErrorCode::truncated, "alltoallv",
                fmt::format("rank {} has a block of {} bytes for rank {}, which expects {}; both sides "
                            "must use the same count",
                            from, size_bytes, to, block.size()),
                from);
        if (fits(block.size()))
            Group::copy(block, {share(from, to) + kSizeBytes, block.size()});
    }

private:
    static constexpr std::size_t kSizeBytes = sizeof(std::uint64_t);

    // False if very many ranks share a slot: then all blocks are messages.
    bool says_sizes() const noexcept { return share_bytes_ >= kSizeBytes; }
    std::byte* share(int from, int to) const noexcept
    {
        return board_.slot(from) + static_cast<std::size_t>(to) * share_bytes_;
    }

    Board& board_;
    std::size_t share_bytes_;
};

}  // namespace

Task alltoallv_board(Group& group, ConstBlocks in, Blocks out)
{
    Board& board = *group.board();
    const Shares shares(board, group.size());
    const int rank = group.rank();
    const int size = group.size();
    OperationList messages;
    for (int distance = 1; distance < size; ++distance) {
        const int below = (rank - distance + size) % size;
        if (!shares.fits(out[below].size()))
            messages.add(group.recv(below, out[below]));
    }
    for (int distance = 1; distance < size; ++distance) {
        const int above = (rank + distance) % size;
        shares.leave(rank, above, in[above]);
        if (!shares.fits(in[above].size()))
            messages.add(group.send(above, in[above]));
    }
    Group::copy(out[rank], in[rank]);
    if (board.arrive()) {
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
    for (int other = 0; other < size; ++other)
        if (other != rank)
            shares.take(other, rank, out[other]);
    co_await when_all(std::move(messages));
}

}  // namespace tutti::collectives
