// Group over the engine: what collective algorithms run on in a real job.
#pragma once

#include "collectives/group.hpp"
#include "lib/communicator/communicator_state.hpp"
#include "lib/communicator/group_operation.hpp"
#include "lib/communicator/process.hpp"

namespace tutti::detail {

/// The messages of one collective call on one communicator. Used under the engine's lock.
class CommunicatorGroup final : public collectives::Group {
public:
    CommunicatorGroup(CommunicatorState& state, int tag) noexcept
        : Group(state.rank(), state.size(), state.placement()), state_(state), tag_(tag)
    {
    }

    collectives::Operation send(int peer, std::span<const std::byte> data) override;
    collectives::Operation recv(int peer, std::span<std::byte> data) override;
    collectives::Operation recv_reduce(int peer, collectives::Buffer accumulate, collectives::ReduceOp op,
                                       collectives::Side arriving) override;

private:
    void release(collectives::OperationState& state) noexcept override;
    [[noreturn]] void raise(const collectives::OperationState& state) const override;
    void release_send(GroupSend& send) noexcept;
    void release_receive(GroupReceive& receive) noexcept;
    GroupReceive& new_receive(int peer, std::span<std::byte> data);
    collectives::Operation start(GroupReceive& receive);

    CommunicatorState& state_;
    int tag_;
};

}  // namespace tutti::detail
