#include "launcher/ranks/session_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "lib/foundation/security/key.hpp"

namespace tutti::launcher {

namespace {

constexpr std::string_view kPrefix = "tuttirun-session-";
constexpr std::size_t kDigits = 16;

std::string parent_directory()
{
    const std::string base = environment_variable("TMPDIR");
    return base.empty() ? "/tmp" : base;
}

bool is_at(const UniqueFd& directory, const std::string& path)
{
    struct stat own {};
    struct stat there {};
    return ::fstat(directory.get(), &own) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

/// Empty where it cannot be locked; `taken` says that another process has the lock, or has removed the directory
/// meanwhile: another one of that name is somebody else's. On file systems without locks no directory looks
/// stale.
UniqueFd lock(const std::string& path, bool& taken)
{
    UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const bool locked = directory && ::flock(directory.get(), LOCK_EX | LOCK_NB) == 0;
    taken = directory && (locked ? !is_at(directory, path) : errno == EWOULDBLOCK);
    return locked && !taken ? std::move(directory) : UniqueFd();
}

}  // namespace

std::string choose_session_directory()
{
    std::array<std::byte, sizeof(std::uint64_t)> random;
    security::fill_random(random);
    return fmt::format("{}/{}{:0{}x}", parent_directory(), kPrefix, std::bit_cast<std::uint64_t>(random),
                       kDigits);
}

UniqueFd create_session_directory(const std::string& path)
{
    // Between its creation and its lock it looks stale, and another process may remove it: then it is made
    // again, as soon as it is gone.
    constexpr int kTries = 1000;
    constexpr useconds_t kPauseUs = 1000;
    for (int i = 0; i < kTries; ++i) {
        const bool made = ::mkdir(path.c_str(), 0700) == 0;
        if (!made && errno == EEXIST && i > 0) {
            ::usleep(kPauseUs);
            continue;
        }
        if (!made)
            throw std::system_error(errno, std::generic_category(), "cannot create " + path + "; set TMPDIR");
        bool taken = false;
        UniqueFd held = lock(path, taken);
        if (!taken && ::access(path.c_str(), F_OK) == 0)
            return held;
    }
    throw std::runtime_error("cannot create " + path + ": somebody removes it at once; set TMPDIR");
}

std::string listable_path(const std::string& path, const std::string& session_directory)
{
    const auto is_listable = [](const std::string& text) {
        return text.find_first_of(" \t\n:;'\"") == std::string::npos;
    };
    if (is_listable(path))
        return path;
    const std::string link = session_directory + "/" + std::filesystem::path(path).filename().string();
    if (!is_listable(link))
        return {};
    std::error_code error;
    std::filesystem::create_symlink(path, link, error);
    // Another program of the job may have made it.
    const bool leads_there = std::filesystem::equivalent(path, link, error);
    return leads_there && !error ? link : std::string();
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
            const bool ours = name.starts_with(kPrefix) && name.size() == kPrefix.size() + kDigits &&
                              ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                              status.st_uid == ::geteuid();
            bool taken = false;
            // Kept until it is gone: a job that has just made it waits for that, and makes it again.
            const UniqueFd held = ours ? lock(path, taken) : UniqueFd();
            if (held)
                remove_session_directory(path);
        }
    } catch (const std::exception&) {
        // A directory that cannot be read is left alone.
    }
}

}  // namespace tutti::launcher
