// Common to the clients of a launcher: how long they wait for it, and how they convert what it sends.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tutti::bootstrap {

// Wait for the daemon's answer in calls that do not block.
inline constexpr std::chrono::milliseconds kNoTime(20);

// Time for the news of a death to travel from a busy daemon to the head and from there to this host.
inline constexpr std::chrono::milliseconds kLauncherPatience(1000);

inline std::vector<std::byte> bytes_of(std::string_view text)
{
    const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
}

}  // namespace tutti::bootstrap
