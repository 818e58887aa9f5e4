// Shared all-to-all: in every step ranks exchange blocks in pairs, in memory that all ranks read, chunk after
// chunk.
//
// Source: as in_place.cpp. Cost: no messages; every rank writes size - 1 blocks and reads as many. Good for
// short blocks of two ranks with a core each.
//
// In step s rank r exchanges with the rank whose number and r add up to s modulo the size; a rank that would
// be its own partner waits for nobody. Two ranks have one step. Size 4, the partner of each rank:
//   step    0    1    2    3
//   0       -    3    -    1
//   1       1    0    3    2
//   2       2    -    0    -
//   3       3    2    1    0
//
// Restrictions: the group has Streams. Also works in place.
#include <algorithm>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/rounds.hpp"

namespace tutti::collectives {

namespace {

class AlltoallRounds final : public Rounds {
public:
    AlltoallRounds(const Group& group, const std::byte* in, std::span<std::byte> out,
                   std::size_t most) noexcept
        : in_(in),
          out_(out.data()),
          block_bytes_(equal_blocks(out, group.size()).block_bytes),
          most_(most),
          rank_(group.rank()),
          size_(group.size()),
          step_(size_ == 2 ? 1 : 0)
    {
        begin();
    }

    void leave(std::byte* chunk) override
    {
        Group::copy({chunk, leaves_bytes}, {in_ + place(), leaves_bytes});
    }
    Source source(int) const override { return {partner_, leaves_bytes}; }
    void take(int, const std::byte* chunk) override
    {
        Group::copy({out_ + place(), leaves_bytes}, {chunk, leaves_bytes});
    }
    void advance() override
    {
        done_ += leaves_bytes;
        if (done_ == block_bytes_) {
            done_ = 0;
            ++step_;
        }
        begin();
    }

private:
    std::size_t place() const noexcept { return static_cast<std::size_t>(partner_) * block_bytes_ + done_; }
    void begin() noexcept
    {
        partner_ = step_ >= rank_ ? step_ - rank_ : step_ - rank_ + size_;
        reader = partner_;
        leaves = partner_ != rank_;
        takes = leaves ? 1 : 0;
        leaves_bytes = std::min(block_bytes_ - done_, most_);
        is_last = step_ == size_ - 1 && done_ + leaves_bytes == block_bytes_;
    }

    const std::byte* in_;
    std::byte* out_;
    std::size_t block_bytes_;
    std::size_t most_;
    std::size_t done_ = 0;  // bytes of the block
    int rank_;
    int size_;
    int step_;
    int partner_ = 0;
};

}  // namespace

Task alltoall_shared(Group& group, const std::byte* in, std::span<std::byte> out)
{
    const EqualBlocks<std::byte> arriving = equal_blocks(out, group.size());
    Group::copy(arriving[group.rank()], EqualBlocks<const std::byte>{in, arriving.block_bytes}[group.rank()]);
    return in_rounds(group, AlltoallRounds(group, in, out, group.placement().chunk_bytes));
}

}  // namespace tutti::collectives
