// ReduceCollectives: checks what the caller gave, and runs the algorithms' coroutines on it.
//
// Each collective has one plan for its blocking and its non-blocking form: a function object that returns the
// coroutine, made before anything is sent. The coroutine refers to nothing but the caller's buffers.
#include "tutti/reduce_collectives.hpp"

#include <fmt/format.h>

#include <string>

#include "collectives/collectives.hpp"
#include "lib/communicator/run_collective.hpp"

namespace tutti {

namespace {

using collectives::Buffer;
using collectives::Group;
using collectives::Partition;
using detail::CommunicatorState;
using detail::ConstReduceView;
using detail::Operator;
using detail::ReduceView;
using detail::run_blocking;
using reduction::ReduceOp;

template <class Plan>
Request start_plan(const std::shared_ptr<CommunicatorState>& state, Plan plan)
{
    return detail::start(state, [&](detail::CollectiveRequest& request) { return plan(request.group); });
}

[[noreturn]] void refuse(std::string_view operation, const std::string& detail)
{
    throw Error(ErrorCode::invalid_argument, operation, detail);
}

bool overlap(ConstReduceView in, ConstReduceView out) noexcept
{
    return in.data < out.data + out.size_bytes() && out.data < in.data + in.size_bytes();
}

void check_same_shape(std::string_view operation, ConstReduceView in, ConstReduceView out)
{
    if (in.count != out.count)
        refuse(operation, fmt::format("input has {} elements, output {}; both must be of one size", in.count,
                                      out.count));
    if (in.data != out.data && overlap(in, out))
        refuse(operation, "input and output overlap; pass the same buffer for both, or two that are apart");
}

Buffer buffer_of(ReduceView view)
{
    return {view.data, view.count, view.element_bytes};
}

auto plan_reduce(const CommunicatorState& state, ConstReduceView in, ReduceView out, const Operator& op,
                 int root)
{
    detail::check_root(state, "reduce", root);
    const bool is_root = state.rank() == root;
    if (is_root)
        check_same_shape("reduce", in, out);
    // Only the root's output is the result's; elsewhere the algorithm takes memory of its own.
    const Buffer result{is_root ? out.data : nullptr, in.count, in.element_bytes};
    return [in, result, root, reduce_op = ReduceOp(op)](Group& group) {
        return collectives::reduce(group, in.data, result, root, reduce_op);
    };
}

auto plan_allreduce(ConstReduceView in, ReduceView out, const Operator& op)
{
    check_same_shape("allreduce", in, out);
    return [in, result = buffer_of(out), reduce_op = ReduceOp(op)](Group& group) {
        return collectives::allreduce(group, in.data, result, reduce_op);
    };
}

/// `blocks` has been checked against `in` and `out`.
auto plan_blocks(std::string_view operation, ConstReduceView in, ReduceView out, Partition blocks,
                 const Operator& op)
{
    if (overlap(in, out))
        refuse(operation, "input and output overlap; pass buffers that are apart");
    return [in, result = buffer_of(out), blocks = std::move(blocks), reduce_op = ReduceOp(op)](Group& group) {
        return collectives::reduce_scatter(group, in.data, blocks, result, reduce_op);
    };
}

auto plan_reduce_scatter(const CommunicatorState& state, ConstReduceView in, ReduceView out,
                         const Operator& op)
{
    const auto ranks = static_cast<std::size_t>(state.size());
    if (in.count / ranks != out.count || in.count % ranks != 0)
        refuse(
            "reduce_scatter",
            fmt::format("input has {} elements, output {}; over {} ranks the input must have a block of the "
                        "output's size for each: {} elements. For blocks of different sizes use "
                        "reduce_scatterv",
                        in.count, out.count, ranks, ranks * out.count));
    return plan_blocks("reduce_scatter", in, out, Partition::even(in.count, state.size()), op);
}

auto plan_reduce_scatterv(const CommunicatorState& state, ConstReduceView in, ReduceView out,
                          std::span<const std::size_t> counts, const Operator& op)
{
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
    if (own != out.count)
        refuse("reduce_scatterv",
               fmt::format("the output of rank {} has {} elements, but its count is {}; make them equal",
                           state.rank(), out.count, own));
    return plan_blocks("reduce_scatterv", in, out, Partition::of_counts(counts), op);
}

auto plan_scan(ConstReduceView in, ReduceView out, const Operator& op)
{
    check_same_shape("scan", in, out);
    return [in, result = buffer_of(out), reduce_op = ReduceOp(op)](Group& group) {
        return collectives::scan(group, in.data, result, reduce_op);
    };
}

auto plan_exscan(ConstReduceView in, ReduceView out, const Operator& op)
{
    check_same_shape("exscan", in, out);
    return [in, result = buffer_of(out), reduce_op = ReduceOp(op)](Group& group) {
        return collectives::exscan(group, in.data, result, reduce_op);
    };
}

}  // namespace

void ReduceCollectives::keep(Request& request, std::shared_ptr<void> what) noexcept
{
    if (request.active())
        RequestAccess::keep(request, std::move(what));
}

void ReduceCollectives::reduce_buffers(Input in, Output out, const Operator& op, int root) const
{
    run_blocking(*state_, plan_reduce(*state_, in, out, op, root));
}

Request ReduceCollectives::ireduce_buffers(Input in, Output out, const Operator& op, int root) const
{
    return start_plan(state_, plan_reduce(*state_, in, out, op, root));
}

void ReduceCollectives::allreduce_buffers(Input in, Output out, const Operator& op) const
{
    run_blocking(*state_, plan_allreduce(in, out, op));
}

Request ReduceCollectives::iallreduce_buffers(Input in, Output out, const Operator& op) const
{
    return start_plan(state_, plan_allreduce(in, out, op));
}

void ReduceCollectives::reduce_scatter_buffers(Input in, Output out, const Operator& op) const
{
    run_blocking(*state_, plan_reduce_scatter(*state_, in, out, op));
}

Request ReduceCollectives::ireduce_scatter_buffers(Input in, Output out, const Operator& op) const
{
    return start_plan(state_, plan_reduce_scatter(*state_, in, out, op));
}

void ReduceCollectives::reduce_scatterv_buffers(Input in, Output out, Counts counts, const Operator& op) const
{
    run_blocking(*state_, plan_reduce_scatterv(*state_, in, out, counts, op));
}

Request ReduceCollectives::ireduce_scatterv_buffers(Input in, Output out, Counts counts,
                                                    const Operator& op) const
{
    return start_plan(state_, plan_reduce_scatterv(*state_, in, out, counts, op));
}

void ReduceCollectives::scan_buffers(Input in, Output out, const Operator& op) const
{
    run_blocking(*state_, plan_scan(in, out, op));
}

Request ReduceCollectives::iscan_buffers(Input in, Output out, const Operator& op) const
{
    return start_plan(state_, plan_scan(in, out, op));
}

void ReduceCollectives::exscan_buffers(Input in, Output out, const Operator& op) const
{
    run_blocking(*state_, plan_exscan(in, out, op));
}

Request ReduceCollectives::iexscan_buffers(Input in, Output out, const Operator& op) const
{
    return start_plan(state_, plan_exscan(in, out, op));
}

}  // namespace tutti
