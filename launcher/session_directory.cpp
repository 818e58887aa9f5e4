#include "launcher/session_directory.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace tutti::launcher {

namespace {

constexpr std::string_view kPrefix = "tuttirun-session-";
constexpr std::string_view kPlaces = "XXXXXX";  // for mkdtemp

std::string parent_directory()
{
    const char* base = std::getenv("TMPDIR");
    return base != nullptr && *base != '\0' ? base : "/tmp";
}

/// Invalid where that cannot be, and `taken` where somebody else has it. On file systems without locks
/// nothing ever looks stale.
UniqueFd lock(const std::string& path, bool& taken)
{
    UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const bool locked = directory && ::flock(directory.get(), LOCK_EX | LOCK_NB) == 0;
    taken = directory && !locked && errno == EWOULDBLOCK;
    return locked ? std::move(directory) : UniqueFd();
}

}  // namespace

SessionDirectory::SessionDirectory()
{
    // Between its creation and its lock it looks stale to others, who remove it: then another one is made.
    constexpr int kTries = 10;
    for (int i = 0; i < kTries; ++i) {
        path_ = fmt::format("{}/{}{}", parent_directory(), kPrefix, kPlaces);
        if (::mkdtemp(path_.data()) == nullptr) {  // with mode 0700
            throw std::system_error(errno, std::generic_category(),
                                    "cannot create " + path_ + "; set TMPDIR");
        }
        bool taken = false;
        lock_ = lock(path_, taken);
        if (!taken && ::access(path_.c_str(), F_OK) == 0) {
            return;
        }
    }
}

void remove_session_directory(const std::string& path) noexcept
{
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

void remove_stale_session_directories() noexcept
{
    try {
        for (const auto& entry : std::filesystem::directory_iterator(parent_directory())) {
            struct stat status {};
            const std::string path = entry.path();
            const std::string name = entry.path().filename();
            const bool ours = name.starts_with(kPrefix) && name.size() == kPrefix.size() + kPlaces.size() &&
                              ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                              status.st_uid == ::geteuid();
            bool taken = false;
            if (ours && lock(path, taken)) {
                remove_session_directory(path);
            }
        }
    } catch (const std::exception&) {
        // A directory that cannot be read keeps what it has.
    }
}

}  // namespace tutti::launcher
