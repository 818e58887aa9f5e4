#include "collectives/collectives.hpp"

#include <cstdint>
#include <numeric>
#include <string_view>

#include "collectives/choice/choice.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/framework/streamed_or_sent.hpp"

namespace tutti::collectives {

namespace {

template <class Collective>
using AlgorithmOf = Algorithm<typename Collective::Function>;

/// `element_bytes`: of a reduction.
Situation situation_of(const Group& group, std::size_t size_bytes, Selection named = {},
                       bool commutative = true, std::size_t element_bytes = 1)
{
    return {.ranks = group.size(),
            .size_bytes = size_bytes,
            .placement = group.placement(),
            .commutative = commutative,
            .named = named,
            .element_bytes = element_bytes,
            .read_in_place = reads_long_data_in_place(group, size_bytes)};
}

/// `call` holds the algorithm that it names, if any; afterwards the chosen one.
template <class Collective>
const AlgorithmOf<Collective>& chosen(Group& group, Call& call, const Situation& situation)
{
    const Choice& choice = collectives::choice();
    call.algorithm = choice.choose<Collective>(situation);
    const auto& algorithm = algorithm_of<Collective>(call.algorithm);
    if (is_made_of_others(algorithm.needs)) [[unlikely]]
        call.steps = choice.fingerprint();
    group.announce(call);
    return algorithm;
}

/// For calls whose algorithm depends on the call's bytes.
template <class Collective>
const AlgorithmOf<Collective>& chosen(Group& group, Call& call)
{
    return chosen<Collective>(group, call, situation_of(group, call.size_bytes, call.algorithm));
}

/// For reductions.
template <class Collective>
const AlgorithmOf<Collective>& chosen(Group& group, Call& call, const ReduceOp& op, std::size_t element_bytes)
{
    return chosen<Collective>(
        group, call, situation_of(group, call.size_bytes, call.algorithm, op.commutative(), element_bytes));
}

template <class Collective>
consteval std::uint8_t number_of(std::string_view name)
{
    std::uint8_t number = 1;
    while (Collective::kAlgorithms[number - 1].name != name)
        ++number;
    return number;
}

constexpr int kNoRoot = -1;
constexpr std::uint16_t kNoOperation = 0;

std::size_t sum_of(std::span<const std::size_t> sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

}  // namespace

// Returns the algorithm's task itself: the choice costs no coroutine frame.

Task barrier(Group& group, Selection named)
{
    Call call{.kind = CallKind::barrier, .algorithm = named};
    return chosen<Barrier>(group, call).run(group);
}

Task broadcast(Group& group, std::span<std::byte> data, int root, Selection named)
{
    Call call{CallKind::broadcast, root, data.size(), kNoOperation, named};
    const auto& algorithm = chosen<Broadcast>(group, call);
    return algorithm.run(group, data, root, call.algorithm.segment_bytes);
}

Task reduce(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op, Selection named)
{
    Call call{CallKind::reduce, root, out.size_bytes(), op.identity(), named};
    const auto& algorithm = chosen<Reduce>(group, call, op, out.element_bytes);
    return algorithm.run(group, in, out, root, op, call.algorithm.segment_bytes);
}

Task allreduce(Group& group, const std::byte* in, Buffer out, ReduceOp op, Selection named)
{
    Call call{CallKind::allreduce, kNoRoot, out.size_bytes(), op.identity(), named};
    return chosen<Allreduce>(group, call, op, out.element_bytes).run(group, in, out, op);
}

namespace {

const AlgorithmOf<ReduceScatter>& chosen_for(Group& group, const Partition& blocks, std::size_t element_bytes,
                                             const ReduceOp& op, Selection named)
{
    Call call{blocks.is_even() ? CallKind::reduce_scatter : CallKind::reduce_scatterv, kNoRoot,
              blocks.count() * element_bytes, op.identity(), named};
    return chosen<ReduceScatter>(group, call, op, element_bytes);
}

// Other ranks read the input until the end, so the result goes to separate memory.
Task in_place(Group& group, const AlgorithmOf<ReduceScatter>& algorithm, Buffer data, Partition blocks,
              ReduceOp op)
{
    const std::size_t count = blocks[group.rank()].count;
    Scratch scratch = Group::scratch(count * data.element_bytes);
    const Buffer result{scratch.data(), count, data.element_bytes};
    co_await algorithm.run(group, data.data, std::move(blocks), result, op);
    Group::copy({data.data, result.size_bytes()}, result.bytes());
}

}  // namespace

Task reduce_scatter(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op,
                    Selection named)
{
    const AlgorithmOf<ReduceScatter>& algorithm = chosen_for(group, blocks, out.element_bytes, op, named);
    return algorithm.run(group, in, std::move(blocks), out, op);
}

// Announces the call before it runs and before it takes memory.
Task reduce_scatter_in_place(Group& group, Buffer data, Partition blocks, ReduceOp op, Selection named)
{
    const AlgorithmOf<ReduceScatter>& algorithm = chosen_for(group, blocks, data.element_bytes, op, named);
    return in_place(group, algorithm, data, std::move(blocks), op);
}

Task scan(Group& group, const std::byte* in, Buffer out, ReduceOp op, Selection named)
{
    Call call{CallKind::scan, kNoRoot, out.size_bytes(), op.identity(), named};
    return chosen<Scan>(group, call, op, out.element_bytes).run(group, in, out, op);
}

Task exscan(Group& group, const std::byte* in, Buffer out, ReduceOp op, Selection named)
{
    Call call{CallKind::exscan, kNoRoot, out.size_bytes(), op.identity(), named};
    return chosen<Exscan>(group, call, op, out.element_bytes).run(group, in, out, op);
}

Task allgather(Group& group, const std::byte* own, std::span<std::byte> all, Selection named)
{
    Call call{CallKind::allgather, kNoRoot, all.size(), kNoOperation, named};
    return chosen<Allgather>(group, call).run(group, own, all);
}

Task allgatherv(Group& group, const std::byte* own, Blocks all, Selection named)
{
    Call call{CallKind::allgatherv, kNoRoot, sum_of(all.sizes_bytes), kNoOperation, named};
    return chosen<Allgatherv>(group, call).run(group, own, all);
}

namespace {

// Such calls get flat algorithms by the rules unless there is a board. One rank, or every one, then connects
// to all others: too much for one call of a few bytes.
bool is_large_and_crowded(const Situation& situation)
{
    constexpr int kLarge = 16;  // the rules are measured up to here
    return situation.ranks > kLarge && situation.crowded();
}

}  // namespace

Task broadcast_as(Group& group, Call call, std::span<std::byte> data, int root)
{
    Situation situation = situation_of(group, data.size());
    if (is_large_and_crowded(situation))
        situation.named = {number_of<Broadcast>("binomial")};
    const auto& algorithm = chosen<Broadcast>(group, call, situation);
    return algorithm.run(group, data, root, call.algorithm.segment_bytes);
}

Task allgather_as(Group& group, Call call, const std::byte* own, std::span<std::byte> all)
{
    Situation situation = situation_of(group, all.size());
    if (is_large_and_crowded(situation) && !situation.fits_board())
        situation.named = {number_of<Allgather>("bruck")};
    return chosen<Allgather>(group, call, situation).run(group, own, all);
}

Task gather(Group& group, std::span<const std::byte> own, std::byte* all, int root, Selection named)
{
    const std::size_t all_bytes = own.size() * static_cast<std::size_t>(group.size());
    Call call{CallKind::gather, root, all_bytes, kNoOperation, named};
    return chosen<Gather>(group, call).run(group, own, all, root);
}

Task gatherv(Group& group, std::span<const std::byte> own, Blocks all, int root, Selection named)
{
    Call call{.kind = CallKind::gatherv, .root = root, .algorithm = named};
    return chosen<Gatherv>(group, call).run(group, own, all, root);
}

Task scatter(Group& group, const std::byte* all, std::span<std::byte> own, int root, Selection named)
{
    const std::size_t all_bytes = own.size() * static_cast<std::size_t>(group.size());
    Call call{CallKind::scatter, root, all_bytes, kNoOperation, named};
    return chosen<Scatter>(group, call).run(group, all, own, root);
}

Task scatterv(Group& group, ConstBlocks all, std::span<std::byte> own, int root, Selection named)
{
    Call call{.kind = CallKind::scatterv, .root = root, .algorithm = named};
    return chosen<Scatterv>(group, call).run(group, all, own, root);
}

Task alltoall(Group& group, const std::byte* in, std::span<std::byte> out, Selection named)
{
    const std::size_t block_bytes = out.size() / static_cast<std::size_t>(group.size());
    Call call{CallKind::alltoall, kNoRoot, out.size(), kNoOperation, named};
    return chosen<Alltoall>(group, call, situation_of(group, block_bytes, named)).run(group, in, out);
}

Task alltoall_in_place(Group& group, std::span<std::byte> data, Selection named)
{
    const std::size_t block_bytes = data.size() / static_cast<std::size_t>(group.size());
    const Selection found = choice().choose<Alltoall>(situation_of(group, block_bytes, named));
    const auto& algorithm = algorithm_of<Alltoall>(found);
    const bool on_board = needs_board(algorithm.needs);
    group.announce({.kind = CallKind::alltoall_in_place,
                    .size_bytes = data.size(),
                    .algorithm = {on_board ? found.number : number_of<Alltoall>("pairwise")}});
    return on_board ? algorithm.run(group, data.data(), data) : alltoall_in_pairs(group, data);
}

Task alltoallv(Group& group, ConstBlocks in, Blocks out, Selection named)
{
    Call call{.kind = CallKind::alltoallv, .algorithm = named};
    return chosen<Alltoallv>(group, call).run(group, in, out);
}

Task alltoallw(Group& group, SeparateBlocks<const std::byte> in, SeparateBlocks<std::byte> out)
{
    group.announce({.kind = CallKind::alltoallw});
    return alltoallw_flat(group, in, out);
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
