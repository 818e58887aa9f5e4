// What the user has set about messages, and what follows from the job's size.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "lib/engine/protocol/choose_protocol.hpp"
#include "lib/foundation/settings/settings.hpp"
#include "tutti/error.hpp"

namespace tutti::protocol {

// A size in bytes; the suffix K, M or G is allowed.
inline std::size_t bytes_from_setting(const char* variable, std::size_t otherwise, std::size_t least)
{
    const char* const text = settings::value_of(variable);
    if (text == nullptr || *text == '\0')
        return otherwise;
    char* end = nullptr;
    const unsigned long long number = std::strtoull(text, &end, 10);
    const std::string_view unit = end;
    const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
    const bool valid = end != text && text[0] != '-' && (unit.empty() || shift != 0) && number < (1ull << 34);
    if (!valid || (number << shift) < least)
        throw Error(ErrorCode::invalid_argument, "environment",
                    fmt::format("{}={}{} is not a size of at least {} bytes; write for example {}=64K",
                                variable, text, settings::origin_of(variable), least, variable));
    return static_cast<std::size_t>(number << shift);
}

/// For a job of `ranks`. `shared_cores`: there are more of them than cores. Throws ErrorCode::invalid_argument.
inline ProtocolOptions options_from_settings(int ranks, bool shared_cores)
{
    // A rank's peers together may leave 64 MiB with it, but each may at least send a burst of messages.
    const std::size_t share = (64u << 20) / static_cast<std::size_t>(ranks);
    // The kernel holds megabytes of data that goes over a network.
    const std::size_t credit = std::clamp<std::size_t>(share, 256u << 10, 8u << 20);
    ProtocolOptions options;
    if (const char* const text = settings::value_of("TUTTI_EAGER_LIMIT"); text != nullptr && *text != '\0')
        options.eager_limit_bytes = bytes_from_setting("TUTTI_EAGER_LIMIT", kEagerLimitBytes, 0);
    options.unexpected_bytes = bytes_from_setting("TUTTI_UNEXPECTED_LIMIT", credit, 4096);
    // Waiting for a receiver without a core costs more than any copy.
    if (shared_cores)
        options.view_from_bytes = options.eager_limit_bytes.value_or(kEagerLimitBytes) + 1;
    return options;
}

}  // namespace tutti::protocol
