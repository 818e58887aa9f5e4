// Ranks of a node give each other descriptors of open files: the way to a peer's memory when /proc does not
// lead there, as between containers.
#pragma once

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::transport::shm {

/// Others find a deposited file by the rank and the number of its descriptor in that rank. Any thread.
class DescriptorExchange {
public:
    virtual ~DescriptorExchange() = default;

    /// The file stays open for others until it is withdrawn or this process ends.
    virtual void deposit(int descriptor) noexcept = 0;
    virtual void withdraw(int descriptor) noexcept = 0;
    /// A descriptor of that file; none when `rank` has not deposited it. Does not wait for the rank.
    virtual base::UniqueFd fetch(int rank, int descriptor) noexcept = 0;
};

}  // namespace tutti::transport::shm
