// Which of a process's libraries are Tutti's, where a report looks for the program's own code.
#pragma once

#include <string_view>

namespace tutti::observe {

/// Whether `path`, the file that a library was loaded from, is libtutti, a library with MPI's functions on
/// top of it, or one of others for Fortran and C++ that calls those. nullptr is none.
inline bool is_own_library(const char* path) noexcept
{
    const std::string_view whole = path == nullptr ? "" : path;
    const std::string_view name = whole.substr(whole.rfind('/') + 1);
    return name.starts_with("libtutti") || name.starts_with("libmpi");
}

}  // namespace tutti::observe
