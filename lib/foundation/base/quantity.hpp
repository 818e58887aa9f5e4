// Quantities as messages to users give them.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace tutti::base {

/// "8 B", "1 MiB", "1.5 GiB".
inline std::string bytes_in_words(std::uint64_t bytes)
{
    if (bytes < 1024)
        return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes) / 1024;
    const char* unit = "KiB";
    for (const char* next : {"MiB", "GiB", "TiB"}) {
        if (value < 1024)
            break;
        value /= 1024;
        unit = next;
    }
    return fmt::format("{:.4g} {}", value, unit);
}

}  // namespace tutti::base
