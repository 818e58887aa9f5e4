// A non-blocking collective: its coroutine and the group on which it runs.
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include "collectives/framework/task.hpp"
#include "lib/core/communicators/communicator_group.hpp"
#include "lib/engine/request/request_state.hpp"

namespace tutti::detail {

/// The completion hook of a CollectiveRequest's task: ends the request.
void collective_ended(void* request) noexcept;

struct CollectiveRequest : RequestState, progress::Deferred {
    CollectiveRequest(std::shared_ptr<CommunicatorState> communicator_state, std::uint32_t number)
        : RequestState(Kind::collective),
          Deferred([](Deferred& self) noexcept {
              auto& request = static_cast<CollectiveRequest&>(self);
              request.task.start({collective_ended, &request});
          }),
          communicator(std::move(communicator_state)),
          group(*communicator, number)
    {
        owner = &communicator->process();
    }
    virtual ~CollectiveRequest() = default;

    /// The coroutine of this request's plan, for its group.
    virtual collectives::Task begin() = 0;

    std::shared_ptr<CommunicatorState> communicator;
    CommunicatorGroup group;
    std::exception_ptr given_up;  // the error, if no wait could end it
    collectives::Task task;       // last: its frame refers to the group
};

/// Holds the plan, to which the coroutine refers. `Plan`: see run_collective.hpp.
template <class Plan>
struct PlannedCollective final : CollectiveRequest {
    PlannedCollective(const std::shared_ptr<CommunicatorState>& state, std::uint32_t number, Plan&& given)
        : CollectiveRequest(state, number), plan(std::move(given))
    {
    }
    ~PlannedCollective() override { task = {}; }  // before the plan, to which its frame refers
    collectives::Task begin() override { return plan(group); }

    Plan plan;
};

}  // namespace tutti::detail
