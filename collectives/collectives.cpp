#include "collectives/collectives.hpp"

#include <numeric>

#include "collectives/choice.hpp"

namespace tutti::collectives {

namespace {

constexpr int kNoRoot = -1;

template <class Collective>
Chosen<Collective> chosen(const Group& group, std::size_t size_bytes, int root = kNoRoot,
                          bool commutative = true)
{
    group.announce({index_of<Collective>, root, size_bytes});
    return choice().choose<Collective>({group.size(), size_bytes, group.placement(), commutative});
}

std::size_t sum_of(std::span<const std::size_t> sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

}  // namespace

// The task of the algorithm is handed on as it is: choosing costs no coroutine frame.

Task barrier(Group& group)
{
    return chosen<Barrier>(group, 0).algorithm->run(group);
}

Task broadcast(Group& group, std::span<std::byte> data, int root)
{
    const auto [algorithm, segment_bytes] = chosen<Broadcast>(group, data.size(), root);
    return algorithm->run(group, data, root, segment_bytes);
}

Task reduce(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    const auto [algorithm, segment_bytes] = chosen<Reduce>(group, out.size_bytes(), root, op.commutative());
    return algorithm->run(group, in, out, root, op, segment_bytes);
}

Task allreduce(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    return chosen<Allreduce>(group, out.size_bytes(), kNoRoot, op.commutative())
        .algorithm->run(group, in, out, op);
}

Task reduce_scatter(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op)
{
    const std::size_t size_bytes = blocks.count() * out.element_bytes;
    return chosen<ReduceScatter>(group, size_bytes, kNoRoot, op.commutative())
        .algorithm->run(group, in, std::move(blocks), out, op);
}

Task scan(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    return chosen<Scan>(group, out.size_bytes(), kNoRoot, op.commutative())
        .algorithm->run(group, in, out, op);
}

Task exscan(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    return chosen<Exscan>(group, out.size_bytes(), kNoRoot, op.commutative())
        .algorithm->run(group, in, out, op);
}

Task allgather(Group& group, const std::byte* own, std::span<std::byte> all)
{
    return chosen<Allgather>(group, all.size()).algorithm->run(group, own, all);
}

Task allgatherv(Group& group, const std::byte* own, Blocks all)
{
    return chosen<Allgatherv>(group, sum_of(all.sizes_bytes)).algorithm->run(group, own, all);
}

Task gather(Group& group, std::span<const std::byte> own, std::byte* all, int root)
{
    const std::size_t all_bytes = own.size() * static_cast<std::size_t>(group.size());
    return chosen<Gather>(group, all_bytes, root).algorithm->run(group, own, all, root);
}

Task gatherv(Group& group, std::span<const std::byte> own, Blocks all, int root)
{
    return gatherv_flat(group, own, all, root);
}

Task scatter(Group& group, const std::byte* all, std::span<std::byte> own, int root)
{
    const std::size_t all_bytes = own.size() * static_cast<std::size_t>(group.size());
    return chosen<Scatter>(group, all_bytes, root).algorithm->run(group, all, own, root);
}

Task scatterv(Group& group, ConstBlocks all, std::span<std::byte> own, int root)
{
    return scatterv_flat(group, all, own, root);
}

Task alltoall(Group& group, const std::byte* in, std::span<std::byte> out)
{
    const std::size_t block_bytes = out.size() / static_cast<std::size_t>(group.size());
    return chosen<Alltoall>(group, block_bytes).algorithm->run(group, in, out);
}

Task alltoallv(Group& group, ConstBlocks in, Blocks out)
{
    return chosen<Alltoallv>(group, 0).algorithm->run(group, in, out);
}

}  // namespace tutti::collectives
