// ReduceCollectives: checks what the caller gave, and runs the algorithms' coroutines on it.
#include "tutti/reduce_collectives.hpp"

#include <fmt/format.h>

#include "collectives/algorithm_name.hpp"
#include "collectives/collectives.hpp"
#include "lib/core/calls/buffer_checks.hpp"
#include "lib/core/messages/packed_buffers.hpp"

namespace tutti {

namespace {

using collectives::ask_for;
using collectives::Buffer;
using collectives::CallKind;
using collectives::Group;
using collectives::Partition;
using detail::BlockBuffers;
using detail::BuffersUsed;
using detail::CommunicatorState;
using detail::Elements;
using detail::Operator;
using detail::ReducedBuffers;
using detail::refuse;
using reduction::ReduceOp;

void check_same_shape(std::string_view operation, const ReducedBuffers& buffers)
{
    const auto& [in, out, in_layout, out_layout] = buffers;
    detail::check_memory(operation, "input", in);
    detail::check_memory(operation, "output", out);
    if (in.count != out.count)
        refuse(operation, fmt::format("input has {} elements, output {}; both must be of one size", in.count,
                                      out.count));
    if (in.data != out.data)
        detail::check_apart(operation, in, out);
}

// The same buffer twice: one that begins where the other does and is shorter overlaps it.
bool in_place(const ReducedBuffers& buffers)
{
    return buffers.in.data == buffers.out.data && buffers.in.count == buffers.out.count &&
           buffers.in_layout == buffers.out_layout;
}

/// Runs the plan that make_plan(buffers) returns, with contiguous copies of buffers that have layouts.
template <class MakePlan>
detail::Started run_reduction(detail::Form form, const std::shared_ptr<CommunicatorState>& state,
                              std::string_view operation, const ReducedBuffers& buffers, BuffersUsed used,
                              MakePlan make_plan)
{
    if (buffers.in_layout == nullptr && buffers.out_layout == nullptr) [[likely]]
        return detail::run(form, state, make_plan(buffers));
    const BlockBuffers laid_out{buffers.in, buffers.out, in_place(buffers), buffers.in_layout,
                                buffers.out_layout};
    return detail::run_on(form, state, operation, laid_out, used, [&](const BlockBuffers& contiguous) {
        const detail::ConstElements in = laid_out.in_place ? contiguous.out : contiguous.in;
        return make_plan(ReducedBuffers{in, contiguous.out});
    });
}

Buffer buffer_of(Elements elements)
{
    return {elements.data, elements.count, elements.element_bytes};
}

auto plan_reduce(const CommunicatorState& state, const ReducedBuffers& buffers, const Operator& op,
                 const RootOptions& options)
{
    const auto& [in, out, in_layout, out_layout] = buffers;
    detail::check_root(state, "reduce", options.root);
    const bool is_root = state.rank() == options.root;
    if (is_root)
        check_same_shape("reduce", buffers);
    else
        detail::check_memory("reduce", "input", in);
    // Only the root's output is the result's; elsewhere the algorithm takes memory of its own.
    const Buffer result{is_root ? out.data : nullptr, in.count, in.element_bytes};
    return [in = in.data, result, root = options.root, reduce_op = ReduceOp(op),
            asked = ask_for(CallKind::reduce, options.algorithm)](Group& group) {
        return collectives::reduce(group, in, result, root, reduce_op, asked);
    };
}

auto plan_allreduce(const ReducedBuffers& buffers, const Operator& op, const CollectiveOptions& options)
{
    check_same_shape("allreduce", buffers);
    return [buffers, reduce_op = ReduceOp(op),
            asked = ask_for(CallKind::allreduce, options.algorithm)](Group& group) {
        return collectives::allreduce(group, buffers.in.data, buffer_of(buffers.out), reduce_op, asked);
    };
}

/// `blocks` has been checked against `in` and `out`.
auto plan_blocks(std::string_view operation, const ReducedBuffers& buffers, Partition blocks,
                 const Operator& op, const CollectiveOptions& options)
{
    detail::check_memory(operation, "input", buffers.in);
    detail::check_memory(operation, "output", buffers.out);
    const bool is_in_place = in_place(buffers);
    if (!is_in_place)
        detail::check_apart(operation, buffers.in, buffers.out);
    const CallKind kind = blocks.is_even() ? CallKind::reduce_scatter : CallKind::reduce_scatterv;
    const collectives::Selection asked = ask_for(kind, options.algorithm);
    return [in = buffers.in.data, out = buffer_of(buffers.out), is_in_place, blocks = std::move(blocks),
            reduce_op = ReduceOp(op), asked](Group& group) {
        return is_in_place ? collectives::reduce_scatter_in_place(group, out, blocks, reduce_op, asked)
                           : collectives::reduce_scatter(group, in, blocks, out, reduce_op, asked);
    };
}

auto plan_reduce_scatter(const CommunicatorState& state, const ReducedBuffers& buffers, const Operator& op,
                         const CollectiveOptions& options)
{
    const auto& [in, out, in_layout, out_layout] = buffers;
    const auto ranks = static_cast<std::size_t>(state.size());
    if (in_place(buffers) && in.count % ranks != 0)
        refuse("reduce_scatter",
               fmt::format("the buffer has {} elements; over {} ranks it must have blocks of equal "
                           "size: a multiple of {} elements. For blocks of different sizes use "
                           "reduce_scatterv",
                           in.count, ranks, ranks));
    if (!in_place(buffers) && (in.count / ranks != out.count || in.count % ranks != 0))
        refuse(
            "reduce_scatter",
            fmt::format("input has {} elements, output {}; over {} ranks the input must have a block of the "
                        "output's size for each: {} elements. For blocks of different sizes use "
                        "reduce_scatterv",
                        in.count, out.count, ranks, ranks * out.count));
    return plan_blocks("reduce_scatter", buffers, Partition::even(in.count, state.size()), op, options);
}

auto plan_reduce_scatterv(const CommunicatorState& state, const ReducedBuffers& buffers,
                          std::span<const std::size_t> counts, const Operator& op,
                          const CollectiveOptions& options)
{
    const auto& [in, out, in_layout, out_layout] = buffers;
    const auto ranks = static_cast<std::size_t>(state.size());
    if (counts.size() != ranks)
        refuse("reduce_scatterv", fmt::format("there are {} counts for {} ranks; give the elements of each "
                                              "rank's block",
                                              counts.size(), ranks));
    std::size_t rest = in.count;
    for (const std::size_t count : counts) {
        if (count > rest)
            refuse("reduce_scatterv",
                   fmt::format("the counts add up to more than the {} elements of the input; make them equal",
                               in.count));
        rest -= count;
    }
    if (rest != 0)
        refuse("reduce_scatterv", fmt::format("the counts add up to {} elements, but the input has {}; make "
                                              "them equal",
                                              in.count - rest, in.count));
    const std::size_t own = counts[static_cast<std::size_t>(state.rank())];
    if (!in_place(buffers) && own != out.count)
        refuse("reduce_scatterv",
               fmt::format("the output of rank {} has {} elements, but its count is {}; make them equal",
                           state.rank(), out.count, own));
    return plan_blocks("reduce_scatterv", buffers, Partition::of_counts(counts), op, options);
}

auto plan_scan(const ReducedBuffers& buffers, const Operator& op, const CollectiveOptions& options)
{
    check_same_shape("scan", buffers);
    return [in = buffers.in.data, result = buffer_of(buffers.out), reduce_op = ReduceOp(op),
            asked = ask_for(CallKind::scan, options.algorithm)](Group& group) {
        return collectives::scan(group, in, result, reduce_op, asked);
    };
}

auto plan_exscan(const ReducedBuffers& buffers, const Operator& op, const CollectiveOptions& options)
{
    check_same_shape("exscan", buffers);
    return [in = buffers.in.data, result = buffer_of(buffers.out), reduce_op = ReduceOp(op),
            asked = ask_for(CallKind::exscan, options.algorithm)](Group& group) {
        return collectives::exscan(group, in, result, reduce_op, asked);
    };
}

}  // namespace

detail::Started ReduceCollectives::call_reduce(Form form, const Buffers& buffers, const Operator& op,
                                               const RootOptions& options) const
{
    const bool is_root = state_->rank() == options.root;
    const BuffersUsed used{
        .out = is_root || in_place(buffers), .out_read = in_place(buffers), .out_written = is_root};
    return run_reduction(form, state_, "reduce", buffers, used, [&](const Buffers& contiguous) {
        return plan_reduce(*state_, contiguous, op, options);
    });
}

detail::Started ReduceCollectives::call_allreduce(Form form, const Buffers& buffers, const Operator& op,
                                                  const CollectiveOptions& options) const
{
    return run_reduction(form, state_, "allreduce", buffers, {.out_read = in_place(buffers)},
                         [&](const Buffers& contiguous) { return plan_allreduce(contiguous, op, options); });
}

detail::Started ReduceCollectives::call_reduce_scatter(Form form, const Buffers& buffers, const Operator& op,
                                                       const CollectiveOptions& options) const
{
    return run_reduction(
        form, state_, "reduce_scatter", buffers, {.out_read = in_place(buffers)},
        [&](const Buffers& contiguous) { return plan_reduce_scatter(*state_, contiguous, op, options); });
}

detail::Started ReduceCollectives::call_reduce_scatterv(Form form, const Buffers& buffers,
                                                        std::span<const std::size_t> counts,
                                                        const Operator& op,
                                                        const CollectiveOptions& options) const
{
    return run_reduction(form, state_, "reduce_scatterv", buffers, {.out_read = in_place(buffers)},
                         [&](const Buffers& contiguous) {
                             return plan_reduce_scatterv(*state_, contiguous, counts, op, options);
                         });
}

detail::Started ReduceCollectives::call_scan(Form form, const Buffers& buffers, const Operator& op,
                                             const CollectiveOptions& options) const
{
    return run_reduction(form, state_, "scan", buffers, {.out_read = in_place(buffers)},
                         [&](const Buffers& contiguous) { return plan_scan(contiguous, op, options); });
}

detail::Started ReduceCollectives::call_exscan(Form form, const Buffers& buffers, const Operator& op,
                                               const CollectiveOptions& options) const
{
    return run_reduction(form, state_, "exscan", buffers, {},
                         [&](const Buffers& contiguous) { return plan_exscan(contiguous, op, options); });
}

}  // namespace tutti
