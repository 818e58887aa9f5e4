#include "collectives/collectives.hpp"

#include <numeric>

#include "collectives/choice.hpp"
#include "collectives/neighbor_alltoall/neighbor_alltoall.hpp"

namespace tutti::collectives {

namespace {

template <class Collective>
Chosen<Collective> chosen(Group& group, const Call& call, std::size_t size_bytes, bool commutative = true)
{
    group.announce(call);
    return choice().choose<Collective>({group.size(), size_bytes, group.placement(), commutative});
}

/// Where the call's bytes are what the algorithm is chosen by.
template <class Collective>
Chosen<Collective> chosen(Group& group, const Call& call, bool commutative = true)
{
    return chosen<Collective>(group, call, call.size_bytes, commutative);
}

constexpr int kNoRoot = -1;

std::size_t sum_of(std::span<const std::size_t> sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

}  // namespace

// The task of the algorithm is handed on as it is: choosing costs no coroutine frame.

Task barrier(Group& group)
{
    return chosen<Barrier>(group, {.kind = CallKind::barrier}).algorithm->run(group);
}

Task broadcast(Group& group, std::span<std::byte> data, int root)
{
    const auto [algorithm, segment_bytes] =
        chosen<Broadcast>(group, {CallKind::broadcast, root, data.size()});
    return algorithm->run(group, data, root, segment_bytes);
}

Task reduce(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    const Call call{CallKind::reduce, root, out.size_bytes(), op.identity()};
    const auto [algorithm, segment_bytes] = chosen<Reduce>(group, call, op.commutative());
    return algorithm->run(group, in, out, root, op, segment_bytes);
}

Task allreduce(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const Call call{CallKind::allreduce, kNoRoot, out.size_bytes(), op.identity()};
    return chosen<Allreduce>(group, call, op.commutative()).algorithm->run(group, in, out, op);
}

Task reduce_scatter(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op)
{
    const Call call{CallKind::reduce_scatter, kNoRoot, blocks.count() * out.element_bytes, op.identity()};
    return chosen<ReduceScatter>(group, call, op.commutative())
        .algorithm->run(group, in, std::move(blocks), out, op);
}

Task scan(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const Call call{CallKind::scan, kNoRoot, out.size_bytes(), op.identity()};
    return chosen<Scan>(group, call, op.commutative()).algorithm->run(group, in, out, op);
}

Task exscan(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const Call call{CallKind::exscan, kNoRoot, out.size_bytes(), op.identity()};
    return chosen<Exscan>(group, call, op.commutative()).algorithm->run(group, in, out, op);
}

Task allgather(Group& group, const std::byte* own, std::span<std::byte> all)
{
    return chosen<Allgather>(group, {CallKind::allgather, kNoRoot, all.size()})
        .algorithm->run(group, own, all);
}

Task allgatherv(Group& group, const std::byte* own, Blocks all)
{
    return chosen<Allgatherv>(group, {CallKind::allgatherv, kNoRoot, sum_of(all.sizes_bytes)})
        .algorithm->run(group, own, all);
}

Task gather(Group& group, std::span<const std::byte> own, std::byte* all, int root)
{
    const std::size_t all_bytes = own.size() * static_cast<std::size_t>(group.size());
    return chosen<Gather>(group, {CallKind::gather, root, all_bytes}).algorithm->run(group, own, all, root);
}

Task gatherv(Group& group, std::span<const std::byte> own, Blocks all, int root)
{
    group.announce({CallKind::gatherv, root});
    return gatherv_flat(group, own, all, root);
}

Task scatter(Group& group, const std::byte* all, std::span<std::byte> own, int root)
{
    const std::size_t all_bytes = own.size() * static_cast<std::size_t>(group.size());
    return chosen<Scatter>(group, {CallKind::scatter, root, all_bytes}).algorithm->run(group, all, own, root);
}

Task scatterv(Group& group, ConstBlocks all, std::span<std::byte> own, int root)
{
    group.announce({CallKind::scatterv, root});
    return scatterv_flat(group, all, own, root);
}

Task alltoall(Group& group, const std::byte* in, std::span<std::byte> out)
{
    const std::size_t block_bytes = out.size() / static_cast<std::size_t>(group.size());
    return chosen<Alltoall>(group, {CallKind::alltoall, kNoRoot, out.size()}, block_bytes)
        .algorithm->run(group, in, out);
}

Task alltoallv(Group& group, ConstBlocks in, Blocks out)
{
    return chosen<Alltoallv>(group, {.kind = CallKind::alltoallv}).algorithm->run(group, in, out);
}

Task neighbor_allgather(Group& group, Neighbors neighbors, std::span<const std::byte> own, std::byte* all)
{
    group.announce({.kind = CallKind::neighbor_allgather});
    return neighbor_allgather_flat(group, neighbors, own, all);
}

Task neighbor_allgatherv(Group& group, Neighbors neighbors, std::span<const std::byte> own, Blocks all)
{
    group.announce({.kind = CallKind::neighbor_allgatherv});
    return neighbor_allgatherv_flat(group, neighbors, own, all);
}

Task neighbor_alltoall(Group& group, Neighbors neighbors, const std::byte* in, std::byte* out,
                       std::size_t block_bytes)
{
    group.announce({.kind = CallKind::neighbor_alltoall});
    return neighbor_alltoall_flat(group, neighbors, in, out, block_bytes);
}

Task neighbor_alltoallv(Group& group, Neighbors neighbors, ConstBlocks in, Blocks out)
{
    group.announce({.kind = CallKind::neighbor_alltoallv});
    return neighbor_alltoallv_flat(group, neighbors, in, out);
}

}  // namespace tutti::collectives
