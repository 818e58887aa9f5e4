// A message that has come and that a receive would take but for one thing: probably the mistake that the user
// looks for.
#pragma once

#include <cstdint>
#include <string>

#include "lib/foundation/observe/match_key.hpp"
#include "tutti/status.hpp"

namespace tutti::observe {

/// The one thing in which they differ, the likeliest mistake first.
enum class Misfit : std::uint8_t { tag, source, communicator, none_or_more };

inline Misfit misfit_of(const MatchKey& awaited, const MatchKey& message) noexcept
{
    const bool same_source = awaited.source() == any_source || awaited.source() == message.source();
    const bool same_tag = awaited.tag() == any_tag || awaited.tag() == message.tag();
    if (awaited.context != message.context)
        return same_source && same_tag ? Misfit::communicator : Misfit::none_or_more;
    return same_source == same_tag ? Misfit::none_or_more : same_source ? Misfit::tag : Misfit::source;
}

/// "tag 6 is awaited". Not for none_or_more.
inline std::string misfit_in_words(Misfit misfit, const MatchKey& awaited)
{
    return misfit == Misfit::tag      ? "tag " + std::to_string(awaited.tag()) + " is awaited"
           : misfit == Misfit::source ? "one from rank " + std::to_string(awaited.source()) + " is awaited"
                                      : "one on another communicator is awaited";
}

}  // namespace tutti::observe
