// The directory, for the eyes of this user only, that holds what the PMIx server writes. Nothing of it stays.
#pragma once

#include <string>

namespace tutti::launcher {

/// Creates it below TMPDIR, or /tmp. Throws std::system_error.
std::string create_session_directory();

/// Removes it with all it holds. A missing one is no error.
void remove_session_directory(const std::string& path) noexcept;

}  // namespace tutti::launcher
