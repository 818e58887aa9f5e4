// A non-blocking collective under way: its coroutine and the group it runs on.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/task.hpp"
#include "lib/communicator/communicator_group.hpp"
#include "lib/request/request_state.hpp"

namespace tutti::detail {

struct CollectiveRequest final : RequestState {
    CollectiveRequest(std::shared_ptr<CommunicatorState> communicator_state, int tag)
        : RequestState(Kind::collective),
          communicator(std::move(communicator_state)),
          group(*communicator, tag)
    {
        owner = &communicator->process();
    }

    std::shared_ptr<CommunicatorState> communicator;
    CommunicatorGroup group;
    std::vector<std::byte> packed;  // of a broadcast of a layout
    std::function<void()> after;    // runs when the task has ended well, before the request is done
    collectives::Task task;         // last: its frame refers to all of the above
};

}  // namespace tutti::detail
