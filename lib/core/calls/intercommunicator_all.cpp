// The collectives of intercommunicators without a root: checks, and runs on the ranks of both groups.
#include <fmt/format.h>

#include <vector>

#include "lib/core/calls/contiguous.hpp"
#include "lib/core/calls/intercommunicator_calls.hpp"
#include "lib/core/communicators/buffer_checks.hpp"

namespace tutti::detail {

namespace inter = collectives::inter;
using collectives::Buffer;
using collectives::EqualBlocks;
using collectives::Group;
using collectives::Partition;
using reduction::ReduceOp;

namespace {

std::size_t block_bytes_of(std::string_view operation, const ConstElements& whole, const StatePointer& state)
{
    const Elements all{const_cast<std::byte*>(whole.data), whole.count, whole.element_bytes};
    return block_of(operation, all, static_cast<int>(state->peers().size()), 0).size_bytes();
}

Buffer result_of(const Contiguous& buffers)
{
    return {buffers.out.data, buffers.out.count, buffers.out.element_bytes};
}

Contiguous reduced_buffers(std::string_view operation, const ReducedBuffers& given)
{
    const Contiguous buffers(operation,
                             BlockBuffers{given.in, given.out, false, given.in_layout, given.out_layout},
                             {.out_overwritten = true});
    check_memory(operation, "input", buffers.in);
    check_memory(operation, "output", buffers.out);
    check_apart(operation, buffers.in, buffers.out);
    return buffers;
}

CallHandle scatter_reduced(const StatePointer& state, Form form, const Contiguous& buffers, Partition blocks,
                           const Operator& op)
{
    const std::size_t own = blocks[state->rank()].count;
    if (buffers.in.count != blocks.count() || buffers.out.count != own)
        refuse("reduce_scatter",
               fmt::format("input has {} elements, output {}; over {} ranks of the own group they must have "
                           "{} and {}",
                           buffers.in.count, buffers.out.count, state->size(), blocks.count(), own));
    return run(all_ranks(state), form, buffers,
               [state, in = buffers.in.data, out = result_of(buffers), blocks = std::move(blocks),
                reduce_op = ReduceOp(op)](Group& both) {
                   return inter::reduce_scatter(groups_of(*state, both), in, blocks, out, reduce_op);
               });
}

}  // namespace

CallHandle call_inter_allgather(const StatePointer& state, Form form, const BlockBuffers& given)
{
    const Contiguous buffers("allgather", given, {.out_overwritten = true});
    check_memory("allgather", "input", buffers.in);
    block_bytes_of("allgather", buffers.out, state);
    check_apart("allgather", buffers.in, buffers.out);
    return run(all_ranks(state), form, buffers,
               [state, own = std::span(buffers.in.data, buffers.in.size_bytes()),
                all = std::span(buffers.out.data, buffers.out.size_bytes())](Group& both) {
                   return inter::allgather(groups_of(*state, both), own, all);
               });
}

CallHandle call_inter_allgatherv(const StatePointer& state, Form form, const BlockBuffers& given,
                                 const BlockCounts& received)
{
    const Contiguous buffers("allgatherv", given);
    check_memory("allgatherv", "input", buffers.in);
    ByteBlocks blocks("allgatherv", "output", received, buffers.out, static_cast<int>(state->peers().size()),
                      ByteBlocks::Use::received);
    check_apart("allgatherv", buffers.in, buffers.out);
    return run(all_ranks(state), form, buffers,
               [state, own = std::span(buffers.in.data, buffers.in.size_bytes()), all = buffers.out.data,
                blocks = std::move(blocks)](Group& both) {
                   return inter::allgatherv(groups_of(*state, both), own, blocks.in(all));
               });
}

CallHandle call_inter_alltoall(const StatePointer& state, Form form, const BlockBuffers& given)
{
    const Contiguous buffers("alltoall", given, {.out_overwritten = true});
    const EqualBlocks<const std::byte> in{buffers.in.data, block_bytes_of("alltoall", buffers.in, state)};
    const EqualBlocks<std::byte> out{buffers.out.data, block_bytes_of("alltoall", buffers.out, state)};
    check_apart("alltoall", buffers.in, buffers.out);
    return run(all_ranks(state), form, buffers,
               [state, in, out](Group& both) { return inter::alltoall(groups_of(*state, both), in, out); });
}

CallHandle call_inter_alltoallv(const StatePointer& state, Form form, const BlockBuffers& given,
                                const BlockCounts& sent, const BlockCounts& received)
{
    const Contiguous buffers("alltoallv", given);
    const auto remote_size = static_cast<int>(state->peers().size());
    ByteBlocks from("alltoallv", "input", sent, buffers.in, remote_size, ByteBlocks::Use::sent);
    ByteBlocks to("alltoallv", "output", received, buffers.out, remote_size, ByteBlocks::Use::received);
    check_apart("alltoallv", buffers.in, buffers.out);
    return run(
        all_ranks(state), form, buffers,
        [state, from = std::move(from), to = std::move(to), in = buffers.in.data, out = buffers.out.data](
            Group& both) { return inter::alltoallv(groups_of(*state, both), from.in(in), to.in(out)); });
}

CallHandle call_inter_allreduce(const StatePointer& state, Form form, const ReducedBuffers& given,
                                const Operator& op)
{
    const Contiguous buffers = reduced_buffers("allreduce", given);
    check_equal_size("allreduce", buffers.in, buffers.out);
    return run(all_ranks(state), form, buffers,
               [state, in = buffers.in.data, out = result_of(buffers), reduce_op = ReduceOp(op)](
                   Group& both) { return inter::allreduce(groups_of(*state, both), in, out, reduce_op); });
}

CallHandle call_inter_reduce_scatter(const StatePointer& state, Form form, const ReducedBuffers& given,
                                     const Operator& op)
{
    const Contiguous buffers = reduced_buffers("reduce_scatter", given);
    const std::vector<std::size_t> counts(static_cast<std::size_t>(state->size()), buffers.out.count);
    return scatter_reduced(state, form, buffers, Partition::of_counts(counts), op);
}

CallHandle call_inter_reduce_scatterv(const StatePointer& state, Form form, const ReducedBuffers& given,
                                      std::span<const std::size_t> counts, const Operator& op)
{
    if (counts.size() != static_cast<std::size_t>(state->size()))
        refuse("reduce_scatterv", fmt::format("there are {} counts for {} ranks of the own group; give the "
                                              "elements of each rank's block",
                                              counts.size(), state->size()));
    return scatter_reduced(state, form, reduced_buffers("reduce_scatterv", given),
                           Partition::of_counts(counts), op);
}

}  // namespace tutti::detail
