// Makes a communicator's handle within the library.
#pragma once

#include <memory>
#include <utility>

#include "tutti/communicator.hpp"

namespace tutti {

struct CommunicatorAccess {
    static Communicator handle_of(std::shared_ptr<detail::CommunicatorState> state) noexcept
    {
        return Communicator(std::move(state));
    }
    static const detail::StatePointer& state_of(const Communicator& handle) noexcept { return handle.state_; }
};

}  // namespace tutti
