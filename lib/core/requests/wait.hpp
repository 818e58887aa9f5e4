// Waits and tests over the states behind the requests of each interface.
//
// These functions do not consume results: a completed state stays until its interface calls recycle(). Its
// status has its own error. A thrown error ends all progress of this rank: a broken job, or ranks in
// different calls. All under the engine's lock, which waits release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "lib/engine/progress/engine.hpp"
#include "lib/engine/request/request_state.hpp"

namespace tutti::detail {

class Process;

using progress::kForEver;

/// The states of several requests. Each request begins with a pointer to its state: nullptr if it is not
/// active.
class States {
public:
    template <class Request>
    explicit States(std::span<Request> requests) noexcept
        : first_(reinterpret_cast<const std::byte*>(requests.data())),
          stride_(sizeof(Request)),
          count_(requests.size())
    {
    }

    std::size_t size() const noexcept { return count_; }
    RequestState* operator[](std::size_t index) const noexcept
    {
        return *reinterpret_cast<RequestState* const*>(first_ + index * stride_);
    }
    /// The process of the first active request; nullptr if none is active.
    Process* process() const noexcept;

private:
    const std::byte* first_;
    std::size_t stride_;
    std::size_t count_;
};

/// wait() for one that is not done.
bool wait_for_end(progress::Engine::Lock& lock, RequestState& state, std::int64_t until_ns);
/// False if it is not done by `until_ns`, on base::now_ns()'s clock. A collective that no wait can end is
/// given up and completes with the error.
inline bool wait(progress::Engine::Lock& lock, RequestState& state, std::int64_t until_ns = kForEver)
{
    return state.done || wait_for_end(lock, state, until_ns);
}
/// The index of a completed request; empty if none is active, or none is done by `until_ns`. A pass of
/// progress takes the same time for any number of requests.
std::optional<std::size_t> wait_any(progress::Engine::Lock& lock, const States& states,
                                    std::int64_t until_ns = kForEver);
/// Makes progress once unless it is done.
bool test(progress::Engine::Lock& lock, RequestState& state);
bool test_all(progress::Engine::Lock& lock, const States& states);
/// Whether one is done.
bool test_any(progress::Engine::Lock& lock, const States& states);
/// Writes the indices of completed requests, as many as fit, and returns their number.
std::size_t test_some(progress::Engine::Lock& lock, const States& states, std::span<std::size_t> indices);

}  // namespace tutti::detail
