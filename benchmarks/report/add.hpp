// Writes to the end of a report.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tutti::bench {

template <typename... Arguments>
void add(std::string& report, fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    report += fmt::format(format, std::forward<Arguments>(arguments)...);
}

}  // namespace tutti::bench
