// Communicator's collectives: runs the algorithms' coroutines, to their end (blocking) or by progress.
#include "collectives/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/communicator/collective_request.hpp"
#include "lib/communicator/communicator_group.hpp"
#include "lib/communicator/request_access.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace {

using collectives::Buffer;
using collectives::Group;
using collectives::Task;
using detail::CollectiveRequest;
using detail::CommunicatorState;
using detail::Process;
using reduction::ReduceOp;

// Drives the task that make(group) returns to its end.
template <class Make>
void run_blocking(CommunicatorState& state, Make&& make)
{
    progress::Engine& engine = state.process().engine();
    auto lock = engine.lock();
    transport::shm::NodeBoard* const board = state.board(lock);
    detail::CommunicatorGroup group(state, state.next_collective(), board);
    Task task = make(group);
    task.start();
    engine.wait(lock, [&] {
        group.poll_board();
        return task.done();
    });
    task.rethrow();
}

// Ends the request of a task that has ended.
void task_ended(void* context) noexcept
{
    auto& request = *static_cast<CollectiveRequest*>(context);
    // The coroutine is still in its final suspension: whether it failed shows in what rethrow() does.
    ErrorCode result = ErrorCode::success;
    try {
        request.task.rethrow();
        if (request.after)
            request.after();
    } catch (const Error& error) {
        result = error.code();
    } catch (...) {
        result = ErrorCode::internal;
    }
    request.finish(result);
}

// Starts a task that progress drives. `prepare(request)` returns it; the request is at its final address.
template <class Prepare>
Request start(const std::shared_ptr<CommunicatorState>& state, Prepare&& prepare)
{
    auto lock = state->process().engine().lock();
    auto request = std::make_unique<CollectiveRequest>(state, state->next_collective());
    request->task = prepare(*request);
    request->task.start({task_ended, request.get()});
    state->process().engine().started();
    return RequestAccess::active(*request.release());
}

void check_root(const CommunicatorState& state, std::string_view operation, int root)
{
    if (root < 0 || root >= state.size())
        throw Error(ErrorCode::invalid_rank, operation,
                    fmt::format("the root {} is no rank of this communicator; its ranks are 0 to {}", root,
                                state.size() - 1),
                    root);
}

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
