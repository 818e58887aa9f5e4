// A call into a library that may never come back.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace tutti::bootstrap {

/// What `call` returns, from a thread of its own; empty where it has not come back within `patience`. The
/// thread is then left behind, so `call` must own what it uses.
template <typename Call>
auto call_within(std::chrono::milliseconds patience, Call call) -> std::optional<decltype(call())>
{
    using Result = decltype(call());
    std::packaged_task<Result()> task(call);
    std::future<Result> result = task.get_future();
    try {
        std::thread(std::move(task)).detach();
    } catch (const std::system_error&) {
        return call();  // no thread may be started
    }
    if (result.wait_for(patience) != std::future_status::ready)
        return std::nullopt;
    return result.get();
}

}  // namespace tutti::bootstrap
