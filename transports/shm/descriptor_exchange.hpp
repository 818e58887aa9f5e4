// Descriptors of open files that ranks of a node give to each other: the way to a peer's memory where /proc
// does not lead there, as between containers.
#pragma once

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::transport::shm {

/// What a rank has deposited the others find by the rank and the descriptor's number there. Any thread.
class DescriptorExchange {
public:
    virtual ~DescriptorExchange() = default;

    /// The file stays open for others until it is withdrawn, or this process ends.
    virtual void deposit(int descriptor) noexcept = 0;
    virtual void withdraw(int descriptor) noexcept = 0;
    /// A descriptor of that file; none where `rank` has deposited no such thing. Does not wait for the rank.
    virtual base::UniqueFd fetch(int rank, int descriptor) noexcept = 0;
};

}  // namespace tutti::transport::shm
