// The directory, for the eyes of this user only, that holds what the PMIx server writes. Nothing of it stays.
#pragma once

#include <string>

namespace tutti::launcher {

/// Creates it below TMPDIR, or /tmp. Throws std::system_error.
std::string create_session_directory();

/// Removes it with all it holds. A missing one is no error.
void remove_session_directory(const std::string& path) noexcept;

/// One that is created, and removed with this.
class SessionDirectory {
public:
    SessionDirectory() : path_(create_session_directory()) {}
    ~SessionDirectory() { remove(); }
    SessionDirectory(const SessionDirectory&) = delete;
    SessionDirectory& operator=(const SessionDirectory&) = delete;

    const std::string& path() const noexcept { return path_; }
    /// Once more is no error.
    void remove() noexcept { remove_session_directory(path_); }

private:
    std::string path_;
};

}  // namespace tutti::launcher
