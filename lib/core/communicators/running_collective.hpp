// A non-blocking collective: its coroutine and the group on which it runs.
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include "collectives/framework/task.hpp"
#include "lib/core/communicators/communicator_group.hpp"
#include "lib/core/requests/collective_request.hpp"

namespace tutti::detail {

/// The completion hook of a RunningCollective's task: ends the request.
void collective_ended(void* request) noexcept;

struct RunningCollective : CollectiveRequest, progress::Deferred {
    RunningCollective(std::shared_ptr<CommunicatorState> communicator_state, std::uint32_t number)
        : Deferred([](Deferred& self) noexcept {
              auto& request = static_cast<RunningCollective&>(self);
              request.task.start({collective_ended, &request});
          }),
          communicator(std::move(communicator_state)),
          group(*communicator, number)
    {
        owner = &communicator->process();
    }

    /// The coroutine of this request's plan, for its group.
    virtual collectives::Task begin() = 0;
    /// Of a call that has ended: the bytes in its status.
    virtual std::size_t moved_bytes() const noexcept { return 0; }

    std::exception_ptr failure() override;
    void give_up(std::exception_ptr why) noexcept override;
    CallPlace place() const noexcept override { return group.place(); }
    observe::CallWords words_of_wait() const noexcept override;
    std::vector<int> absent(progress::Engine::Lock& lock, std::int64_t until_ns) override;

    std::shared_ptr<CommunicatorState> communicator;
    CommunicatorGroup group;
    std::exception_ptr given_up;  // the error, if no wait could end it
    collectives::Task task;       // last: its frame refers to the group
};

/// Holds the plan, to which the coroutine refers. `Plan`: see run_collective.hpp.
template <class Plan>
struct PlannedCollective final : RunningCollective {
    PlannedCollective(const std::shared_ptr<CommunicatorState>& state, std::uint32_t number, Plan&& given)
        : RunningCollective(state, number), plan(std::move(given))
    {
    }
    ~PlannedCollective() override { task = {}; }  // before the plan, to which its frame refers
    collectives::Task begin() override { return plan(group); }
    std::size_t moved_bytes() const noexcept override
    {
        if constexpr (requires(const Plan& of) { of.moved_bytes(); })
            return plan.moved_bytes();
        return 0;
    }

    Plan plan;
};

}  // namespace tutti::detail
