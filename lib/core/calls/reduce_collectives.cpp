// The collectives that combine elements: each checks the caller's arguments and runs an algorithm's
// coroutine.
#include <fmt/format.h>

#include "collectives/choice/algorithm_name.hpp"
#include "collectives/collectives.hpp"
#include "lib/core/calls/contiguous.hpp"
#include "lib/core/communicators/buffer_checks.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

using collectives::ask_for;
using collectives::Buffer;
using collectives::CallKind;
using collectives::Group;
using collectives::Partition;
using reduction::ReduceOp;

namespace {

constexpr BuffersUsed kOverwrites{.out_overwritten = true};

[[noreturn]] void refuse_counts(std::string_view operation, std::size_t in, std::size_t out)
{
    refuse(operation, fmt::format("input has {} elements, output {}; both must be of one size", in, out));
}

[[gnu::always_inline]] inline void check_same_shape(std::string_view operation, const Contiguous& buffers)
{
    const auto& in = buffers.in;
    const auto& out = buffers.out;
    check_memory(operation, "input", in);
    check_memory(operation, "output", out);
    if (in.count != out.count) [[unlikely]]
        refuse_counts(operation, in.count, out.count);
    if (in.data != out.data)
        check_apart(operation, in, out);
}

Buffer buffer_of(Elements elements)
{
    return {elements.data, elements.count, elements.element_bytes};
}

/// `blocks` has been checked against the buffers.
CallHandle scatter_blocks(const StatePointer& state, Form form, std::string_view operation,
                          const Contiguous& buffers, Partition blocks, const Operator& op,
                          const CollectiveOptions& options)
{
    check_memory(operation, "input", buffers.in);
    check_memory(operation, "output", buffers.out);
    if (!buffers.in_place)
        check_apart(operation, buffers.in, buffers.out);
    const CallKind kind = blocks.is_even() ? CallKind::reduce_scatter : CallKind::reduce_scatterv;
    return run(state, form, buffers,
               [in = buffers.in.data, out = buffer_of(buffers.out), in_place = buffers.in_place,
                blocks = std::move(blocks), reduce_op = ReduceOp(op),
                asked = ask_for(kind, options.algorithm)](Group& group) {
                   return in_place
                              ? collectives::reduce_scatter_in_place(group, out, blocks, reduce_op, asked)
                              : collectives::reduce_scatter(group, in, blocks, out, reduce_op, asked);
               });
}

void check_counts(const CommunicatorState& state, const Contiguous& buffers,
                  std::span<const std::size_t> counts)
{
    const std::size_t elements = buffers.in.count;
    if (counts.size() != static_cast<std::size_t>(state.size()))
        refuse("reduce_scatterv", fmt::format("there are {} counts for {} ranks; give the elements of each "
                                              "rank's block",
                                              counts.size(), state.size()));
    std::size_t rest = elements;
    for (const std::size_t count : counts) {
        if (count > rest)
            refuse("reduce_scatterv",
                   fmt::format("the counts add up to more than the {} elements of the input; make them equal",
                               elements));
        rest -= count;
    }
    if (rest != 0)
        refuse("reduce_scatterv", fmt::format("the counts add up to {} elements, but the input has {}; make "
                                              "them equal",
                                              elements - rest, elements));
    const std::size_t own = counts[static_cast<std::size_t>(state.rank())];
    if (!buffers.in_place && own != buffers.out.count)
        refuse("reduce_scatterv",
               fmt::format("the output of rank {} has {} elements, but its count is {}; make them equal",
                           state.rank(), buffers.out.count, own));
}

}  // namespace

CallHandle call_reduce(const StatePointer& state, Form form, const ReducedBuffers& given, const Operator& op,
                       const RootOptions& options)
{
    check_root(*state, "reduce", options.root);
    const bool is_root = state->rank() == options.root;
    const bool has_output = is_root || Contiguous::is_in_place(given);
    const Contiguous buffers("reduce", given,
                             {.out = has_output, .out_written = is_root, .out_overwritten = true});
    if (is_root)
        check_same_shape("reduce", buffers);
    else
        check_memory("reduce", "input", buffers.in);
    // Only the root's output holds the result; at other ranks the algorithm takes its own memory.
    const Buffer result{is_root ? buffers.out.data : nullptr, buffers.in.count, buffers.in.element_bytes};
    return run(state, form, buffers,
               [in = buffers.in.data, result, root = options.root, reduce_op = ReduceOp(op),
                asked = ask_for(CallKind::reduce, options.algorithm)](Group& group) {
                   return collectives::reduce(group, in, result, root, reduce_op, asked);
               });
}

CallHandle call_allreduce(const StatePointer& state, Form form, const ReducedBuffers& given,
                          const Operator& op, const CollectiveOptions& options)
{
    const Contiguous buffers("allreduce", given, kOverwrites);
    check_same_shape("allreduce", buffers);
    return run(state, form, buffers,
               [in = buffers.in.data, result = buffer_of(buffers.out), reduce_op = ReduceOp(op),
                asked = ask_for(CallKind::allreduce, options.algorithm)](Group& group) {
                   return collectives::allreduce(group, in, result, reduce_op, asked);
               });
}

CallHandle call_reduce_scatter(const StatePointer& state, Form form, const ReducedBuffers& given,
                               const Operator& op, const CollectiveOptions& options)
{
    const Contiguous buffers("reduce_scatter", given, kOverwrites);
    const std::size_t in = buffers.in.count;
    const std::size_t out = buffers.out.count;
    const auto ranks = static_cast<std::size_t>(state->size());
    if (buffers.in_place && in % ranks != 0)
        refuse("reduce_scatter",
               fmt::format("the buffer has {} elements; over {} ranks it must have blocks of equal "
                           "size: a multiple of {} elements. For blocks of different sizes use "
                           "reduce_scatterv",
                           in, ranks, ranks));
    if (!buffers.in_place && (in / ranks != out || in % ranks != 0))
        refuse(
            "reduce_scatter",
            fmt::format("input has {} elements, output {}; over {} ranks the input must have a block of the "
                        "output's size for each: {} elements. For blocks of different sizes use "
                        "reduce_scatterv",
                        in, out, ranks, ranks * out));
    return scatter_blocks(state, form, "reduce_scatter", buffers, Partition::even(in, state->size()), op,
                          options);
}

CallHandle call_reduce_scatterv(const StatePointer& state, Form form, const ReducedBuffers& given,
                                std::span<const std::size_t> counts, const Operator& op,
                                const CollectiveOptions& options)
{
    const Contiguous buffers("reduce_scatterv", given, kOverwrites);
    check_counts(*state, buffers, counts);
    return scatter_blocks(state, form, "reduce_scatterv", buffers, Partition::of_counts(counts), op, options);
}

CallHandle call_scan(const StatePointer& state, Form form, const ReducedBuffers& given, const Operator& op,
                     const CollectiveOptions& options)
{
    const Contiguous buffers("scan", given, kOverwrites);
    check_same_shape("scan", buffers);
    return run(state, form, buffers,
               [in = buffers.in.data, result = buffer_of(buffers.out), reduce_op = ReduceOp(op),
                asked = ask_for(CallKind::scan, options.algorithm)](Group& group) {
                   return collectives::scan(group, in, result, reduce_op, asked);
               });
}

CallHandle call_exscan(const StatePointer& state, Form form, const ReducedBuffers& given, const Operator& op,
                       const CollectiveOptions& options)
{
    const Contiguous buffers("exscan", given);  // rank 0's output stays as it is
    check_same_shape("exscan", buffers);
    return run(state, form, buffers,
               [in = buffers.in.data, result = buffer_of(buffers.out), reduce_op = ReduceOp(op),
                asked = ask_for(CallKind::exscan, options.algorithm)](Group& group) {
                   return collectives::exscan(group, in, result, reduce_op, asked);
               });
}

}  // namespace tutti::detail
