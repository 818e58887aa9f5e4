// The directory for the files of the PMIx server. Only this user can read it, and nothing of it stays.
#pragma once

#include <string>

#include "launcher/base/descriptors.hpp"

namespace tutti::launcher {

/// A path that is not in use, below TMPDIR or /tmp. The process that removes the directory knows the path
/// before the directory exists, so the directory goes whichever process is killed.
std::string choose_session_directory();

/// Creates it. Others see that it is in use until this process and those that it forks close the result.
/// Throws a std::exception.
UniqueFd create_session_directory(const std::string& path);

/// A path for variables whose readers part lists at blanks, colons and the like, as LD_PRELOAD's: `path`
/// itself, or a link to it in the session directory. Empty where that has such a letter in its path, too, or
/// cannot hold it.
std::string listable_path(const std::string& path, const std::string& session_directory);

/// Removes it with all it holds. A missing one is no error.
void remove_session_directory(const std::string& path) noexcept;

/// Removes this user's directories whose owners and watchdogs were killed.
void remove_stale_session_directories() noexcept;

}  // namespace tutti::launcher
