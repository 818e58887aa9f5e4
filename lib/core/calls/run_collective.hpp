// Runs a collective of a communicator in one of three forms: blocking, as a request that progress drives, or
// as a persistent request.
//
// Each collective has one plan for all three: a function object that returns the coroutine for a group. The
// plan is made when the call is checked, before anything is sent, and holds all that the coroutine refers to
// except the caller's buffers. A plan is constant and moves no data: each start makes a new coroutine.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "lib/core/calls/collective_request.hpp"
#include "lib/core/communicators/communicator_group.hpp"
#include "lib/core/requests/request_access.hpp"
#include "tutti/call_handle.hpp"
#include "tutti/error.hpp"

namespace tutti::detail {

/// Drives a task of the group to its end and throws its error.
inline void drive(progress::Engine& engine, progress::Engine::Lock& lock, CommunicatorGroup& group,
                  collectives::Task& task)
{
    const RankStatus::InCall in_call(group.process().status());
    const CallDiagnosis::Blocked blocked(group.process().calls(), &group);
    engine.begin_all();
    task.start();
    engine.wait(lock, [&] {
        group.poll_board();
        return task.done();
    });
    group.rethrow(task);
}

/// The board of a blocking call. Throws in the call's name if a rank is lost while all agree on a board.
template <class Plan>
transport::shm::NodeBoard* board_for(CommunicatorState& state, progress::Engine::Lock& lock, const Plan& plan)
{
    try {
        return state.board(lock);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::peer_lost || error.peer() == Error::kNoPeer)
            throw;
        const std::uint32_t number = state.next_collective();
        CommunicatorGroup group(state, number);
        static_cast<void>(plan(group));  // announces the call; the coroutine never runs
        state.raise_lost(error.peer(), state.calls().find(number));
    }
}

/// Drives the plan's coroutine to its end and throws its error. Algorithms in rounds may end without one.
template <class Plan>
void run_blocking(CommunicatorState& state, const Plan& plan)
{
    progress::Engine& engine = state.process().engine();
    auto lock = engine.lock();
    const RankStatus::InCall in_call(state.process().status());
    transport::shm::NodeBoard* const board = board_for(state, lock, plan);
    engine.begin_all();
    CommunicatorGroup group(state, state.next_collective(), board);
    group.let_block(&lock);
    collectives::Task task = plan(group);
    group.let_block(nullptr);
    if (task)
        drive(engine, lock, group, task);
}

/// Starts the plan's coroutine, which progress drives. The request keeps the plan.
template <class Plan>
Request start(const std::shared_ptr<CommunicatorState>& state, Plan plan)
{
    progress::Engine& engine = state->process().engine();
    auto lock = engine.lock();
    const RankStatus::InCall in_call(state->process().status());
    auto request =
        std::make_unique<PlannedCollective<Plan>>(state, state->next_collective(), std::move(plan));
    request->task = request->plan(request->group);
    if (check::Checker* const checker = state->process().checker(); checker != nullptr) [[unlikely]]
        checker->begin(*request);
    engine.begin(*request);
    engine.started();
    return RequestAccess::active(*request.release());
}

/// A plan that is started repeatedly. Its requests share it.
template <class Plan>
class CollectiveStarter final : public Starter {
public:
    CollectiveStarter(std::shared_ptr<CommunicatorState> state, Plan plan)
        : state_(std::move(state)), plan_(std::make_shared<Plan>(std::move(plan)))
    {
    }
    Request start() override
    {
        Request request =
            detail::start(state_, [plan = plan_](collectives::Group& group) { return (*plan)(group); });
        if (keep != nullptr)
            RequestAccess::keep(*RequestAccess::state(request), keep);
        return request;
    }

private:
    std::shared_ptr<CommunicatorState> state_;
    std::shared_ptr<const Plan> plan_;
};

/// A blocking call moves no plan.
template <class Plan>
requires(!std::is_reference_v<Plan>) CallHandle
    run(const std::shared_ptr<CommunicatorState>& state, Form form, Plan&& plan)
{
    if (form == Form::blocking) [[likely]] {
        run_blocking(*state, plan);
        return {};
    }
    if (form == Form::nonblocking)
        return CallHandle(start(state, std::move(plan)));
    return CallHandle(std::make_unique<CollectiveStarter<Plan>>(state, std::move(plan)));
}

}  // namespace tutti::detail
