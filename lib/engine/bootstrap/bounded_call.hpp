// A call with a time limit into a library that may never return.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace tutti::bootstrap {

/// Runs `call` on a thread of its own and returns its result, or nothing after `patience`. The thread may
/// then still run, so `call` must own what it uses.
template <typename Call>
auto call_within(std::chrono::milliseconds patience, Call call) -> std::optional<decltype(call())>
{
    using Result = decltype(call());
    std::packaged_task<Result()> task(call);
    std::future<Result> result = task.get_future();
    try {
        std::thread(std::move(task)).detach();
    } catch (const std::system_error&) {
        return call();  // the system gives no thread
    }
    if (result.wait_for(patience) != std::future_status::ready)
        return std::nullopt;
    return result.get();
}

}  // namespace tutti::bootstrap
