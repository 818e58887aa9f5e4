// The rooted collectives of intercommunicators: checks, and runs on the ranks of both groups.
#include <fmt/format.h>

#include <optional>

#include "lib/core/calls/contiguous.hpp"
#include "lib/core/calls/intercommunicator_calls.hpp"
#include "lib/core/communicators/buffer_checks.hpp"

namespace tutti::detail {

namespace inter = collectives::inter;
using collectives::Buffer;
using collectives::Group;
using reduction::ReduceOp;

namespace {

int remote_size_of(const StatePointer& state)
{
    return static_cast<int>(state->peers().size());
}

void check_inter_root(const StatePointer& state, std::string_view operation, int root)
{
    if (root < kRootBeside || root >= remote_size_of(state))
        refuse_root(operation, root, remote_size_of(state));
}

/// Which buffers a rank has: the sending one, the receiving one, or none.
BuffersUsed sent_or_received(bool sends, bool receives)
{
    return {.in = sends, .out = receives, .out_written = receives};
}

std::span<const std::byte> input_bytes(const Contiguous& buffers)
{
    return {buffers.in.data, buffers.in.size_bytes()};
}

std::span<std::byte> output_bytes(const Contiguous& buffers)
{
    return {buffers.out.data, buffers.out.size_bytes()};
}

void check_blocks(std::string_view operation, const ConstElements& whole, const StatePointer& state)
{
    block_of(operation, {const_cast<std::byte*>(whole.data), whole.count, whole.element_bytes},
             remote_size_of(state), 0);
}

}  // namespace

CallHandle call_inter_broadcast(const StatePointer& state, Form form, const BlockBuffers& buffer, int root)
{
    check_inter_root(state, "broadcast", root);
    const Contiguous buffers("broadcast", {{}, buffer.out, root == kRootHere, nullptr, buffer.out_layout},
                             {.out = root != kRootBeside, .out_written = root >= 0, .out_overwritten = true});
    if (root != kRootBeside)
        check_memory("broadcast", "buffer", buffers.out);
    return run(all_ranks(state), form, buffers, [state, data = output_bytes(buffers), root](Group& both) {
        return inter::broadcast(groups_of(*state, both), data, root);
    });
}

CallHandle call_inter_reduce(const StatePointer& state, Form form, const ReducedBuffers& given,
                             const Operator& op, int root)
{
    check_inter_root(state, "reduce", root);
    const bool receives = root == kRootHere;
    const Contiguous buffers(
        "reduce", BlockBuffers{given.in, given.out, false, given.in_layout, given.out_layout},
        {.in = root >= 0, .out = receives, .out_written = receives, .out_overwritten = true});
    if (root >= 0)
        check_memory("reduce", "input", buffers.in);
    if (receives)
        check_memory("reduce", "output", buffers.out);
    const Buffer result = receives ? Buffer{buffers.out.data, buffers.out.count, buffers.out.element_bytes}
                                   : Buffer{nullptr, buffers.in.count, buffers.in.element_bytes};
    return run(all_ranks(state), form, buffers,
               [state, in = buffers.in.data, result, root, reduce_op = ReduceOp(op)](Group& both) {
                   return inter::reduce(groups_of(*state, both), in, result, root, reduce_op);
               });
}

CallHandle call_inter_gather(const StatePointer& state, Form form, const BlockBuffers& given, int root)
{
    check_inter_root(state, "gather", root);
    const Contiguous buffers("gather", given, sent_or_received(root >= 0, root == kRootHere));
    if (root >= 0)
        check_memory("gather", "input", buffers.in);
    if (root == kRootHere)
        check_blocks("gather", buffers.out, state);
    return run(all_ranks(state), form, buffers,
               [state, own = input_bytes(buffers), all = output_bytes(buffers), root](Group& both) {
                   return inter::gather(groups_of(*state, both), own, all, root);
               });
}

CallHandle call_inter_gatherv(const StatePointer& state, Form form, const BlockBuffers& given,
                              const BlockCounts& counts, int root)
{
    check_inter_root(state, "gatherv", root);
    const Contiguous buffers("gatherv", given, sent_or_received(root >= 0, root == kRootHere));
    if (root >= 0)
        check_memory("gatherv", "input", buffers.in);
    std::optional<ByteBlocks> blocks;
    if (root == kRootHere)
        blocks.emplace("gatherv", "output", counts, buffers.out, remote_size_of(state),
                       ByteBlocks::Use::received);
    return run(all_ranks(state), form, buffers,
               [state, own = input_bytes(buffers), all = buffers.out.data, blocks = std::move(blocks),
                root](Group& both) {
                   return inter::gatherv(groups_of(*state, both), own,
                                         blocks ? blocks->in(all) : collectives::Blocks(), root);
               });
}

CallHandle call_inter_scatter(const StatePointer& state, Form form, const BlockBuffers& given, int root)
{
    check_inter_root(state, "scatter", root);
    const Contiguous buffers("scatter", given, sent_or_received(root == kRootHere, root >= 0));
    if (root == kRootHere)
        check_blocks("scatter", buffers.in, state);
    if (root >= 0)
        check_memory("scatter", "output", buffers.out);
    return run(all_ranks(state), form, buffers,
               [state, all = input_bytes(buffers), own = output_bytes(buffers), root](Group& both) {
                   return inter::scatter(groups_of(*state, both), all, own, root);
               });
}

CallHandle call_inter_scatterv(const StatePointer& state, Form form, const BlockBuffers& given,
                               const BlockCounts& counts, int root)
{
    check_inter_root(state, "scatterv", root);
    const Contiguous buffers("scatterv", given, sent_or_received(root == kRootHere, root >= 0));
    if (root >= 0)
        check_memory("scatterv", "output", buffers.out);
    std::optional<ByteBlocks> blocks;
    if (root == kRootHere)
        blocks.emplace("scatterv", "input", counts, buffers.in, remote_size_of(state), ByteBlocks::Use::sent);
    return run(all_ranks(state), form, buffers,
               [state, all = buffers.in.data, own = output_bytes(buffers), blocks = std::move(blocks),
                root](Group& both) {
                   return inter::scatterv(groups_of(*state, both),
                                          blocks ? blocks->in(all) : collectives::ConstBlocks(), own, root);
               });
}

}  // namespace tutti::detail
