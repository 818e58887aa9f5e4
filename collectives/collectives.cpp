#include "collectives/collectives.hpp"

#include <cstdint>
#include <numeric>
#include <string_view>

#include "collectives/choice.hpp"
#include "collectives/neighbor_alltoall/neighbor_alltoall.hpp"

namespace tutti::collectives {

namespace {

/// `call` names the algorithm that it asks for, if it does, and then the one chosen.
template <class Collective>
Chosen<Collective> chosen(Group& group, Call& call, std::size_t size_bytes, bool commutative = true)
{
    const Choice& choice = collectives::choice();
    const Chosen<Collective> found =
        choice.choose<Collective>({group.size(), size_bytes, group.placement(), commutative, call.algorithm});
    call.algorithm = {found.number(), found.segment_bytes};
    if (is_made_of_others(found.algorithm->through)) [[unlikely]]
        call.steps = choice.fingerprint();
    group.announce(call);
    return found;
}

/// Where the call's bytes are what the algorithm is chosen by.
template <class Collective>
Chosen<Collective> chosen(Group& group, Call& call, bool commutative = true)
{
    return chosen<Collective>(group, call, call.size_bytes, commutative);
}

template <class Collective>
consteval std::uint8_t number_of(std::string_view name)
{
    std::uint8_t number = 1;
    for (const auto& algorithm : Collective::kAlgorithms) {
        if (algorithm.name == name)
            return number;
        ++number;
    }
    throw "the collective has no algorithm of that name";
}

constexpr int kNoRoot = -1;
constexpr std::uint16_t kNoOperation = 0;

std::size_t sum_of(std::span<const std::size_t> sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

}  // namespace

// The task of the algorithm is handed on as it is: choosing costs no coroutine frame.

Task barrier(Group& group, Asked asked)
{
    Call call{.kind = CallKind::barrier, .algorithm = asked};
    return chosen<Barrier>(group, call).algorithm->run(group);
}

Task broadcast(Group& group, std::span<std::byte> data, int root, Asked asked)
{
    Call call{CallKind::broadcast, root, data.size(), kNoOperation, asked};
    const auto found = chosen<Broadcast>(group, call);
    return found.algorithm->run(group, data, root, found.segment_bytes);
}

Task reduce(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op, Asked asked)
{
    Call call{CallKind::reduce, root, out.size_bytes(), op.identity(), asked};
    const auto found = chosen<Reduce>(group, call, op.commutative());
    return found.algorithm->run(group, in, out, root, op, found.segment_bytes);
}

Task allreduce(Group& group, const std::byte* in, Buffer out, ReduceOp op, Asked asked)
{
    Call call{CallKind::allreduce, kNoRoot, out.size_bytes(), op.identity(), asked};
    return chosen<Allreduce>(group, call, op.commutative()).algorithm->run(group, in, out, op);
}

namespace {

using ReduceScatterAlgorithm = Algorithm<ReduceScatter::Function>;

const ReduceScatterAlgorithm& chosen_for(Group& group, const Partition& blocks, std::size_t element_bytes,
                                         const ReduceOp& op, Asked asked)
{
    Call call{blocks.is_even() ? CallKind::reduce_scatter : CallKind::reduce_scatterv, kNoRoot,
              blocks.count() * element_bytes, op.identity(), asked};
    return *chosen<ReduceScatter>(group, call, op.commutative()).algorithm;
}

// Others read the input until all is done, so the result waits apart.
Task in_place(Group& group, const ReduceScatterAlgorithm& algorithm, Buffer data, Partition blocks,
              ReduceOp op)
{
    const std::size_t count = blocks[group.rank()].count;
    Scratch scratch = Group::scratch(count * data.element_bytes);
    const Buffer result{scratch.data(), count, data.element_bytes};
    co_await algorithm.run(group, data.data, std::move(blocks), result, op);
    Group::copy({data.data, result.size_bytes()}, result.bytes());
}

}  // namespace

Task reduce_scatter(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op, Asked asked)
{
    const ReduceScatterAlgorithm& algorithm = chosen_for(group, blocks, out.element_bytes, op, asked);
    return algorithm.run(group, in, std::move(blocks), out, op);
}

// What the call is, is announced before it runs, and before it needs memory.
Task reduce_scatter_in_place(Group& group, Buffer data, Partition blocks, ReduceOp op, Asked asked)
{
    const ReduceScatterAlgorithm& algorithm = chosen_for(group, blocks, data.element_bytes, op, asked);
    return in_place(group, algorithm, data, std::move(blocks), op);
}

Task scan(Group& group, const std::byte* in, Buffer out, ReduceOp op, Asked asked)
{
    Call call{CallKind::scan, kNoRoot, out.size_bytes(), op.identity(), asked};
    return chosen<Scan>(group, call, op.commutative()).algorithm->run(group, in, out, op);
}

Task exscan(Group& group, const std::byte* in, Buffer out, ReduceOp op, Asked asked)
{
    Call call{CallKind::exscan, kNoRoot, out.size_bytes(), op.identity(), asked};
    return chosen<Exscan>(group, call, op.commutative()).algorithm->run(group, in, out, op);
}

Task allgather(Group& group, const std::byte* own, std::span<std::byte> all, Asked asked)
{
    Call call{CallKind::allgather, kNoRoot, all.size(), kNoOperation, asked};
    return chosen<Allgather>(group, call).algorithm->run(group, own, all);
}

Task allgatherv(Group& group, const std::byte* own, Blocks all, Asked asked)
{
    Call call{CallKind::allgatherv, kNoRoot, sum_of(all.sizes_bytes), kNoOperation, asked};
    return chosen<Allgatherv>(group, call).algorithm->run(group, own, all);
}

Task gather(Group& group, std::span<const std::byte> own, std::byte* all, int root, Asked asked)
{
    const std::size_t all_bytes = own.size() * static_cast<std::size_t>(group.size());
    Call call{CallKind::gather, root, all_bytes, kNoOperation, asked};
    return chosen<Gather>(group, call).algorithm->run(group, own, all, root);
}

Task gatherv(Group& group, std::span<const std::byte> own, Blocks all, int root, Asked asked)
{
    Call call{.kind = CallKind::gatherv, .root = root, .algorithm = asked};
    return chosen<Gatherv>(group, call).algorithm->run(group, own, all, root);
}

Task scatter(Group& group, const std::byte* all, std::span<std::byte> own, int root, Asked asked)
{
    const std::size_t all_bytes = own.size() * static_cast<std::size_t>(group.size());
    Call call{CallKind::scatter, root, all_bytes, kNoOperation, asked};
    return chosen<Scatter>(group, call).algorithm->run(group, all, own, root);
}

Task scatterv(Group& group, ConstBlocks all, std::span<std::byte> own, int root, Asked asked)
{
    Call call{.kind = CallKind::scatterv, .root = root, .algorithm = asked};
    return chosen<Scatterv>(group, call).algorithm->run(group, all, own, root);
}

Task alltoall(Group& group, const std::byte* in, std::span<std::byte> out, Asked asked)
{
    const std::size_t block_bytes = out.size() / static_cast<std::size_t>(group.size());
    Call call{CallKind::alltoall, kNoRoot, out.size(), kNoOperation, asked};
    return chosen<Alltoall>(group, call, block_bytes).algorithm->run(group, in, out);
}

Task alltoall_in_place(Group& group, std::span<std::byte> data, Asked asked)
{
    const std::size_t block_bytes = data.size() / static_cast<std::size_t>(group.size());
    const auto found = choice().choose<Alltoall>({group.size(), block_bytes, group.placement(), true, asked});
    const bool on_board = needs_board(found.algorithm->through);
    group.announce({.kind = CallKind::alltoall_in_place,
                    .size_bytes = data.size(),
                    .algorithm = {on_board ? found.number() : number_of<Alltoall>("pairwise")}});
    return on_board ? found.algorithm->run(group, data.data(), data) : alltoall_in_pairs(group, data);
}

Task alltoallv(Group& group, ConstBlocks in, Blocks out, Asked asked)
{
    Call call{.kind = CallKind::alltoallv, .algorithm = asked};
    return chosen<Alltoallv>(group, call).algorithm->run(group, in, out);
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
