#include "lib/core/process/window_request.hpp"

#include <algorithm>
#include <utility>

#include "lib/core/process/rank_status.hpp"

namespace tutti::detail {

void WindowRequest::fail(std::exception_ptr why) noexcept
{
    failure = std::move(why);
    place = nullptr;
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        finish(error.code());
    } catch (...) {
        finish(ErrorCode::internal);
    }
}

void WindowRequest::forget() noexcept
{
    if (place != nullptr)
        *std::exchange(place, nullptr) = nullptr;
}

observe::CallWords window_call_words(std::uint64_t context, std::string_view operation, int target,
                                     std::size_t bytes) noexcept
{
    const auto call =
        std::ranges::find(observe::kWindowCallNames, operation) - observe::kWindowCallNames.begin();
    observe::CallWords words = RankStatus::words(observe::Operation::window_call, context, target, 0, bytes);
    words.signature = static_cast<std::uint64_t>(call);
    return words;
}

}  // namespace tutti::detail
