#include "launcher/session_directory.hpp"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace tutti::launcher {

std::string create_session_directory()
{
    const char* base = std::getenv("TMPDIR");
    std::string path = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/tuttirun-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {  // with mode 0700
        throw std::system_error(errno, std::generic_category(), "cannot create " + path + "; set TMPDIR");
    }
    return path;
}

void remove_session_directory(const std::string& path) noexcept
{
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

}  // namespace tutti::launcher
