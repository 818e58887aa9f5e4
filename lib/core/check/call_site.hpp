// Where the program makes a call: for reports of checks.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tutti::check {

/// Return addresses of the innermost functions outside the library, as many as there are: some may be of
/// Tutti's own headers.
using Site = std::array<void*, 4>;

/// Takes some microseconds.
Site call_site() noexcept;

/// "main at jacobi.c:17"; without debugging symbols "main in jacobi", or the address in the file. Starts
/// addr2line, if it is there. "" for an empty site.
const std::string& describe(const Site& site);
/// Of what describe() has answered.
bool is_of_fortran(std::string_view place) noexcept;

}  // namespace tutti::check
