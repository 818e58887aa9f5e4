// What the library says on stderr of its own accord.
#pragma once

#include <cstdio>
#include <string>

namespace tutti::base {

/// With its line end. A program may have closed its stderr: then nobody reads it, and nothing happens.
inline void say(const std::string& line) noexcept
{
    std::fputs(line.c_str(), stderr);
}

}  // namespace tutti::base
