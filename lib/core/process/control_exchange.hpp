// Passes descriptors to other ranks of the node through the daemon that started them all.
#pragma once

#include "lib/foundation/control/channel.hpp"
#include "transports/shm/descriptor_exchange.hpp"

namespace tutti::detail {

class ControlExchange final : public transport::shm::DescriptorExchange {
public:
    /// The channel outlives it.
    explicit ControlExchange(control::Channel& channel) noexcept : channel_(channel) {}

    void deposit(int descriptor) noexcept override;
    void withdraw(int descriptor) noexcept override;
    base::UniqueFd fetch(int rank, int descriptor) noexcept override;

private:
    control::Channel& channel_;
};

}  // namespace tutti::detail
