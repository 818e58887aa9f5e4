// What the collectives that move blocks share. Each has one plan, which a rank makes before anything is sent:
// it checks what the caller gave, copies what stays here, and is a function object that returns the
// coroutine. It holds what the coroutine refers to beside the caller's buffers.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "collectives/collectives.hpp"
#include "lib/communicator/byte_blocks.hpp"
#include "lib/communicator/run_collective.hpp"

namespace tutti::detail {

/// Starts the plan's coroutine; the request keeps the plan.
template <class Plan>
Request start_plan(const std::shared_ptr<CommunicatorState>& state, Plan plan)
{
    auto kept = std::make_shared<Plan>(std::move(plan));
    Request request = start(state, [&](CollectiveRequest& collective) { return (*kept)(collective.group); });
    if (request.active())
        RequestAccess::keep(request, std::move(kept));
    return request;
}

// All checks throw ErrorCode::invalid_argument in the name of `operation`, with the numbers and the remedy;
// also for a buffer that has elements but no memory.

/// Input and output must share no byte.
void check_apart(std::string_view operation, ConstElements in, ConstElements out);

/// Input and output must be equally long.
void check_equal_size(std::string_view operation, ConstElements in, ConstElements out);

/// `whole` must be as long as a `block` for each of `ranks` ranks. The names are the user's words for both.
void check_multiple(std::string_view operation, std::string_view block_name, ConstElements block,
                    std::string_view whole_name, ConstElements whole, int ranks);

/// `whole` must divide into equal blocks; the one of `rank`.
Elements block_of(std::string_view operation, Elements whole, int ranks, int rank);

/// This rank's buffer must be as long as the counts say.
void check_own_count(std::string_view operation, std::string_view name, ConstElements own,
                     std::size_t expected_bytes, int rank);

/// What this rank sends itself must be what it receives from itself.
void check_kept_count(std::string_view operation, std::size_t sent_bytes, std::size_t received_bytes,
                      int rank);

inline void copy_elements(std::byte* to, ConstElements from)
{
    if (from.count != 0)
        std::memcpy(to, from.data, from.size_bytes());
}

}  // namespace tutti::detail
