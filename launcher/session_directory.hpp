// The directory, for the eyes of this user only, that holds what the PMIx server writes. Nothing of it stays.
#pragma once

#include <string>

#include "launcher/unique_fd.hpp"

namespace tutti::launcher {

/// Removes it with all it holds. A missing one is no error.
void remove_session_directory(const std::string& path) noexcept;

/// Removes those of this user whose owners are gone: killed, and their watchdogs with them.
void remove_stale_session_directories() noexcept;

/// One below TMPDIR, or /tmp, as long as this lives. It is locked until this process and those that it has
/// forked have ended, or closed the descriptor: so others know that it is in use.
class SessionDirectory {
public:
    /// Throws std::system_error.
    SessionDirectory();
    ~SessionDirectory() { remove(); }
    SessionDirectory(const SessionDirectory&) = delete;
    SessionDirectory& operator=(const SessionDirectory&) = delete;

    const std::string& path() const noexcept { return path_; }
    /// Once more is no error.
    void remove() noexcept { remove_session_directory(path_); }

private:
    std::string path_;
    UniqueFd lock_;
};

}  // namespace tutti::launcher
