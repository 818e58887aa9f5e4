// Shared broadcast: the root leaves the data in memory that all ranks read, chunk after chunk.
//
// Source: the release half of the release-gather of Jain and others, "Framework for scalable intra-node
// collective operations using shared memory", 2018; here with a count of each reader in place of the gather.
// Cost: no messages; the root writes n bytes, every other rank reads n. The root waits for nobody while some
// chunks of its stream are free, so that it runs ahead of its readers. Long data that the others read where it lies
// goes as messages (streamed_or_sent.hpp).
//
// Size 3, root 1, data of three chunks a b c:
//   position   rank 0      1           2
//   0          waits, a    publishes a waits, a
//   1          waits, b    publishes b waits, b
//   2          waits, c    publishes c waits, c
//
// Restrictions: the group has Streams.
#include <algorithm>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/rounds.hpp"
#include "collectives/framework/streamed_or_sent.hpp"

namespace tutti::collectives {

namespace {

class BroadcastRounds final : public Rounds {
public:
    BroadcastRounds(const Group& group, std::span<std::byte> data, int root) noexcept
        : data_(data), most_(one_way_bytes(group, data.size())), root_(root)
    {
        leaves = group.rank() == root;
        takes = leaves ? 0 : 1;
        begin();
    }

    void leave(std::byte* chunk) override { Group::copy({chunk, leaves_bytes}, data_.first(leaves_bytes)); }
    Source source(int) const override { return {root_, leaves_bytes}; }
    void take(int, const std::byte* chunk) override
    {
        Group::copy(data_.first(leaves_bytes), {chunk, leaves_bytes});
    }
    void advance() override
    {
        data_ = data_.subspan(leaves_bytes);
        begin();
    }

private:
    void begin() noexcept
    {
        leaves_bytes = std::min(data_.size(), most_);
        is_last = data_.size() <= most_;
    }

    std::span<std::byte> data_;
    std::size_t most_;
    int root_;
};

Task broadcast_streamed_or_sent(Group& group, std::span<std::byte> data, int root)
{
    Operation ready = way_is_known(group, root);
    co_await ready;
    Task rest = comes_as_message(group, root, data) ? broadcast_flat(group, data, root)
                                                    : await_rounds(group, BroadcastRounds(group, data, root));
    co_await rest;
}

}  // namespace

Task broadcast_shared(Group& group, std::span<std::byte> data, int root)
{
    if (root_chooses(group, data.size()))
        return broadcast_streamed_or_sent(group, data, root);
    return in_rounds(group, BroadcastRounds(group, data, root));
}

}  // namespace tutti::collectives
