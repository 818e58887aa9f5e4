// Which of a process's libraries are Tutti's, where a report looks for the program's own code.
#pragma once

#include <string_view>

namespace tutti::base {

/// Of the file that a library was loaded from; nullptr is none. libtutti, the libraries with MPI's functions
/// that stand on it, and others' libraries for Fortran and C++ that call those.
inline bool is_own_library(const char* path) noexcept
{
    const std::string_view whole = path == nullptr ? "" : path;
    const std::string_view name = whole.substr(whole.rfind('/') + 1);
    return name.starts_with("libtutti") || name.starts_with("libmpi");
}

}  // namespace tutti::base
