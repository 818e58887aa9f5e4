// What clients of a launcher have in common: how long they wait for it, and how they take what it sends.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tutti::bootstrap {

// For the daemon's answer to who does not want to wait.
inline constexpr std::chrono::milliseconds kNoTime(20);

// For news of a death to go from the daemon on one host to the head, and from there to this one, all of them
// busy.
inline constexpr std::chrono::milliseconds kLauncherPatience(1000);

inline std::vector<std::byte> bytes_of(std::string_view text)
{
    const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
}

}  // namespace tutti::bootstrap
