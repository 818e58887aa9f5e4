// Runs a collective of a communicator in one of three forms: blocking, as a request that progress drives, or
// as a persistent request.
//
// Each collective has one plan for all three: a function object that returns the coroutine for a group. The
// plan is made when the call is checked, before anything is sent, and holds all that the coroutine refers to
// except the caller's buffers. A plan is constant and moves no data: each start makes a new coroutine.
//
// The code of the forms is compiled once: it calls a plan through a pointer to a function.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "lib/core/communicators/communicator_group.hpp"
#include "lib/core/communicators/running_collective.hpp"
#include "tutti/call_handle.hpp"

namespace tutti::detail {

/// Drives a task of the group to its end and throws its error.
void drive(progress::Engine& engine, progress::Engine::Lock& lock, CommunicatorGroup& group,
           collectives::Task& task);

/// Refers to a plan of any type, which outlives this.
class PlanView {
public:
    template <class Plan>
    requires(!std::is_same_v<Plan, PlanView>) PlanView(const Plan& plan)
    noexcept
        : plan_(&plan), begin_([](const void* of, collectives::Group& group) -> collectives::Task {
              return (*static_cast<const Plan*>(of))(group);
          })
    {
    }

    collectives::Task operator()(collectives::Group& group) const { return begin_(plan_, group); }

private:
    const void* plan_;
    collectives::Task (*begin_)(const void* plan, collectives::Group& group);
};

/// Drives the plan's coroutine to its end and throws its error. Algorithms in rounds may end without one.
void run_blocking(CommunicatorState& state, PlanView plan);

/// Makes a request that keeps the plan, which it may move.
using MakeRequest = std::unique_ptr<RunningCollective> (*)(const std::shared_ptr<CommunicatorState>& state,
                                                           std::uint32_t number, void* plan);

/// Starts the coroutine of the plan of the request that `make` makes; progress drives it.
Request start(const std::shared_ptr<CommunicatorState>& state, MakeRequest make, void* plan);

template <class Plan>
std::unique_ptr<RunningCollective> make_request(const std::shared_ptr<CommunicatorState>& state,
                                                std::uint32_t number, void* plan)
{
    return std::make_unique<PlannedCollective<Plan>>(state, number, std::move(*static_cast<Plan*>(plan)));
}

/// A plan of any type, which its copies share.
class SharedPlan {
public:
    template <class Plan>
    explicit SharedPlan(std::shared_ptr<const Plan> plan) noexcept : view_(*plan), kept_(std::move(plan))
    {
    }

    collectives::Task operator()(collectives::Group& group) const { return view_(group); }

private:
    PlanView view_;
    std::shared_ptr<const void> kept_;
};

/// A plan that is started repeatedly, in any order with others. Its requests share it. Collective: it
/// exchanges messages.
CallHandle persistent(const std::shared_ptr<CommunicatorState>& state, SharedPlan plan);

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
        return CallHandle(start(state, make_request<Plan>, &plan));
    return persistent(state, SharedPlan(std::make_shared<const Plan>(std::move(plan))));
}

}  // namespace tutti::detail
