// The directory, for the eyes of this user only, that holds what the PMIx server writes. Nothing of it stays.
#pragma once

#include <string>

#include "launcher/base/unique_fd.hpp"

namespace tutti::launcher {

/// A path that nobody has, below TMPDIR or /tmp. Who is to remove the directory knows it before it is there:
/// so it goes whoever is killed when.
std::string choose_session_directory();

/// Creates it. It is in use, for others to see, until the result is closed by this process and those that it
/// forks. Throws a std::exception.
UniqueFd create_session_directory(const std::string& path);

/// Removes it with all it holds. A missing one is no error.
void remove_session_directory(const std::string& path) noexcept;

/// Removes those of this user whose owners are gone: killed, and their watchdogs with them.
void remove_stale_session_directories() noexcept;

}  // namespace tutti::launcher
