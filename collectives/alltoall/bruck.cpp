// Bruck's all-to-all: a block to the rank d above travels by the bits of d. In step k every rank sends all
// its current blocks whose d has bit k, as one message, to the rank 2^k above.
//
// Source: Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient algorithms for all-to-all communications in
// multiport message-passing systems", 1997.
// Cost: ceil(log2 size) steps and chain; size ceil(log2 size) messages, each of as many blocks as numbers
// below size have bit k, which is about size / 2. A block travels up to ceil(log2 size) times and is copied
// as often at both ends: for short blocks.
//
// A rank always holds one block for each d: at first those that it sends, in the end those that it receives.
// The original rotates them at the beginning and at the end. Here the first block for a d comes directly from
// `in`. A received block stays in `out` at the place of the last one for its d: that from the rank d below.
//
// Size 5, the blocks that rank 0 holds by d (ab is the block from a to b; for another rank, add its number):
//   step     d = 0   1    2    3    4
//   start        00   01   02   03   04
//   bit 0        00   40   02   42   04     sent: 1 and 3
//   bit 1        00   40   30   20   04     sent: 2 and 3
//   bit 2        00   40   30   20   10     sent: 4
//
// Restrictions: equal blocks.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

/// The place of the block for the rank `distance` above, before the step of `bit`.
class Held {
public:
    Held(int rank, int size, EqualBlocks<const std::byte> in, EqualBlocks<std::byte> out) noexcept
        : rank_(rank), size_(size), in_(in), out_(out)
    {
    }

    std::span<const std::byte> block(int distance, int bit) const noexcept
    {
        const bool has_travelled = (distance & (bit - 1)) != 0;
        return has_travelled ? arriving(distance) : in_[(rank_ + distance) % size_];
    }
    std::span<std::byte> arriving(int distance) const noexcept
    {
        return out_[(rank_ - distance + size_) % size_];
    }

private:
    int rank_;
    int size_;
    EqualBlocks<const std::byte> in_;
    EqualBlocks<std::byte> out_;
};

/// Number of distances below `size` that have `bit`.
std::size_t count_with(int bit, int size)
{
    const int whole = size / (2 * bit) * bit;
    const int rest = size % (2 * bit);
    return static_cast<std::size_t>(whole + (rest > bit ? rest - bit : 0));
}

Task bruck(Group& group, EqualBlocks<const std::byte> in, EqualBlocks<std::byte> out)
{
    const int rank = group.rank();
    const int size = group.size();
    const std::size_t block_bytes = out.block_bytes;
    const Held held(rank, size, in, out);
    const std::size_t half_bytes = static_cast<std::size_t>(size / 2) * block_bytes;
    const Scratch outgoing = Group::scratch(half_bytes);
    const Scratch incoming = Group::scratch(half_bytes);

    Group::copy(out[rank], in[rank]);
    for (int bit = 1; bit < size; bit *= 2) {
        const std::size_t message_bytes = count_with(bit, size) * block_bytes;
        std::byte* packed = outgoing.data();
        for (int distance = bit; distance < size; distance = (distance + 1) | bit) {
            Group::copy({packed, block_bytes}, held.block(distance, bit));
            packed += block_bytes;
        }
        auto exchanged = group.exchange((rank + bit) % size, outgoing.bytes().first(message_bytes),
                                        (rank - bit + size) % size, incoming.bytes().first(message_bytes));
        co_await exchanged;
        const std::byte* arrived = incoming.data();
        for (int distance = bit; distance < size; distance = (distance + 1) | bit) {
            Group::copy(held.arriving(distance), {arrived, block_bytes});
            arrived += block_bytes;
        }
    }
}

}  // namespace

Task alltoall_bruck(Group& group, const std::byte* in, std::span<std::byte> out)
{
    const EqualBlocks<std::byte> blocks = equal_blocks(out, group.size());
    return bruck(group, {in, blocks.block_bytes}, blocks);
}

}  // namespace tutti::collectives
