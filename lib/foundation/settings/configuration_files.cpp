#include "lib/foundation/settings/configuration_files.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/settings/configuration.hpp"
#include "lib/foundation/settings/installed_folders.hpp"

namespace tutti::settings {

namespace {

using Owner = NamedFile::Owner;
namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{64} << 10;
constexpr const char* kOthers = "TUTTI_CONF=none leaves the files out";

std::string_view variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
}

/// The folder of the library or program that holds this function.
std::string own_folder()
{
    Dl_info info{};
    fs::path file = "/proc/self/exe";
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) != 0 && info.dli_fname != nullptr &&
        *info.dli_fname == '/')
        file = info.dli_fname;
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    return error ? std::string() : real.parent_path().string();
}

/// $XDG_CONFIG_HOME or ~/.config; empty where nobody names it. The user's database is not asked: that may
/// take a network, and may know nothing of this user.
std::string user_folder()
{
    if (const std::string_view folder = variable("XDG_CONFIG_HOME"); folder.starts_with('/'))
        return std::string(folder);
    const std::string_view home = variable("HOME");
    return home.starts_with('/') ? std::string(home) + "/.config" : std::string();
}

[[noreturn]] void fail(const std::string& path, const std::string& what)
{
    throw ConfigurationError(fmt::format("{}: {}", path, what));
}

/// Whether an error of open() says that there is nothing to read. A user's folder that this process cannot
/// enter is somebody else's, whose HOME it has.
bool is_missing(const NamedFile& file, int error)
{
    if (file.owner == Owner::anyone)
        return false;
    struct stat status {};
    return error == ENOENT || error == ENOTDIR ||
           (error == EACCES && file.owner == Owner::user && ::stat(file.path.c_str(), &status) != 0);
}

void check(const NamedFile& file, const struct stat& status)
{
    if (!S_ISREG(status.st_mode))
        fail(file.path, fmt::format("this is no file with lines; {}", kOthers));
    if (file.owner != Owner::user)
        return;
    if (status.st_uid != ::geteuid() && status.st_uid != 0)
        fail(file.path,
             fmt::format("it belongs to the user {}, and this program runs as {}, whom others cannot "
                         "configure; change its owner; {}",
                         status.st_uid, ::geteuid(), kOthers));
    if ((status.st_mode & S_IWOTH) != 0)
        fail(file.path, fmt::format("everybody may write to it, and so decide what this program starts; "
                                    "'chmod o-w {}' ends that",
                                    file.path));
}

}  // namespace

std::string site_folder(const std::string& folder)
{
    std::string prefix(kInstalledPrefix);
    for (const std::string_view name : {kInstalledPrograms, kInstalledLibraries}) {
        const std::string below = fmt::format("/{}", name);
        if (folder.ends_with(below))
            prefix = folder.substr(0, folder.size() - below.size());
    }
    const fs::path settings = kInstalledSettings;
    if (settings.is_absolute())
        return settings / "tutti";
    return prefix == "/usr" || prefix.empty() ? "/etc/tutti" : fs::path(prefix) / settings / "tutti";
}

std::vector<NamedFile> configuration_files()
{
    std::vector<NamedFile> files;
    const bool has_rights_of_others = ::getauxval(AT_SECURE) != 0;
    std::string_view others = has_rights_of_others ? std::string_view() : variable("TUTTI_CONF");
    if (others == "none")
        return files;
    while (!others.empty()) {
        const std::size_t end = std::min(others.find(':'), others.size());
        if (end > 0)
            files.push_back({std::string(others.substr(0, end)), Owner::anyone});
        others.remove_prefix(std::min(end + 1, others.size()));
    }
    if (!files.empty())
        return files;
    files.push_back({site_folder(own_folder()) + "/tutti.conf", Owner::site});
    if (const std::string folder = user_folder(); !folder.empty() && !has_rights_of_others)
        files.push_back({folder + "/tutti.conf", Owner::user});
    return files;
}

std::optional<std::string> contents(const NamedFile& file)
{
    // O_NONBLOCK: the open of a pipe waits for nobody.
    const base::UniqueFd descriptor(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!descriptor) {
        const int error = errno;
        if (is_missing(file, error))
            return std::nullopt;
        fail(file.path, fmt::format("cannot read it: {}; {}", std::strerror(error),
                                    file.owner == Owner::anyone ? "TUTTI_CONF names it" : kOthers));
    }
    struct stat status {};
    if (::fstat(descriptor.get(), &status) != 0)
        fail(file.path, fmt::format("cannot look at it: {}", std::strerror(errno)));
    check(file, status);
    std::string text;
    std::array<char, 4096> buffer;
    while (true) {
        const ssize_t bytes = ::read(descriptor.get(), buffer.data(), buffer.size());
        if (bytes < 0 && errno == EINTR)
            continue;
        if (bytes < 0)
            fail(file.path, fmt::format("cannot read it: {}; {}", std::strerror(errno), kOthers));
        if (bytes == 0)
            return text;
        text.append(buffer.data(), static_cast<std::size_t>(bytes));
        if (text.size() > kMostBytes)
            fail(file.path,
                 fmt::format("it has more than {} bytes, which no configuration needs; is this another "
                             "file?",
                             kMostBytes));
    }
}

}  // namespace tutti::settings
