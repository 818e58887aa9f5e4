// Which of a process's libraries are Tutti's or a compiler's, where a report looks for the program's own
// code.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace tutti::observe {

/// The last part of the file that a library was loaded from; nullptr is none.
inline std::string_view library_name(const char* path) noexcept
{
    const std::string_view whole = path == nullptr ? "" : path;
    return whole.substr(whole.rfind('/') + 1);
}

/// Whether it is libtutti, a library with MPI's functions on top of it, or one of others for Fortran and C++
/// that calls those.
inline bool is_own_library(const char* path) noexcept
{
    const std::string_view name = library_name(path);
    return name.starts_with("libtutti") || name.starts_with("libmpi");
}

/// Whether it is one that compilers of C, C++ and Fortran link with programs, which the program calls and
/// which calls it.
inline bool is_run_time_library(const char* path) noexcept
{
    static constexpr std::array<std::string_view, 8> kNames = {
        "libc.so", "libm.so", "libstdc++", "libc++", "libgcc_s", "libgfortran", "libflang", "libFortran"};
    const std::string_view name = library_name(path);
    return std::ranges::any_of(kNames, [name](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace tutti::observe
