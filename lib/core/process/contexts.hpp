// The numbers that tell communicators apart in messages. A communicator has two: one for the user's messages,
// and one for those of its collectives.
#pragma once

#include <cstdint>

namespace tutti::detail {

// Ids that need no message: they are equal everywhere, because only rank 0 assigns ids of rank 0, and it
// begins after them.
inline constexpr std::uint64_t kWorldContext = 0;
inline constexpr std::uint64_t kLeadersContext = 1;

// Either of a communicator's two contexts gives each of them.
constexpr std::uint64_t collective_context_of(std::uint64_t context) noexcept
{
    return context | 1;
}
constexpr std::uint64_t message_context_of(std::uint64_t context) noexcept
{
    return context & ~std::uint64_t{1};
}
constexpr bool is_of_collectives(std::uint64_t context) noexcept
{
    return (context & 1) != 0;
}

}  // namespace tutti::detail
