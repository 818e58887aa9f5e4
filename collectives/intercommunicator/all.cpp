// The collectives of intercommunicators whose result all ranks have: each group's part is combined or
// gathered at its leader, the leaders exchange what they have, and spread it in their groups.
//
// Cost: two collectives of each group and a message in each direction; allgatherv: one more, for the sizes,
// which no rank of the own group knows.
#include <numeric>

#include "collectives/collectives.hpp"
#include "collectives/intercommunicator/sides.hpp"

namespace tutti::collectives::inter {

namespace {

// The offsets of blocks without gaps.
std::vector<std::size_t> offsets_of(std::span<const std::size_t> sizes)
{
    std::vector<std::size_t> offsets(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), std::size_t{0});
    return offsets;
}

std::size_t total(std::span<const std::size_t> sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

Task run_allgather(Groups groups, std::span<const std::byte> own, std::span<std::byte> all)
{
    Sides sides(groups);
    const Scratch gathered =
        Group::scratch(sides.leads() ? own.size() * static_cast<std::size_t>(sides.own().size()) : 0);
    Task gathering = collectives::gather(sides.own(), own, gathered.data(), 0);
    co_await gathering;
    if (sides.leads()) {
        auto exchanged =
            sides.both().exchange(sides.remote_leader(), gathered.bytes(), sides.remote_leader(), all);
        co_await exchanged;
    }
    Task spread = collectives::broadcast(sides.own(), all, 0);
    co_await spread;
}

Task run_allgatherv(Groups groups, std::span<const std::byte> own, Blocks all)
{
    Sides sides(groups);
    std::vector<std::size_t> sizes(static_cast<std::size_t>(sides.own().size()));
    const std::size_t own_bytes = own.size();
    Task sizes_gathered = collectives::gather(sides.own(), std::as_bytes(std::span(&own_bytes, 1)),
                                              std::as_writable_bytes(std::span(sizes)).data(), 0);
    co_await sizes_gathered;
    const std::vector<std::size_t> offsets = offsets_of(sizes);
    const Scratch gathered = Group::scratch(sides.leads() ? total(sizes) : 0);
    Task gathering = collectives::gatherv(sides.own(), own, {gathered.data(), sizes, offsets}, 0);
    co_await gathering;

    const Run arriving(all, RanksInTurn(0, sides.remote_size(), sides.remote_size()));
    if (sides.leads()) {
        auto exchanged = sides.both().exchange(sides.remote_leader(), gathered.bytes(), sides.remote_leader(),
                                               arriving.arriving());
        co_await exchanged;
    }
    Task spread = collectives::broadcast(sides.own(), arriving.arriving(), 0);
    co_await spread;
    arriving.unpack();
}

Task run_allreduce(Groups groups, const std::byte* in, Buffer out, ReduceOp op)
{
    Sides sides(groups);
    const Scratch combined = Group::scratch(sides.leads() ? out.size_bytes() : 0);
    Task reduced = collectives::reduce(
        sides.own(), in, {sides.leads() ? combined.data() : nullptr, out.count, out.element_bytes}, 0, op);
    co_await reduced;
    if (sides.leads()) {
        auto exchanged = sides.both().exchange(sides.remote_leader(), combined.bytes(), sides.remote_leader(),
                                               out.bytes());
        co_await exchanged;
    }
    Task spread = collectives::broadcast(sides.own(), out.bytes(), 0);
    co_await spread;
}

Task run_reduce_scatter(Groups groups, const std::byte* in, Partition blocks, Buffer out, ReduceOp op)
{
    Sides sides(groups);
    const std::size_t element_bytes = out.element_bytes;
    const std::size_t all_bytes = sides.leads() ? blocks.count() * element_bytes : 0;
    const Scratch combined = Group::scratch(all_bytes);
    const Scratch arrived = Group::scratch(all_bytes);
    Task reduced = collectives::reduce(
        sides.own(), in, {sides.leads() ? combined.data() : nullptr, blocks.count(), element_bytes}, 0, op);
    co_await reduced;
    std::vector<std::size_t> sizes;
    if (sides.leads()) {
        auto exchanged = sides.both().exchange(sides.remote_leader(), combined.bytes(), sides.remote_leader(),
                                               arrived.bytes());
        co_await exchanged;
        for (int rank = 0; rank < sides.own().size(); ++rank)
            sizes.push_back(blocks[rank].count * element_bytes);
    }
    const std::vector<std::size_t> offsets = offsets_of(sizes);
    Task scattered = collectives::scatterv(sides.own(), {arrived.data(), sizes, offsets}, out.bytes(), 0);
    co_await scattered;
}

// The bytes of both groups' blocks: the same number at all ranks.
std::size_t bytes_of_both(const Groups& groups, std::size_t own_bytes, std::size_t all_bytes)
{
    const bool in_first = groups.both.rank() < groups.first_size;
    const int own_size = in_first ? groups.first_size : groups.both.size() - groups.first_size;
    return own_bytes * static_cast<std::size_t>(own_size) + all_bytes;
}

}  // namespace

Task allgather(Groups groups, std::span<const std::byte> own, std::span<std::byte> all)
{
    groups.both.announce({CallKind::allgather, -1, bytes_of_both(groups, own.size(), all.size())});
    return run_allgather(groups, own, all);
}

Task allgatherv(Groups groups, std::span<const std::byte> own, Blocks all)
{
    groups.both.announce({.kind = CallKind::allgatherv});
    return run_allgatherv(groups, own, all);
}

Task allreduce(Groups groups, const std::byte* in, Buffer out, ReduceOp op)
{
    groups.both.announce({CallKind::allreduce, -1, out.size_bytes(), op.identity()});
    return run_allreduce(groups, in, out, op);
}

Task reduce_scatter(Groups groups, const std::byte* in, Partition blocks, Buffer out, ReduceOp op)
{
    groups.both.announce({CallKind::reduce_scatter, -1, blocks.count() * out.element_bytes, op.identity()});
    return run_reduce_scatter(groups, in, std::move(blocks), out, op);
}

}  // namespace tutti::collectives::inter
