// Which Tutti this is.
#pragma once

#include <string_view>

namespace tutti::launcher {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace tutti::launcher
