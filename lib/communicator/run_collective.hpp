// How a communicator runs a collective's coroutine: to its end (blocking), or by progress (a request).
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "lib/communicator/collective_request.hpp"
#include "lib/communicator/communicator_group.hpp"
#include "lib/communicator/request_access.hpp"

namespace tutti::detail {

/// Drives the task that make(group) returns to its end. Throws what it throws.
template <class Make>
void run_blocking(CommunicatorState& state, Make&& make)
{
    progress::Engine& engine = state.process().engine();
    auto lock = engine.lock();
    transport::shm::NodeBoard* const board = state.board(lock);
    CommunicatorGroup group(state, state.next_collective(), board);
    collectives::Task task = make(group);
    task.start();
    engine.wait(lock, [&] {
        group.poll_board();
        return task.done();
    });
    task.rethrow();
}

/// The completion hook of a CollectiveRequest's task: ends the request.
void collective_ended(void* request) noexcept;

/// Starts a task that progress drives. `prepare(request)` returns it; the request is at its final address.
template <class Prepare>
Request start(const std::shared_ptr<CommunicatorState>& state, Prepare&& prepare)
{
    auto lock = state->process().engine().lock();
    auto request = std::make_unique<CollectiveRequest>(state, state->next_collective());
    request->task = prepare(*request);
    request->task.start({collective_ended, request.get()});
    state->process().engine().started();
    return RequestAccess::active(*request.release());
}

/// Throws ErrorCode::invalid_rank unless `root` is a rank of the communicator.
void check_root(const CommunicatorState& state, std::string_view operation, int root);

}  // namespace tutti::detail
