// The operations behind an array of requests.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lib/core/requests/wait.hpp"
#include "lib/mpi/request/request_object.hpp"

namespace tutti::mpi {

/// For waits of the core: nullptr where a request is not active.
class RequestArray {
public:
    /// Throws Failure for an array that is none, or handles that are no requests'.
    RequestArray(int count, const MPI_Request* requests);
    RequestArray(const RequestArray&) = delete;
    RequestArray& operator=(const RequestArray&) = delete;

    bool any_active() const noexcept { return any_active_; }
    detail::States states() const noexcept { return detail::States(operations_); }
    bool is_done(int i) const noexcept
    {
        const detail::RequestState* const operation = operations_[static_cast<std::size_t>(i)];
        return operation != nullptr && operation->done;
    }

private:
    std::array<detail::RequestState*, 32> few_;
    std::vector<detail::RequestState*> many_;
    std::span<detail::RequestState*> operations_;
    bool any_active_ = false;
};

}  // namespace tutti::mpi
