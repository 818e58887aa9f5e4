// Waits and tests over the states of requests: what each face's requests are made of.
//
// None of these takes an operation's result over: a state that is done stays so until its face recycle()s it.
// Its status has its own error. An error that is thrown ends all progress of this rank: a broken job, or
// calls of the ranks that differ. All under the engine's lock, which waits let go meanwhile.
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

/// The states of several requests, each of which begins with a pointer to its own: nullptr where none is
/// under way.
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
    /// Of the first that is under way; nullptr when none is.
    Process* process() const noexcept;

private:
    const std::byte* first_;
    std::size_t stride_;
    std::size_t count_;
};

/// False where it is not done by `until_ns`, on base::now_ns()'s clock. A collective that no wait can end is
/// given up, and then is done with the error.
bool wait(progress::Engine::Lock& lock, RequestState& state, std::int64_t until_ns = kForEver);
/// The index of one that is done; nothing when none is under way, or none is done by `until_ns`.
std::optional<std::size_t> wait_any(progress::Engine::Lock& lock, const States& states,
                                    std::int64_t until_ns = kForEver);
/// Makes progress once unless it is done.
bool test(progress::Engine::Lock& lock, RequestState& state);
bool test_all(progress::Engine::Lock& lock, const States& states);
/// Writes the indices of those that are done, as many as there is room for; how many.
std::size_t test_some(progress::Engine::Lock& lock, const States& states, std::span<std::size_t> indices);

}  // namespace tutti::detail
