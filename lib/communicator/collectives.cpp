// Communicator's collectives: runs the algorithms' coroutines, to their end (blocking) or by progress.
#include "collectives/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/communicator/run_collective.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace {

using collectives::Buffer;
using collectives::Group;
using detail::check_root;
using detail::CollectiveRequest;
using detail::run_blocking;
using detail::start;
using reduction::ReduceOp;

void check_same_shape(std::string_view operation, detail::ConstReduceView in, detail::ReduceView out)
{
    if (in.count != out.count)
        throw Error(
            ErrorCode::invalid_argument, operation,
            fmt::format("input has {} elements, output {}; both must be of one size", in.count, out.count));
    if (in.data != out.data && in.data < out.data + out.size_bytes() && out.data < in.data + in.size_bytes())
        throw Error(ErrorCode::invalid_argument, operation,
                    "input and output overlap; pass the same buffer for both, or two that are apart");
}

Buffer buffer_of(detail::ReduceView view)
{
    return {view.data, view.count, view.element_bytes};
}

void copy_input(detail::ConstReduceView in, detail::ReduceView out)
{
    if (in.data != out.data && in.count != 0)
        std::memcpy(out.data, in.data, in.size_bytes());
}

}  // namespace

void Communicator::barrier() const
{
    run_blocking(*state_, [](Group& group) { return collectives::barrier(group); });
}

Request Communicator::ibarrier() const
{
    return start(state_, [](CollectiveRequest& request) { return collectives::barrier(request.group); });
}

Request Communicator::ibroadcast_view(detail::View view, int root) const
{
    check_root(*state_, "broadcast", root);
    return start(state_, [&](CollectiveRequest& request) {
        std::span<std::byte> bytes(view.data, view.size_bytes);
        if (view.layout != nullptr) {
            request.packed.resize(view.size_bytes);
            bytes = request.packed;
            if (root == rank_)
                view.layout->pack(view.data, 0, bytes);
            else
                request.after = [&request, base = view.data, layout = *view.layout] {
                    layout.unpack(base, 0, request.packed);
                };
        }
        return collectives::broadcast(request.group, bytes, root);
    });
}

void Communicator::broadcast_view(detail::View view, int root) const
{
    if (view.layout != nullptr) {
        ibroadcast_view(view, root).wait();
        return;
    }
    check_root(*state_, "broadcast", root);
    run_blocking(*state_, [&](Group& group) {
        return collectives::broadcast(group, {view.data, view.size_bytes}, root);
    });
}

void Communicator::reduce_buffers(detail::ConstReduceView in, detail::ReduceView out,
                                  const detail::Operator& op, int root) const
{
    check_root(*state_, "reduce", root);
    if (rank_ == root)
        check_same_shape("reduce", in, out);
    const ReduceOp reduce_op(op);
    // Only the root's output is the result's; elsewhere the algorithm takes memory of its own.
    const Buffer result{rank_ == root ? out.data : nullptr, in.count, in.element_bytes};
    run_blocking(*state_,
                 [&](Group& group) { return collectives::reduce(group, in.data, result, root, reduce_op); });
}

Request Communicator::ireduce_buffers(detail::ConstReduceView in, detail::ReduceView out,
                                      const detail::Operator& op, int root) const
{
    check_root(*state_, "reduce", root);
    if (rank_ == root)
        check_same_shape("reduce", in, out);
    const ReduceOp reduce_op(op);
    const Buffer result{rank_ == root ? out.data : nullptr, in.count, in.element_bytes};
    return start(state_, [&](CollectiveRequest& request) {
        return collectives::reduce(request.group, in.data, result, root, reduce_op);
    });
}

void Communicator::allreduce_buffers(detail::ConstReduceView in, detail::ReduceView out,
                                     const detail::Operator& op) const
{
    check_same_shape("allreduce", in, out);
    const ReduceOp reduce_op(op);
    copy_input(in, out);
    run_blocking(*state_,
                 [&](Group& group) { return collectives::allreduce(group, buffer_of(out), reduce_op); });
}

Request Communicator::iallreduce_buffers(detail::ConstReduceView in, detail::ReduceView out,
                                         const detail::Operator& op) const
{
    check_same_shape("allreduce", in, out);
    const ReduceOp reduce_op(op);
    copy_input(in, out);
    return start(state_, [&](CollectiveRequest& request) {
        return collectives::allreduce(request.group, buffer_of(out), reduce_op);
    });
}

}  // namespace tutti
