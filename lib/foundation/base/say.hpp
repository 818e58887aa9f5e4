// Messages that the library itself writes to stderr.
#pragma once

#include <cstdio>
#include <string>

namespace tutti::base {

/// `line` includes its line end. If the program has closed its stderr, nothing happens.
inline void say(const std::string& line) noexcept
{
    std::fputs(line.c_str(), stderr);
}

}  // namespace tutti::base
